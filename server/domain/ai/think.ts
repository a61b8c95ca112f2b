// What the AI agent does with what a customer wrote: the one place that decides it. It reads nothing but what it is given
// and what `search` finds. With a model, `compose` finds the words; without one, and where that fails, it says items of
// the knowledge word for word.
import { asksWhetherMachine } from '../../../flow-engine/asks-whether-machine.ts'
import { wantsPerson } from '../../../flow-engine/wants-person.ts'
import { decideAnswer, OFFERED_MAX, SAY_CERTAINTY } from '../knowledge/decide-answer.ts'
import type { KnowledgeMatch } from '../knowledge/schema.ts'
import { isSensitive, reasonForPeople } from './for-people.ts'
import { asksForPrompt } from './guards/asks-for-prompt.ts'
import { smallTalkOf } from './guards/small-talk.ts'
import type { HandOverReason } from './hand-over-reason.ts'
import type { Proposed } from './proposals/proposal.ts'

/** An item of the knowledge, as it was when it was found. */
export type Source = Pick<KnowledgeMatch, 'type' | 'id' | 'title' | 'text' | 'url' | 'language' | 'certainty'>

/** `language`: that the customer writes in; null or left out if it can't be told. */
export type Decision =
  | { is: 'answer'; source: Source; language?: string | null }
  /** Up to three to choose from. */
  | { is: 'offer'; sources: Source[]; language?: string | null }
  | { is: 'ask'; why: 'greeting' | 'unclear' | 'itself' | 'machine'; language?: string | null }
  | Said
  /** An action, which the customer or a person of the team has to confirm. */
  | { is: 'propose'; proposed: Proposed; effects: AiEffect[] }
  /** A code is sent to the customer, who enters it to show who they are. */
  | { is: 'code'; language: string | null; effects: AiEffect[] }
  /** `summary`: for the team, of what the customer wants and what was tried. `read`: what the model was shown. */
  | {
      is: 'handOver'
      reason: HandOverReason
      summary?: string
      read?: Pick<Source, 'type' | 'id' | 'title'>[]
      /** What it would have said, for a person to look at. */
      draft?: { text: string; sources: Source[] }
      language?: string | null
      effects?: AiEffect[]
    }
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
  /** What the step of a flow wanted is done. */
  isDone?: boolean
}

/** From code's own view: how well the sources fit, and whether the first try passed the checks. */
export type Confidence = 'high' | 'middle'

/** What a model changes about its customer with what it says. Nothing else can be changed without a second key. */
export type AiEffect =
  | { is: 'field'; field: string; value: string }
  | { is: 'tags'; add: string[]; remove: string[] }
  | { is: 'flow'; flowId: string }
  /** For the step of a flow that waits. */
  | { is: 'collected'; name: string; value: string }

/** What a step of a flow wants of it; `collect` are names of the flow's variables. */
export type Task = { goal: string; collect: string[]; collected: Record<string, string> }

/** What it remembers of a conversation, since it got it. */
export type Memory = {
  /** In a row. */
  misses: number
  /** Whether it has said that it is an automatic assistant. */
  isIntroduced: boolean
  /** What it said last. */
  lastItemId: string | null
  /** It waits for the answer to a question of its own, so that "ok" is an answer and not thanks. */
  hasAsked?: boolean
  /** The customer's, as they wrote it. */
  language?: string | null
  /** Its messages since a person wrote or the customer tapped. */
  inARow: number
  /** The customer wrote while an action was called, so that "Done." was no reply to it. */
  isOwed?: boolean
  /** The step of a flow that waits for it. */
  run: ({ id: string; token: number; turnsLeft: number } & Partial<Task>) | null
}

export const NEW_MEMORY: Memory = { misses: 0, isIntroduced: false, lastItemId: null, inARow: 0, run: null }

/** A button of an earlier message; `question`: what was asked when the item was found. */
export type Tapped = { is: 'person' } | { is: 'helped' } | { is: 'item'; id: string; question: string }

export type Situation = {
  /** What the customer wrote since the last reply, in order. */
  messages: { text: string; hasFiles: boolean; tapped: Tapped | null }[]
  memory: Pick<Memory, 'misses' | 'lastItemId' | 'isIntroduced' | 'hasAsked'>
  /** What was asked before its last message. */
  questionBefore?: string | null
  /** What they wrote before, since the conversation was opened. */
  earlier?: readonly string[]
  /** Subjects that the workspace leaves to people. */
  topics?: readonly string[]
  /** Whether a step of a flow wants something of it. */
  hasTask?: boolean
  /** Whether there is anything published for customers at all. */
  hasKnowledge: boolean
}

/** Only finds what the customer may see. */
export type Search = (question: string) => Promise<KnowledgeMatch[]>

/** `question` is what was searched for, or would have been; `version`: of the guidance that a model was given. */
export type Thought = { question: string; decision: Decision; version?: number | null }

