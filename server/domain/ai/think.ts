// What the AI agent does with what a customer wrote: the one place that decides it, without a model. It reads nothing
// but what it is given and what `search` finds, so that a test, and later a model, can take either side. It never
// composes: what it says are items of the knowledge, word for word.
import { wantsPerson } from '../../../flow-engine/wants-person.ts'
import { decideAnswer, OFFERED_MAX } from '../knowledge/decide-answer.ts'
import type { KnowledgeMatch } from '../knowledge/schema.ts'
import { smallTalkOf } from './small-talk.ts'

/** An item of the knowledge, as it was when it was found. */
export type Source = Pick<KnowledgeMatch, 'type' | 'id' | 'title' | 'text' | 'url' | 'language' | 'certainty'>

export type HandOverReason =
  /** The customer asked for a person. */
  | 'asked'
  /** There is nothing that it could reply with. */
  | 'no_knowledge'
  /** Twice in a row nothing fitted. */
  | 'failed_twice'
  /** The customer asks again what was answered. */
  | 'repeated'
  /** A file, a voice message, a location: nothing to search for. */
  | 'attachment'
  /** Not on this channel, at this time or for this customer. */
  | 'not_here'
  | 'stopped'
  /** The provider refused what it said. */
  | 'not_delivered'
  /** Something broke. */
  | 'failed'

export type Decision =
  | { is: 'answer'; source: Source }
  /** Up to three to choose from. */
  | { is: 'offer'; sources: Source[] }
  | { is: 'ask'; why: 'greeting' | 'unclear' }
  | Said
  /** `summary`: for the team, of what the customer wants and what was tried. */
  | { is: 'handOver'; reason: HandOverReason; summary?: string; effects?: AiEffect[] }
  /** The customer is content, so nothing is owed. `by`: how they said so. */
  | { is: 'silent'; by?: 'tap' | 'thanks' }

/** It said something that may have helped. */
export const isAnswer = (decision: Decision): boolean =>
  decision.is === 'answer' || (decision.is === 'say' && decision.as === 'reply')

/** In a model's words, which code has checked. */
export type Said = {
  is: 'say'
  as: 'reply' | 'question'
  text: string
  /** Those that it names. */
  sources: Source[]
  /** To choose from, after a question. */
  options: string[]
  confidence: Confidence
  language: string | null
  effects: AiEffect[]
}

/** From code's own view: how well the sources fit, and whether the first try passed the checks. */
export type Confidence = 'high' | 'middle'

/** What a model changes about its customer with what it says. Nothing else can be changed without a second key. */
export type AiEffect =
  | { is: 'field'; field: string; value: string }
  | { is: 'tags'; add: string[]; remove: string[] }
  | { is: 'flow'; flowId: string }

/** What it remembers of a conversation, since it got it. */
export type Memory = {
  /** In a row. */
  misses: number
  /** Whether it has said that it is an automatic assistant. */
  isIntroduced: boolean
  /** What it said last. */
  lastItemId: string | null
  /** The step of a flow that waits for it. */
  run: { id: string; token: number; turnsLeft: number } | null
}

export const NEW_MEMORY: Memory = { misses: 0, isIntroduced: false, lastItemId: null, run: null }

/** A button of an earlier message; `question`: what was asked when the item was found. */
export type Tapped = { is: 'person' } | { is: 'helped' } | { is: 'item'; id: string; question: string }

export type Situation = {
  /** What the customer wrote since the last reply, in order. */
  messages: { text: string; hasFiles: boolean; tapped: Tapped | null }[]
  memory: Pick<Memory, 'misses' | 'lastItemId' | 'isIntroduced'>
  /** Whether there is anything published for customers at all. */
  hasKnowledge: boolean
}

/** Only finds what the customer may see. */
export type Search = (question: string) => Promise<KnowledgeMatch[]>

/** `question` is what was searched for, or would have been; `version`: of the guidance that a model was given. */
export type Thought = { question: string; decision: Decision; version?: number | null }

export const MISSES_MAX = 2

export const think = async (situation: Situation, search: Search): Promise<Thought> => {
  const { messages, memory, hasKnowledge } = situation
  const question = questionOf(situation)
  const thought = (decision: Decision): Thought => ({ question, decision })
  if (messages.length === 0) return thought({ is: 'silent' })
  const tapped = messages.at(-1)?.tapped
  if (tapped?.is === 'person' || messages.some(({ text }) => wantsPerson(text)))
    return thought({ is: 'handOver', reason: 'asked' })
  if (tapped?.is === 'item') return takeTap(situation, tapped, search)
  if (question === '' && messages.some(({ hasFiles }) => hasFiles))
    return thought({ is: 'handOver', reason: 'attachment' })
  if (question === '' && tapped?.is === 'helped') return thought({ is: 'silent', by: 'tap' })
  if (question === '' && isThanks(situation)) return thought({ is: 'silent', by: 'thanks' })
  if (!hasKnowledge) return thought({ is: 'handOver', reason: 'no_knowledge' })
  if (question === '') return thought({ is: 'ask', why: 'greeting' })
  const { say, offer } = decideAnswer(await search(question))
  if (say && say.id === memory.lastItemId) return thought({ is: 'handOver', reason: 'repeated' })
  if (say) return thought({ is: 'answer', source: toSource(say) })
  if (memory.misses + 1 >= MISSES_MAX) return thought({ is: 'handOver', reason: 'failed_twice' })
  return thought(
    offer.length > 0
      ? { is: 'offer', sources: offer.slice(0, OFFERED_MAX).map(toSource) }
      : { is: 'ask', why: 'unclear' },
  )
}

/** Several messages in a row are one question; greetings and thanks among them are none. */
const questionOf = ({ messages }: Situation): string =>
  messages
    .filter(({ tapped }) => tapped?.is !== 'helped')
    .map(({ text }) => text.trim())
    .filter((text) => text !== '' && smallTalkOf(text) === null)
    .join('\n')

/** Thanks are for something: as the first word they are a greeting. */
const isThanks = ({ messages, memory }: Situation): boolean => {
  const last = messages.findLast(({ text }) => text.trim() !== '')
  return memory.isIntroduced && last !== undefined && smallTalkOf(last.text) === 'thanks'
}

/** The item may have changed or gone since it was offered, so it is looked for as it was found. */
const takeTap = async (
  { memory }: Situation,
  { id, question }: Extract<Tapped, { is: 'item' }>,
  search: Search,
): Promise<Thought> => {
  const found = (await search(question)).find((match) => match.id === id)
  if (found) return { question, decision: { is: 'answer', source: toSource(found) } }
  const isLast = memory.misses + 1 >= MISSES_MAX
  return {
    question,
    decision: isLast ? { is: 'handOver', reason: 'failed_twice' } : { is: 'ask', why: 'unclear' },
  }
}

const toSource = ({ type, id, title, text, url, language, certainty }: KnowledgeMatch): Source => ({
  type,
  id,
  title,
  text,
  url,
  language,
  certainty,
})
