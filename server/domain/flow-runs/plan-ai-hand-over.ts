// The AI agent leaves a conversation to people: a word to the customer, a note for the team, and why.

import type { HandOverReason } from '../ai/hand-over-reason.ts'
import { ownLanguage, ownText } from '../ai/texts.ts'
import type { Turn } from '../ai/turn-queries.ts'
import { lacksAddress } from './ask-address.ts'
import { type Stage, setState } from './place.ts'
import { type HandOverWords, handOverNote } from './plan-ai-note.ts'
import { sayForAi } from './plan-ai-say.ts'
import { expectationOf, languageWith } from './plan-ai-words.ts'
import { pauseForPeople } from './plan-hand-over.ts'

export const HAND_OVER_SAYS: Record<HandOverReason, string> = {
  asked: 'handed over because the customer asked for a person',
  no_knowledge: 'handed over because no article or answer says it',
  failed_twice: 'handed over because it found no answer twice in a row',
  repeated: 'handed over because the customer asked the same thing again',
  attachment: 'handed over because the customer sent a file',
  not_here: 'handed over because it doesn’t reply here at this time',
  stopped: 'handed over because it was stopped',
  not_delivered: 'handed over because its message couldn’t be delivered',
  low_confidence: 'handed over because it wasn’t sure enough of an answer',
  rule: 'handed over because a rule of yours says so',
  sensitive: 'handed over because the subject is for people',
  self_harm: 'handed over because the customer may be in danger. Please look at once',
  angry: 'handed over because the customer is angry',
  identity: 'handed over because it isn’t certain who the customer is',
  action_failed: 'handed over because an action failed',
  approval: 'handed over because a teammate has to confirm an action',
  budget: 'handed over because its limits are reached',
  provider_down: 'handed over because its model couldn’t be used',
  failed: 'handed over because something went wrong',
  loop: 'handed over because it has replied many times in a row',
  language: 'handed over because it doesn’t reply in this language',
}

/** `turn`: in which it decided that, with what it couldn't answer. */
export const handOverFromAi = async (
  stage: Stage,
  reason: HandOverReason,
  { turn = null, ...words }: HandOverWords & { turn?: Turn | null } = {},
): Promise<void> => {
  const { place } = stage
  const { language: spoken = null, lead, draft } = words
  const ai = { turnId: turn?.id ?? null, handedOver: reason }
  const theirs = spoken ?? languageWith(place)
  const language = ownLanguage(theirs)
  const asksAddress = reason !== 'self_harm' && lacksAddress(stage)
  const parts = [
    ...(lead ? [lead.text] : []),
    ...(reason === 'self_harm' ? [ownText('selfHarm', language)] : []),
    await expectationOf(stage, theirs),
    ...(asksAddress ? [ownText('leaveAddress', language)] : []),
  ]
  const isSaid = sayForAi(stage, parts.join('\n\n'), {
    ...ai,
    sources: [],
    ...(lead && { action: lead.action }),
  })
  const note = handOverNote(place, { turn, ...words })
  if (note !== null)
    place.acts.push({ is: 'note', run: null, text: `AI agent: ${HAND_OVER_SAYS[reason]}.\n\n${note}` })
  if (turn && draft) place.handedDraft = { turnId: turn.id, ...draft }
  place.acts.push({ is: 'line', run: null, says: `AI agent: ${HAND_OVER_SAYS[reason]}`, steps: 0, ai })
  setState(place, { ai: null, ...(isSaid && asksAddress && { addressAskedAt: stage.world.now }) })
  giveToPeople(stage)
  pauseForPeople(stage, null, 'handed_over')
}

/** The tag, the team and the person of the settings; each may be gone by now. */
const giveToPeople = ({ world, place }: Stage): void => {
  const { agentId, teamId, tagId } = world.ai.handOver
  const tagIds = place.contact.tags.map(({ id }) => id)
  if (tagId !== null && !tagIds.includes(tagId) && !world.excluded.has(`tag ${tagId}`)) {
    place.contact.tags = [...place.contact.tags, { id: tagId, name: tagId }]
    place.acts.push({ is: 'tags', run: null, tagIds: [...tagIds, tagId] })
  }
  const hasTeam = place.conversation.teamId !== null || place.acts.some(({ is }) => is === 'team')
  const isWithPerson = place.agent !== null && !place.agent.isAi
  if (teamId !== null && !hasTeam && !isWithPerson && !world.excluded.has(`team ${teamId}`))
    place.acts.push({ is: 'team', run: null, teamId })
  if (agentId === null || !place.agent?.isAi || world.excluded.has(`agent ${agentId}`)) return
  place.agent = { id: agentId, name: agentId, isAi: false }
  place.acts.push({ is: 'assign', run: null, agentId })
}
