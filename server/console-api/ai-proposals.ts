// Actions that the AI agent proposes and a person has to confirm. For everyone who may reply in the conversation.
import { decideProposal } from '../domain/ai/proposals/decide-proposal.ts'
import { listProposals } from '../domain/ai/proposals/list-proposals.ts'
import { OpenProposals, ProposalParams } from '../domain/ai/proposals/schema.ts'
import { ConversationParams } from '../domain/conversations/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const DECISION = {
  params: ProposalParams,
  response: {
    200: OpenProposals,
    ...errors('CONVERSATION_NOT_FOUND', 'PROPOSAL_NOT_FOUND', 'PROPOSAL_ENDED'),
  },
}

export const registerAiProposalsConsoleRoutes = (app: App): void => {
  app.get(
    '/conversations/:conversationId/proposals',
    {
      schema: {
        operationId: 'consoleListProposals',
        summary: 'List what the AI agent proposes to the team',
        params: ConversationParams,
        response: { 200: OpenProposals, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ proposals: await listProposals(ctx, params.conversationId) }),
  )

  app.post(
    '/conversations/:conversationId/proposals/:proposalId/confirm',
    {
      schema: {
        operationId: 'consoleConfirmProposal',
        summary: 'Do what the AI agent proposes',
        ...DECISION,
      },
    },
    async ({ ctx, params }) => ({ proposals: await decideProposal(ctx, { ...params, isConfirmed: true }) }),
  )

  app.post(
    '/conversations/:conversationId/proposals/:proposalId/decline',
    {
      schema: {
        operationId: 'consoleDeclineProposal',
        summary: 'Decline what the AI agent proposes',
        ...DECISION,
      },
    },
    async ({ ctx, params }) => ({ proposals: await decideProposal(ctx, { ...params, isConfirmed: false }) }),
  )
}
