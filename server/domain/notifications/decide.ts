import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { NotificationKind } from '../../platform/db/tables.ts'
import { record } from '../../platform/events/record.ts'
import { announceMentions } from '../notes/mention-queries.ts'
import {
  type Candidate,
  type Input,
  insertNotifications,
  listCandidates,
  type NewNotification,
  takeInputs,
} from './decide-queries.ts'
import { isQuiet } from './is-quiet.ts'
import { completeSettings } from './settings.ts'

/** More of a kind at once become one that says how many: an admin may assign fifty conversations. */
const SEPARATE_MAX = 3

/**
 * Whether a person is looking at a conversation, as far as their browser said within the last minute. It may be gone
 * meanwhile, so nobody misses an assignment for it: the browser in front of them shows no notification of what it shows.
 */
export type IsLooking = (conversationId: string, accountId: string) => boolean

/**
 * Decides who is notified of what happened in a workspace, for at most a batch of events. All of it is stored in the
 * transaction that removes them from the queue. Returns how many notifications it made, and how many events it took.
 */
export const decideNotifications = (
  ctx: Ctx,
  isLooking: IsLooking,
): Promise<{ notified: number; taken: number }> =>
  inTransaction(ctx, async (ctx) => {
    const inputs = await takeInputs(ctx)
    if (inputs.length === 0) return { notified: 0, taken: 0 }
    const noteIds = inputs.flatMap(({ kind, subjectId }) => (kind === 'note' ? (subjectId ?? []) : []))
    const mentions = noteIds.length > 0 ? await announceMentions(ctx, noteIds) : []
    const candidates = (await listCandidates(ctx, inputs, mentions)).filter(
      ({ place, kind, accountId }) =>
        kind === 'assigned' || !isLooking(inputs[place]!.conversationId, accountId),
    )
    const decided = merge(candidates).flatMap((one) => decide(ctx, one, inputs[one.place]!))
    if (decided.length > 0) {
      await insertNotifications(
        ctx,
        decided.map(({ notification }) => notification),
        decided.flatMap(({ notification, browsers }) =>
          browsers.map(({ id, host }) => ({ notificationId: notification.id, subscriptionId: id, host })),
        ),
      )
      await chime(ctx, decided)
    }
    return { notified: decided.length, taken: inputs.length }
  })

type Merged = Candidate & { count: number }

const merge = (candidates: readonly Candidate[]): Merged[] =>
  [...Map.groupBy(candidates, ({ kind, accountId }) => `${kind} ${accountId}`).values()]
    .flatMap((group) =>
      group.length > SEPARATE_MAX && MERGED.has(group[0]!.kind)
        ? [{ ...group[0]!, count: group.length }]
        : group.map((one) => ({ ...one, count: 1 })),
    )
    .sort((a, b) => a.place - b.place)

/** Each message and mention is one that somebody wrote. */
const MERGED: ReadonlySet<NotificationKind> = new Set(['assigned', 'unassigned', 'team', 'overdue'])

type Decided = {
  notification: NewNotification
  browsers: Candidate['browsers']
  hasSound: boolean
}

/** Kept even if nothing is sent: what was once announced as unassigned isn't announced again. */
const decide = (ctx: Ctx, candidate: Merged, input: Input): Decided[] => {
  const { kind, accountId, pausedUntil, count } = candidate
  const settings = completeSettings(candidate.settings)
  const quiet = isQuiet(settings, pausedUntil, ctx.now())
  const { createdAt, conversationId, actorId } = input
  const dueMs = Date.parse(createdAt) + settings.emailAfterMinutes * 60_000
  const notification = {
    id: ctx.newId(),
    accountId,
    kind,
    conversationId,
    subjectId: kind === 'assigned' ? null : input.subjectId,
    actorId,
    conversationCount: count,
    emailDueAt: settings.email[kind] === true ? new Date(dueMs) : null,
    createdAt,
  }
  const browsers = settings.desktop[kind] === true && !quiet ? candidate.browsers : []
  return [{ notification, browsers, hasSound: settings.sound[kind] === true && !quiet }]
}

/** One event for each conversation, for those who are to hear it. */
const chime = async (ctx: Ctx, decided: readonly Decided[]): Promise<void> => {
  const heard = decided.filter(({ hasSound }) => hasSound).map(({ notification }) => notification)
  await record(
    ctx,
    [...Map.groupBy(heard, ({ conversationId }) => conversationId)].map(([conversationId, list]) => ({
      type: 'agent.chimed' as const,
      conversationId,
      data: { agentIds: [...new Set(list.map(({ accountId }) => accountId))] },
    })),
  )
}
