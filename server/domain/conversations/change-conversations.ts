import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { assignConversation, unassignConversation } from './assign-conversation.ts'
import type { BulkBody, BulkResult, BulkResults } from './bulk-schema.ts'
import { lockConversations } from './queries.ts'
import { closeConversation, reopenConversation } from './set-conversation-status.ts'

/**
 * Does the same with up to 100 conversations, each as its own operation does it. One that fails changes nothing and stops
 * no other: operations throw before they write. Throws VALIDATION_ERROR unless exactly `assign` has an agent.
 */
export const changeConversations = (ctx: Ctx, { ids, action, agentId }: BulkBody): Promise<BulkResults> => {
  if ((action === 'assign') !== (agentId !== undefined))
    throw invalid({
      field: 'agentId',
      message: action === 'assign' ? 'is required with assign' : 'is only allowed with assign',
    })
  return inTransaction(ctx, (ctx) => changeEach(ctx, ids, (id) => changeStatus(ctx, id, action, agentId)))
}

/** In the caller's transaction: locks all of them, and then does the work with each. */
export const changeEach = async (
  ctx: Ctx,
  ids: readonly string[],
  work: (id: string) => Promise<unknown>,
): Promise<BulkResults> => {
  const distinct = [...new Set(ids)]
  await lockConversations(ctx, distinct)
  const results: BulkResult[] = []
  for (const id of distinct) results.push(await resultOf(id, () => work(id)))
  return { results }
}

export const changeStatus = (
  ctx: Ctx,
  conversationId: string,
  action: BulkBody['action'],
  agentId = '',
): Promise<unknown> => {
  switch (action) {
    case 'close':
      return closeConversation(ctx, conversationId)
    case 'reopen':
      return reopenConversation(ctx, conversationId)
    case 'assign':
      return assignConversation(ctx, { conversationId, agentId })
    case 'unassign':
      return unassignConversation(ctx, { conversationId })
  }
}

const resultOf = async (id: string, work: () => Promise<unknown>): Promise<BulkResult> => {
  try {
    await work()
    return { id, ok: true }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { id, ok: false, error: { code: error.code, message: error.message } }
  }
}
