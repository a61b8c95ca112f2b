// The words around the AI agent's answers: its introduction, the buttons, and what to expect when it hands over.
import { layChoices } from '../../../channels/choices.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import { builtInText } from '../../../flow-engine/built-in-texts.ts'
import { opensAt } from '../../../flow-engine/business-hours.ts'
import type { EffectChoices } from '../../../flow-engine/contract.ts'
import { cutText } from '../../../flow-engine/fold-text.ts'
import { PERSON_OPTION } from '../../../flow-engine/read-reply.ts'
import { renderText } from '../../../flow-engine/render.ts'
import { wishLanguages } from '../../../flow-engine/wants-person.ts'
import { spokenLanguage } from '../ai/guards/spoken-language.ts'
import { fillHandOverText, hasExpectation, ownHandOverText } from '../ai/hand-over-words.ts'
import { codeText } from '../ai/identity/texts.ts'
import { isOpenAt } from '../ai/may-reply.ts'
import { showAction, yesAndNo } from '../ai/proposals/proposal.ts'
import { proposalText } from '../ai/proposals/texts.ts'
import { aboutItself, aboutMachine, disclosure, ownLanguage, ownText, usuallyReplies } from '../ai/texts.ts'
import { type Decision, isAnswer, type Source } from '../ai/think.ts'
import { HELPED_OPTION } from '../ai/turn/take-turn.ts'
import { maskAddress } from '../identity-codes/code.ts'
import type { ConversationCode } from '../identity-codes/queries.ts'
import type { Place, Stage } from './place.ts'
import { scopeIn } from './plan-triggers.ts'

type Spoken = Exclude<Decision, { is: 'handOver' | 'silent' }>

/** The customer's, else that of what they are told. */
export const languageFor = ({ contact }: Place, decision: Spoken): string => {
  if (decision.is === 'propose') return decision.proposed.language ?? contact.language ?? 'en'
  const own = decision.language ?? contact.language
  if (decision.is === 'code') return own ?? 'en'
  const source =
    decision.is === 'answer' ? decision.source : decision.is === 'offer' ? decision.sources[0] : undefined
  return ownLanguage(own ?? source?.language ?? 'en')
}

/** The language to speak to the customer in code's words; `text`: what they have just written. */
export const languageWith = ({ contact, state }: Place, text = ''): string =>
  spokenLanguage(text, contact.language, {
    among: wishLanguages(text),
    remembered: state.ai?.language ?? null,
  }) ?? 'en'

/** Room for the buttons as numbered text. */
const CHOICES_ROOM = 400

export const textOf = (
  { world, place }: Stage,
  decision: Spoken,
  { language, isFirst }: { language: string; isFirst: boolean },
): string => {
  const names = { name: world.ai.name, workspace: world.workspace.name }
  const intro = isFirst ? `${disclosure(language, names)}\n\n` : ''
  const max = place.sending.bodyMax - intro.length - CHOICES_ROOM
  const { code } = place
  return `${intro}${wordsOf(decision, { language, max, code, names, isFirst })}`
}

type How = {
  language: string
  max: number
  code: ConversationCode | null
  names: { name: string | null; workspace: string }
  isFirst: boolean
}

const wordsOf = (decision: Spoken, { language, max, code, names, isFirst }: How): string => {
  if (decision.is === 'answer') return sayItem(decision.source, max)
  if (decision.is === 'say') return cutText(decision.text, Math.max(1, max))
  if (decision.is === 'offer') return ownText('offer', language)
  if (decision.is === 'propose')
    return `${proposalText('ask', language)}\n\n${showAction(decision.proposed, language)}`
  if (decision.is === 'code') return codeText('sent', language, { address: maskAddress(code!) })
  if (decision.why === 'itself') return aboutItself(language, names.workspace)
  if (decision.why === 'machine') return aboutMachine(language, { ...names, isFirst })
  return ownText(decision.why, language)
}

/** Word for word. A section of an article is shown with where to read on. */
const sayItem = ({ type, text, url }: Source, max: number): string => {
  const link = type === 'article' && url !== null ? `\n\n${url}` : ''
  return `${cutText(text, Math.max(1, max - link.length))}${link}`
}

/**
 * A person is always on offer, except where a model is in the middle of a conversation and sure of what it says: buttons
 * under each sentence are a nuisance there, and the wish for a person is understood in words. An answer comes with "Yes,
 * that helped" where the channel has buttons.
 */
export const choicesOf = (
  { place }: Stage,
  decision: Spoken,
  { text, language, isFirst }: { text: string; language: string; isFirst: boolean },
): EffectChoices | null => {
  if (decision.is === 'say' && decision.options.length === 0 && decision.confidence === 'high' && !isFirst)
    return null
  const person = { id: 'person', number: PERSON_OPTION, title: builtInText('person', language) }
  const words = { label: builtInText('choose', language), more: builtInText('more', language) }
  const options = optionsOf(decision, language).map(({ id, title }, at) => ({ id, number: at + 1, title }))
  const helped = { id: 'helped', number: HELPED_OPTION, title: ownText('helped', language) }
  const asked = { ...words, options: [helped, person] }
  const limits = DEFINITIONS[place.conversation.channel].choices
  // As numbered text under each answer it would be noise: there, customers say thanks in words.
  if (isAnswer(decision) && options.length === 0 && layChoices(limits, { ...asked, text }).as !== 'text')
    return asked
  return { ...words, options: [...options, person] }
}

const optionsOf = (decision: Spoken, language: string): { id: string; title: string }[] => {
  if (decision.is === 'propose') return yesAndNo(language)
  if (decision.is === 'offer') return decision.sources
  return decision.is === 'say' ? decision.options.map((title, at) => ({ id: `option${at + 1}`, title })) : []
}

/**
 * What a customer may expect who is handed over, in the workspace's words if it has some: honest about when somebody is
 * there, and how long it usually takes while somebody is. `spoken`: their language.
 */
export const expectationOf = async (stage: Stage, spoken: string): Promise<string> => {
  const { world, place } = stage
  const language = ownLanguage(spoken)
  const own = ownHandOverText(world.ai, spoken)
  if (own === null) return defaultExpectation(stage, language)
  const expectation = hasExpectation(own) ? await defaultExpectation(stage, language) : ''
  return cutText(
    fillHandOverText(own, { expectation, workspace: world.workspace.name }),
    place.sending.bodyMax,
  )
}

const defaultExpectation = async (stage: Stage, language: string): Promise<string> => {
  const { world } = stage
  if (isOpenAt(world.hours, world.now)) {
    const minutes = await world.findUsualReply()
    return minutes === null ? ownText('someoneReplies', language) : usuallyReplies(language, minutes)
  }
  const usual = world.hours.find(({ isDefault }) => isDefault)
  const isKnown = usual !== undefined && opensAt(usual, world.now) !== null
  const context = {
    scope: scopeIn(stage, null),
    language,
    timeZone: usual?.timeZone ?? 'UTC',
    now: world.now,
  }
  return renderText(
    ownText(isKnown ? 'closedUntil' : 'closed', language),
    context,
    stage.place.sending.bodyMax,
  )
}
