// Whether the first move of a simulation would start the flow, as its triggers decide it on the server.
import { readDuration } from '../../../../flow-engine/duration.ts'
import { scopeOf } from '../../../../flow-engine/facts.ts'
import { type Cause, matchTriggers, prepareTriggers } from '../../../../flow-engine/triggers.ts'
import type { Game } from './play.ts'

export const startsByItself = ({ definition, setup, played }: Game): boolean => {
  const first = played[0]
  const { state } = first?.after ?? {}
  // Flows without triggers are started by other flows, or by hand.
  if (!first || !state || definition.triggers.length === 0) return true
  const on = 'event' in first.move ? first.move.event : 'message'
  const trigger = definition.triggers.find((one) => one.on === on)
  const { env } = first.before
  const cause: Cause = {
    on,
    by: on === 'message' || on === 'opened' || on === 'reopened' ? 'customer' : 'team',
    channel: setup.channel,
    accountId: trigger?.accountIds?.[0] ?? '',
    message: on === 'message' ? state.message : null,
    isFirst: true,
    isAutomatic: false,
    to: trigger?.to ?? null,
    tagId: trigger?.tagId ?? null,
    field: trigger?.field ?? null,
    silentMs: trigger?.after === undefined ? 0 : (readDuration(trigger.after) ?? 0),
    isWithPerson: false,
    hasDialog: false,
    flowId: 'this',
  }
  const prepared = prepareTriggers([{ id: 'this', position: 0, definition }])
  const scope = scopeOf({ env, contact: env.contact, state })
  const { dialog, background } = matchTriggers(prepared, cause, { now: env.now, scope, lastStartedAt: {} })
  return dialog !== null || background.length > 0
}