/** `without`: why there is no composed reply. */
export type Composed =
  | { decision: Decision; version: number | null }
  | { without: Extract<HandOverReason, 'budget' | 'provider_down' | 'sensitive'> }

export type Compose = (
  question: string,
  how: { matches: KnowledgeMatch[]; mayStaySilent: boolean; hasMissed: boolean },
) => Promise<Composed>

export const MISSES_MAX = 2

export const think = async (
  situation: Situation,
  search: Search,
  compose: Compose | null = null,
): Promise<Thought> => {
  const { messages, memory, hasKnowledge } = situation
  const question = questionOf(situation)
  const thought = (decision: Decision): Thought => ({ question, decision })
  if (messages.length === 0) return thought({ is: 'silent' })
  const tapped = messages.at(-1)?.tapped
  if (tapped?.is === 'person' || messages.some(({ text }) => wantsPerson(text)))
    return thought({ is: 'handOver', reason: 'asked' })
  if (tapped?.is === 'item') return takeTap(situation, tapped, search)
  // A machine that says it is none is what people must not be told, whatever a model would say.
  if (asksWhetherMachine(messages.findLast(({ text }) => text.trim() !== '')?.text ?? ''))
    return thought({ is: 'ask', why: 'machine' })
  const reason = reasonForPeople({
    earlier: [],
    topics: [],
    ...situation,
    texts: messages.map(({ text }) => text),
  })
  if (reason) return thought({ is: 'handOver', reason })
  if (question === '' && messages.some(({ hasFiles }) => hasFiles))
    return thought({ is: 'handOver', reason: 'attachment' })
  if (question === '' && tapped?.is === 'helped') return thought({ is: 'silent', by: 'tap' })
  if (question === '' && isThanks(situation)) return thought({ is: 'silent', by: 'thanks' })
  if (!hasKnowledge && !compose) return thought({ is: 'handOver', reason: 'no_knowledge' })
  if (question === '' && !(compose && situation.hasTask)) return thought({ is: 'ask', why: 'greeting' })
  const matches = await search(withQuestionBefore(situation, question))
  const hasMissed = memory.misses + 1 >= MISSES_MAX
  // About health and the law, it says what is written, or nothing.
  if (isSensitive(question) && !matches.some(({ certainty }) => certainty >= SAY_CERTAINTY))
    return thought({ is: 'handOver', reason: 'sensitive' })
  if (asksForPrompt(question))
    return thought(hasMissed ? { is: 'handOver', reason: 'failed_twice' } : { is: 'ask', why: 'itself' })
  const composed = await compose?.(question, { matches, mayStaySilent: mayStaySilent(situation), hasMissed })
  if (composed && 'decision' in composed) return { question, ...composed }
  return thought(decideWithout(situation, matches, composed?.without ?? null))
}

/** Word for word, or a choice of three. `without`: why no model does better, if one should. */
const decideWithout = (
  { memory, hasKnowledge }: Situation,
  matches: readonly KnowledgeMatch[],
  without: HandOverReason | null,
): Decision => {
  const { say, offer } = decideAnswer(matches)
  if (say && say.id === memory.lastItemId) return { is: 'handOver', reason: 'repeated' }
  if (say) return { is: 'answer', source: toSource(say) }
  if (!hasKnowledge) return { is: 'handOver', reason: without ?? 'no_knowledge' }
  if (memory.misses + 1 >= MISSES_MAX) return { is: 'handOver', reason: without ?? 'failed_twice' }
  if (offer.length > 0) return { is: 'offer', sources: offer.slice(0, OFFERED_MAX).map(toSource) }
  return without ? { is: 'handOver', reason: without } : { is: 'ask', why: 'unclear' }
}

/** Several messages in a row are one question; greetings and thanks among them are none, unless they are the answer. */
const questionOf = ({ messages, memory }: Situation): string =>
  messages
    .filter(({ tapped }) => tapped?.is !== 'helped')
    .map(({ text }) => text.trim())
    .filter((text) => text !== '' && (memory.hasAsked === true || smallTalkOf(text) === null))
    .join('\n')

/** The answer to a question of ours says little without what led to it. */
const withQuestionBefore = ({ memory, questionBefore }: Situation, question: string): string =>
  memory.hasAsked === true && questionBefore ? `${questionBefore}\n${question}` : question

const ASKS = /[?？؟]\s*$/

/** In the middle of a conversation, after words that ask nothing. */
const mayStaySilent = ({ messages, memory }: Situation): boolean =>
  memory.isIntroduced && memory.hasAsked !== true && !messages.some(({ text }) => ASKS.test(text))

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

export const toSource = ({ type, id, title, text, url, language, certainty }: KnowledgeMatch): Source => ({
  type,
  id,
  title,
  text,
  url,
  language,
  certainty,
})
