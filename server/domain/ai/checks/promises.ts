// Words that bind the workspace without a deed: “I have refunded it”, “a colleague will call you today”. Customers rely
// on them, and nobody knows of it.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { foldedPieces, phrasesOf } from '../guards/phrases.ts'
import { PROMISE_WORDS } from './promise-words.ts'
import type { Known, ReplyProblem } from './reply.ts'

const SHOWN_MAX = 60

const oneOf = (phrases: string): string =>
  `(?:${phrasesOf(phrases)
    .sort((a, b) => b.length - a.length)
    .join('|')})`

/** Up to three words may be between: “I have already personally refunded”. */
const BETWEEN = '(?:[^ ]{1,30} ){0,3}?'
/** German and Dutch have the deed at the end. */
const BETWEEN_AT_END = '(?:[^ ]{1,30} ){0,8}?'
const AT_END: ReadonlySet<string> = new Set(['de', 'nl', 'tr'])

const LANGUAGES = Object.entries(PROMISE_WORDS).map(([language, words]) => {
  const between = AT_END.has(language) ? BETWEEN_AT_END : BETWEEN
  return {
    deed: new RegExp(`(?<= )${oneOf(words.have)} ${between}${oneOf(words.done)}(?= )`, 'gu'),
    promise: new RegExp(`(?<= )${oneOf(words.will)} ${between}${oneOf(words.do)}(?= )`, 'gu'),
    other: new RegExp(`(?<= )${oneOf(words.others)}(?= )`, 'gu'),
  }
})

/** “If you return it, we will refund it” says how it goes, not what somebody is going to do now. */
const CONDITION = new RegExp(
  ` ${oneOf(
    'if|once|when|as soon as|after|wenn|falls|sobald|nachdem|si|cuando|una vez que|en cuanto|se|quando|assim que|lorsque|dès que|une fois|non appena|als|zodra|wanneer|jeśli|jeżeli|gdy|eğer|если|когда|после|якщо|коли|після|إذا|عندما|بعد',
  )} `,
  'u',
)
const SENTENCE = /[.!?\n。！？؟]+/u
/** What stands in another clause is no part of a promise. */
const CLAUSE = /[;:،,]+/u
const SENTENCES_MAX = 100

/** Allowed: what a source or a tool's result says in these words, what a tool did, and what a hand-over does. */
export const findPromise = (
  text: string,
  { sources, facts, done = [], isHandOver = false }: Known,
): ReplyProblem[] => {
  const read = ` ${[...sources.map((source) => source.text), ...facts].flatMap(foldedPieces).join(' ')} `
  const isRead = (words: string): boolean => read.includes(` ${words} `)
  const words = text
    .split(SENTENCE)
    .slice(0, SENTENCES_MAX)
    .flatMap((sentence) => {
      const isCondition = CONDITION.test(` ${foldText(sentence)} `)
      return sentence.split(CLAUSE).map((clause) => ({ clause: ` ${foldText(clause)} `, isCondition }))
    })
    .map(({ clause, isCondition }) => claimIn(clause, { done, isHandOver, isCondition, isRead }))
    .find((claim) => claim !== undefined)
  return words === undefined
    ? []
    : [
        {
          code: 'promise',
          message: `The reply says “${words.slice(0, SHOWN_MAX)}”, but nothing of that was done in this turn and nobody would do it. Leave it out, or hand over.`,
        },
      ]
}

type Allowed = Required<Pick<Known, 'done' | 'isHandOver'>> & {
  isCondition: boolean
  isRead: (words: string) => boolean
}

const claimIn = (clause: string, { done, isHandOver, isCondition, isRead }: Allowed): string | undefined => {
  for (const { deed, promise, other } of LANGUAGES) {
    const words =
      (done.length > 0 ? undefined : firstOf(clause, deed, isRead)) ??
      (isHandOver || isCondition ? undefined : firstOf(clause, promise, isRead)) ??
      (isHandOver ? undefined : firstOf(clause, other, isRead))
    if (words !== undefined) return words
  }
  return undefined
}

const firstOf = (folded: string, pattern: RegExp, isRead: (words: string) => boolean): string | undefined =>
  [...folded.matchAll(pattern)].map(([words]) => words).find((words) => !isRead(words))
