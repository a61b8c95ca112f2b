import Type, { type Static } from 'typebox'
import { Id, Moment } from '../../schema.ts'

/** An action that the AI agent proposes to the team. */
export const OpenProposal = Type.Object({
  id: Id,
  name: Type.String({ description: 'Of the action.' }),
  values: Type.Array(Type.Object({ label: Type.String(), value: Type.String() })),
  state: Type.Enum(['offered', 'confirmed']),
  expiresAt: Moment,
  createdAt: Moment,
})
export type OpenProposal = Static<typeof OpenProposal>

export const ProposalParams = Type.Object({
  conversationId: Id,
  proposalId: Type.String({ minLength: 1, maxLength: 40 }),
})

export const OpenProposals = Type.Object({
  proposals: Type.Array(OpenProposal, { description: 'The newest first.' }),
})
export type OpenProposals = Static<typeof OpenProposals>
