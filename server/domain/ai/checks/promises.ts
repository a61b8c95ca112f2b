// Words that bind the workspace without a deed: “I have refunded it”, “your order has been cancelled”, “a colleague will
// call you today”. Customers rely on them, and nobody knows of it.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { foldedPieces, phrasesOf } from '../guards/phrases.ts'
import { type Deed, deedsOf } from './deed-stems.ts'
import { deedsDone } from './deeds-done.ts'
import { DONE_WORDS } from './done-words.ts'
import { PROMISE_WORDS } from './promise-words.ts'
import type { Known, ReplyProblem } from './reply.ts'

const SHOWN_MAX = 60

const oneOf = (phrases: string): string =>
  `(?:${phrasesOf(phrases)
    .sort((a, b) => b.length - a.length)
    .join('|')})`

/** Up to three words may be between: “I have already personally refunded”. */
const BETWEEN = '(?:[^ ]{1,30} ){0,3}?'
/** German, Dutch and Turkish have the deed at the end. */
const BETWEEN_AT_END = '(?:[^ ]{1,30} ){0,8}?'
const AT_END: ReadonlySet<string> = new Set(['de', 'nl', 'tr'])
/** “Orders that have been shipped” aren't anybody's. */
const RELATIVE =
  'that|which|who|whose|if|once|when|until|unless|der|die|das|que|quien|cual|qui|dont|che|cui|dat|wie'

type Pattern = { pattern: RegExp; isOwn: boolean }

/** Matches `deed`: the part that says what was done. */
const patternOf = (before: string, deed: string): RegExp =>
  new RegExp(`(?<= )${before}(?<deed>${deed})(?= )`, 'gu')

const passivesOf = (language: string): Pattern[] => {
  const { own, other, was, done, states, am, doing, now } = DONE_WORDS[language]!
  const between = AT_END.has(language) ? BETWEEN_AT_END : '(?:[^ ]{1,30} ){0,2}?'
  const verbs = [
    ...(was === '' ? [] : [`${oneOf(was)} ${between}(?<deed>${oneOf(done)})`]),
    ...(states === '' ? [] : [`(?<deed>${oneOf(states)})`]),
  ]
  const subject = (words: string): string =>
    words === '' ? '' : `${oneOf(words)} (?:(?!(?:${RELATIVE}) )[^ ]{1,30} ){0,4}?`
  const patterns = (words: string, isOwn: boolean): Pattern[] =>
    verbs.map((verb) => ({ pattern: new RegExp(`(?<= )${subject(words)}${verb}(?= )`, 'gu'), isOwn }))
  return [
    ...patterns(own, true),
    ...(other === '' ? [] : patterns(other, false)),
    ...(am === '' ? [] : [{ pattern: patternOf(`${oneOf(am)} ${BETWEEN}`, oneOf(doing)), isOwn: false }]),
    ...(now === '' ? [] : [{ pattern: patternOf('', oneOf(now)), isOwn: false }]),
  ]
}

const LANGUAGES = Object.entries(PROMISE_WORDS).map(([language, words]) => {
  const between = AT_END.has(language) ? BETWEEN_AT_END : BETWEEN
  return {
    deed: patternOf(`${oneOf(words.have)} ${between}`, oneOf(words.done)),
    passives: passivesOf(language),
    promise: patternOf(`${oneOf(words.will)} ${between}`, oneOf(words.do)),
    other: patternOf('', oneOf(words.others)),
  }
})

/** “If you return it, we will refund it” says how it goes, not what somebody is going to do now. */
const CONDITION_WORDS =
  'if|once|when|as soon as|after|wenn|falls|sobald|nachdem|si|cuando|una vez que|en cuanto|se|quando|assim que|lorsque|dès que|une fois|non appena|als|zodra|wanneer|jeśli|jeżeli|gdy|eğer|если|когда|после|якщо|коли|після|إذا|عندما|بعد'
