import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { ApiError } from '../../../platform/errors.ts'
import { findAround } from '../../conversations/inbox-queries.ts'
import { listOpenProposals } from './queries.ts'
import type { OpenProposal } from './schema.ts'

/** Actions that a person has to confirm, and those confirmed that aren't done yet. Throws CONVERSATION_NOT_FOUND. */
export const listProposals = async (ctx: Ctx, conversationId: string): Promise<OpenProposal[]> => {
  if (!(await findAround(ctx, conversationId))) throw new ApiError('CONVERSATION_NOT_FOUND')
  return listOpenProposals(ctx, conversationId)
}
