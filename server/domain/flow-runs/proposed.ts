// The proposals of a place: new ones, changes, and what a thread says of them.
import { EXPIRES_AFTER_MS, type Proposal, type Proposed } from '../ai/proposals/proposal.ts'
import type { ActionPart, Place, Stage } from './place.ts'

/** The one that was asked before can't be confirmed any more. */
export const addProposal = ({ world, place }: Stage, turnId: string, proposed: Proposed): Proposal => {
  expireAsked(place)
  const proposal: Proposal = {
    ...proposed,
    id: world.newId(),
    turnId,
    state: 'offered',
    confirmedBy: null,
    kept: null,
    expiresAt: world.now + EXPIRES_AFTER_MS[proposed.confirm],
    createdAt: world.now,
    nextMessageId: null,
  }
  place.proposals.push(proposal)
  place.changedProposals.add(proposal)
  return proposal
}

/** A person had the conversation in between, even if it is the agent's again, or something else was asked. */
export const expireAsked = (place: Place): void => {
  for (const proposal of place.proposals)
    if (proposal.confirm === 'customer' && proposal.state === 'offered')
      changeProposal(place, proposal, { state: 'expired' })
}

export const changeProposal = (
  place: Place,
  proposal: Proposal,
  change: Partial<Pick<Proposal, 'state' | 'confirmedBy' | 'kept'>>,
): void => {
  Object.assign(proposal, change)
  place.changedProposals.add(proposal)
}

/** In the metadata of messages and lines. */
export const actionPart = ({
  id: proposalId,
  actionId,
  name,
  parameters,
  state,
  confirmedBy,
}: Proposal): ActionPart => ({ proposalId, actionId, name, parameters, state, confirmedBy })