const CONDITION = new RegExp(` ${oneOf(CONDITION_WORDS)} `, 'u')
/** Before words for what was done they leave open whether it was. */
const OPEN = new RegExp(
  ` ${oneOf(
    `${CONDITION_WORDS}|until|unless|before|whether|in case|provided|as long as|that|which|who|bis|bevor|ob|solange|hasta que|antes de que|mientras|até que|antes que|enquanto|jusqu’à ce que|avant que|tant que|finché|prima che|qualora|totdat|voordat|of|tenzij|dopóki|zanim|czy|kiedy|пока|прежде чем|ли|если|доки|перш ніж|чи|حتى|قبل|كلما|czy`,
  )} `,
  'u',
)
/** Anywhere in the sentence. */
const MAYBE = new RegExp(
  ` ${oneOf('maybe|perhaps|possibly|vielleicht|möglicherweise|eventuell|quizás|quizá|tal vez|talvez|peut être|forse|misschien|mogelijk|być może|belki|может быть|возможно|можливо|ربما')} `,
  'u',
)
/** Between the words for a deed, or right before them. */
const DENIED = new RegExp(
  ` ${oneOf(
    'may|might|could|should|can|cannot|not|never|isnt|wasnt|kann|könnte|nicht|kein|keine|nie|puede|podría|no|nunca|pode|poderia|não|peut|pourrait|pas|jamais|ne|può|potrebbe|non|mai|kan|niet|geen|nooit|może|nie|olabilir|değil|может|не|може|قد|لم|لا|ليس',
  )} `,
  'u',
)
const SENTENCE = /(?<=[.!?\n。！？؟])/u
const QUESTION = /[?？؟]\s*$/u
/** What stands in another clause is no part of a promise. */
const CLAUSE = /[;:،,]+/u
const SENTENCES_MAX = 100

type Clause = { words: string; isCondition: boolean; isOpen: boolean }

const clausesOf = (text: string): Clause[] =>
  text
    .split(SENTENCE)
    .slice(0, SENTENCES_MAX)
    .flatMap((sentence) => {
      const folded = ` ${foldText(sentence)} `
      const isCondition = CONDITION.test(folded)
      const isOpen = QUESTION.test(sentence) || MAYBE.test(folded)
      return sentence.split(CLAUSE).map((clause) => ({ words: ` ${foldText(clause)} `, isCondition, isOpen }))
    })

/** Allowed: what a source or a tool's result says, what a tool did, and what a hand-over does. */
export const findPromise = (text: string, known: Known): ReplyProblem[] => {
  const claims = new Claims(known)
  const words = clausesOf(text)
    .map((clause) => claims.firstIn(clause))
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

/** “Once it has been shipped …”, “it wasn’t shipped”, “it may have been shipped”. */
const isLeftOpen = (folded: string, { index, 0: words }: RegExpExecArray): boolean => {
  const before = folded.slice(0, index)
  const last = before.trimEnd().split(' ').at(-1) ?? ''
  return OPEN.test(before) || DENIED.test(` ${last} ${words} `)
}

/** Deeds that have a noun of their own: “your refund”, “the cancellation”. */
const NAMED: ReadonlySet<Deed> = new Set(['refund', 'cancel', 'change', 'credit', 'extend', 'book'])

/** What a reply may claim in this turn. What is only needed for some is looked up when it is. */
class Claims {
  private readonly known: Known
  private read: string | undefined
  private done: ReadonlySet<Deed> | undefined

  constructor(known: Known) {
    this.known = known
  }

  firstIn({ words, isCondition, isOpen }: Clause): string | undefined {
    const { isHandOver = false } = this.known
    for (const { deed, passives, promise, other } of LANGUAGES) {
      const claim =
        this.firstOf(words, deed, true) ??
        (isOpen ? undefined : this.firstPassive(words, passives)) ??
        (isHandOver || isCondition ? undefined : this.firstOf(words, promise, true)) ??
        (isHandOver ? undefined : this.firstOf(words, other, true))
      if (claim !== undefined) return claim
    }
    return undefined
  }

  private firstPassive(words: string, passives: readonly Pattern[]): string | undefined {
    for (const { pattern, isOwn } of passives) {
      const claim = this.firstOf(words, pattern, !isOwn, true)
      if (claim !== undefined) return claim
    }
    return undefined
  }

  /** `mayBeRead`: a source that says the same is enough. What happened to somebody's order is in no source. */
  private firstOf(
    folded: string,
    pattern: RegExp,
    mayBeRead: boolean,
    mayBeOpen = false,
  ): string | undefined {
    for (const match of folded.matchAll(pattern)) {
      const [words] = match
      if (mayBeOpen && isLeftOpen(folded, match)) continue
      if (this.isDone(words, match.groups!.deed!) || (mayBeRead && this.isRead(words))) continue
      return words
    }
    return undefined
  }

  private isRead(words: string): boolean {
    const { sources, results } = this.known
    this.read ??= ` ${[...sources.map((source) => source.text), ...results].flatMap(foldedPieces).join(' ')} `
    return this.read.includes(` ${words} `)
  }

  private isDone(words: string, deed: string): boolean {
    this.done ??= deedsDone(this.known)
    if (this.done.size === 0) return false
    const said = deedsOf(deed)
    // “Your refund has been processed”: which deed it was is said by what it is about.
    const named = said.has('process') ? [...deedsOf(words)].filter((one) => NAMED.has(one)) : []
    const about = named.length > 0 ? named : said
    return [...about].some((one) => this.done!.has(one))
  }
}
