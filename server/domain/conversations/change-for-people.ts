import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { moveToTeam } from './assign-team.ts'
import type { BulkResults } from './bulk-schema.ts'
import { changeEach, changeStatus } from './change-conversations.ts'
import { markRead, markUnread } from './mark-read.ts'
import { requireSnoozable, snoozeConversation, unsnoozeConversation } from './snooze-conversation.ts'
import { prioritizeConversation, tagConversation } from './tag-conversation.ts'
import type { InboxBulkBody } from './triage-schema.ts'

const TAGS = ['addTagIds', 'removeTagIds'] as const

/** What an action needs; an action that is not named needs nothing. */
const NEEDED = {
  assign: ['agentId'],
  snooze: ['until'],
  prioritize: ['priority'],
  tag: TAGS,
  team: ['teamId'],
} as const

/**
 * Does the same with up to 100 conversations, as changeConversations does. Throws VALIDATION_ERROR if the field that the
 * action needs is missing, and what requireSnoozable throws.
 */
export const changeForPeople = (ctx: Ctx, body: InboxBulkBody): Promise<BulkResults> => {
  const needed: readonly (keyof InboxBulkBody)[] = NEEDED[body.action as keyof typeof NEEDED] ?? []
  if (needed.length > 0 && needed.every((field) => body[field] === undefined))
    throw invalid({ field: needed[0]!, message: `is required with ${body.action}` })
  if (body.action === 'snooze' && body.until) requireSnoozable(ctx, body.until)
  return inTransaction(ctx, (ctx) => changeEach(ctx, body.ids, (id) => change(ctx, id, body)))
}

const change = (
  ctx: Ctx,
  conversationId: string,
  { action, agentId, teamId = null, until, addTagIds, removeTagIds, priority }: InboxBulkBody,
): Promise<unknown> => {
  switch (action) {
    case 'snooze':
      return snoozeConversation(ctx, { conversationId, until: new Date(until ?? 0).toISOString() })
    case 'unsnooze':
      return unsnoozeConversation(ctx, { conversationId })
    case 'tag':
      return tagConversation(ctx, { conversationId, add: addTagIds ?? [], remove: removeTagIds ?? [] })
    case 'prioritize':
      return prioritizeConversation(ctx, { conversationId, priority: priority ?? 0 })
    case 'team':
      return moveToTeam(ctx, { conversationId, teamId })
    case 'read':
      return markRead(ctx, { conversationId })
    case 'unread':
      return markUnread(ctx, { conversationId })
    default:
      return changeStatus(ctx, conversationId, action, agentId)
  }
}
