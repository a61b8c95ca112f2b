// A workspace's AI agent with a model of the sandbox, and what it is told.
import { WEEKDAYS } from '../../../../flow-engine/business-hours.ts'
import type { TestApp } from '../../../../test/app.ts'
import type { ModelKind } from '../../../platform/db/tables.ts'
import { createAction } from '../../actions/save-action.ts'
import type { NewAction } from '../../actions/schema.ts'
import { DEFAULT_GUIDANCE } from '../guidance/default-guidance.ts'
import { publishGuidance, saveDraft } from '../guidance/edit-guidance.ts'
import type { Guidance } from '../guidance/schema.ts'
import { saveProvider } from '../provider/save-provider.ts'

export type Setup = {
  /** By default, there is none. */
  model?: { url: string; key: string; name: string; kind?: ModelKind }
  guidance?: Partial<Guidance>
  /** Tags that there are; the agent may use those in `opened`. */
  tags?: string[]
  opened?: string[]
  /** All of them are opened to the agent. */
  actions?: NewAction[]
}

const PRICES = { input: 1_000_000, cached: 500_000, output: 2_000_000 }

export const setUp = async (
  { ctxOf, make }: TestApp,
  workspaceId: string,
  { model, guidance, tags = [], opened = [], actions = [] }: Setup,
): Promise<void> => {
  const ctx = ctxOf(workspaceId)
  if (model) {
    const { url, key, name, kind = 'chat_completions' } = model
    const baseUrl = kind === 'messages' ? url : `${url}/v1`
    await saveProvider(ctx, { kind, baseUrl, key, model: name, prices: PRICES })
  }
  const ids = new Map<string, string>()
  for (const name of tags) ids.set(name, await make.tag(workspaceId, { name }))
  if (!guidance && opened.length === 0 && actions.length === 0) return
  const actionIds: string[] = []
  for (const action of actions) actionIds.push((await createAction(ctx, action)).id)
  const tagIds = opened.map((name) => ids.get(name)!)
  const { revision } = await saveDraft(ctx, {
    guidance: {
      ...DEFAULT_GUIDANCE,
      ...guidance,
      tagIds,
      actionIds: [...(guidance?.actionIds ?? []), ...actionIds],
    },
    revision: 0,
  })
  await publishGuidance(ctx, { revision })
}

/** Open for one minute a week, which isn't now. */
export const closeBusiness = async ({ clock, ctxOf, db }: TestApp, workspaceId: string): Promise<void> => {
  const day = WEEKDAYS[(clock.now().getUTCDay() + 3) % 7]!
  await db
    .insertInto('business_hours')
    .values({
      workspace_id: workspaceId,
      id: ctxOf(workspaceId).newId(),
      name: 'Hours',
      name_key: 'hours',
      is_default: true,
      time_zone: 'UTC',
      weekly: JSON.stringify({ [day]: [{ from: '00:00', to: '00:01' }] }),
      exceptions: JSON.stringify([]),
      created_at: clock.now(),
    })
    .execute()
}
