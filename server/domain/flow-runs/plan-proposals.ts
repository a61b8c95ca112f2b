// Actions that the AI agent proposes: the customer's yes or no, and what came of the call. Nothing is called that wasn't
// confirmed in time, to that very question, by whom it was asked of, and while the agent has the conversation.
import { matchOption } from '../../../flow-engine/match-option.ts'
import { identityIn, isAtLeast } from '../ai/identity/identity.ts'
import {
  describeAction,
  NO_OPTION,
  type Proposal,
  showAction,
  YES_OPTION,
  yesAndNo,
} from '../ai/proposals/proposal.ts'
import { proposalText } from '../ai/proposals/texts.ts'
import { AI_STEP } from '../ai/turn/take-turn.ts'
import type { AutomationInput } from '../automation/inputs.ts'
import { type InboundMessage, type Stage, setState } from './place.ts'
import { handOver, isWithAi, mayReplyHere, withPerson } from './plan-ai.ts'
import { sayForAi } from './plan-ai-say.ts'
import { memoryOf } from './plan-ai-step.ts'
import { actionPart, changeProposal } from './proposed.ts'

/** True if the message was an answer to a proposal, and nobody else's business. */
export const takeConfirmation = async (stage: Stage, message: InboundMessage): Promise<boolean> => {
  const { world, place } = stage
  const answer = answerIn(stage, message)
  if (!answer) return false
  const { proposal, isYes } = answer
  // A mail in somebody else's name is an ordinary message.
  const shown = { isProven: message.isSenderVerified, code: place.code, now: world.now }
  if (!isAtLeast(identityIn(place.conversation.channel, shown), proposal.identity)) return false
  place.owesReply = place.turn !== null
  if (message.tapped) setState(place, { ai: withPerson(place.state.ai) })
  // Twice, or in another tab: what came of the first was said, or will be.
  if (proposal.state !== 'offered' && proposal.state !== 'expired') return true
  const isOurs = isWithAi(stage) && mayReplyHere(stage)
  if (!isYes) {
    decide(stage, proposal, 'declined', 'the customer declined')
    if (isOurs) say(stage, proposal, proposalText('declined', languageOf(proposal)))
  } else if (isOurs && proposal.state === 'offered' && world.now < proposal.expiresAt) {
    changeProposal(place, proposal, { state: 'confirmed', confirmedBy: place.conversation.contactId })
    place.acts.push({ is: 'proposedCall', proposal })
  } else {
    decide(stage, proposal, 'expired', 'not done, because the customer confirmed it too late')
    if (isOurs) say(stage, proposal, proposalText('tooLate', languageOf(proposal)))
  }
  return true
}

/** A tap on one of its buttons, or its title typed as the very next message after the question. */
const answerIn = (
  stage: Stage,
  { id, text, tapped, choice }: InboundMessage,
): { proposal: Proposal; isYes: boolean } | undefined => {
  const { proposals } = stage.place
  if (tapped) {
    const { runId, stepId, number } = tapped
    const proposal = stepId === AI_STEP ? proposals.find(({ turnId }) => turnId === runId) : undefined
    return proposal?.confirm === 'customer' && (number === YES_OPTION || number === NO_OPTION)
      ? { proposal, isYes: number === YES_OPTION }
      : undefined
  }
  if (choice !== null) return undefined
  const asked = proposals.find(
    ({ confirm, state, nextMessageId }) =>
      confirm === 'customer' && state === 'offered' && nextMessageId === id,
  )
  if (!asked) return undefined
  const match = matchOption(
    text,
    yesAndNo(languageOf(asked)).map((option) => ({ ...option, also: [] })),
  )
  if (match.kind !== 'option' || !match.isExact) return undefined
  return { proposal: asked, isYes: match.option.number === YES_OPTION }
}

/** Takes what a call brought. What the action says is kept for the next turn. */
export const takeActionResult = async (
  stage: Stage,
  { proposalId, outcome, kept, problem }: Extract<AutomationInput, { kind: 'ai_action' }>['data'],
): Promise<void> => {
  const { place } = stage
  const proposal = place.proposals.find(({ id }) => id === proposalId)
  if (proposal?.state !== 'confirmed') return
  const state = outcome === 'done' || outcome === 'unknown' ? outcome : 'failed'
  changeProposal(place, proposal, { kept: state === 'done' ? kept : null })
  const by = proposal.confirm === 'customer' ? ', confirmed by the customer' : ''
  decide(stage, proposal, state, `${SAYS[state]}${by}`, problem)
  const language = languageOf(proposal)
  const text = `${proposalText(state, language)}\n\n${showAction(proposal, language)}`
  if (proposal.confirm === 'person') {
    // Who confirmed it has the conversation, and sees what went wrong.
    if (state === 'done') say(stage, proposal, text)
  } else if (!isWithAi(stage)) {
    // Somebody else has the word, and the line.
  } else if (state === 'done') sayDone(stage, proposal, text)
  else await handOver(stage, 'action_failed', { language, lead: { text, action: actionPart(proposal) } })
}

const SAYS = { done: 'done', failed: 'failed', unknown: 'may or may not have been done' } as const

/** What the customer has written meanwhile is still to be replied to. */
const sayDone = (stage: Stage, proposal: Proposal, text: string): void => {
  const { place } = stage
  const isAside = place.turn !== null
  say(stage, proposal, text, { isAside })
  if (isAside) setState(place, { ai: { ...memoryOf(stage), isOwed: true } })
}

const say = (stage: Stage, proposal: Proposal, text: string, { isAside = false } = {}): void => {
  sayForAi(stage, text, {
    turnId: proposal.turnId,
    sources: [],
    action: actionPart(proposal),
    ...(isAside && { isAside }),
  })
}

/** Ends it, with a line. */
const decide = (
  { place }: Stage,
  proposal: Proposal,
  state: Exclude<Proposal['state'], 'offered' | 'confirmed'>,
  says: string,
  problem: string | null = null,
): void => {
  const confirmedBy = state === 'declined' ? place.conversation.contactId : proposal.confirmedBy
  changeProposal(place, proposal, { state, confirmedBy })
  place.acts.push({
    is: 'line',
    run: null,
    says: `AI agent: ${says}: ${describeAction(proposal)}${problem === null ? '' : ` (${problem})`}`,
    steps: 0,
    ai: { turnId: proposal.turnId, action: actionPart(proposal) },
  })
}

/** In which it was asked. */
const languageOf = ({ language }: Proposal): string => language ?? 'en'

/** After everything else: what was asked can't be confirmed once somebody else has the conversation, or too late. */
export const settleProposals = (stage: Stage): void => {
  const { world, place } = stage
  for (const proposal of place.proposals) {
    if (proposal.state !== 'offered') continue
    const isLeft = proposal.confirm === 'customer' ? !isWithAi(stage) : place.conversation.status !== 'open'
    if (isLeft || world.now >= proposal.expiresAt) changeProposal(place, proposal, { state: 'expired' })
  }
}
