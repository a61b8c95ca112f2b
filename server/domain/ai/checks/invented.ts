// Nothing that can be right or wrong to the letter is said unless it was read. Amounts, percentages and periods have to
// come from the workspace: a customer who writes a price doesn't make it one.

import { type Literal, literalsIn } from './literals.ts'
import type { Known, ReplyProblem } from './reply.ts'

const SHOWN_MAX = 60
/** One problem for each of so many. */
const NAMED_MAX = 4

const OFFERS: ReadonlySet<Literal['kind']> = new Set(['amount', 'percent', 'duration'])

const WHAT: Record<Literal['kind'], string> = {
  amount: 'the amount',
  percent: 'the percentage',
  date: 'the date',
  time: 'the time',
  duration: 'the period',
  number: 'the number',
  code: 'the code',
  email: 'the email address',
  phone: 'the phone number',
}

export const findInvented = (
  text: string,
  { sources, results, circumstances = [], customerTexts }: Known,
): ReplyProblem[] => {
  const said = literalsIn(text)
  if (said.length === 0) return []
  const ours = keysOf([...sources.map((source) => source.text), ...results, ...circumstances])
  const theirs = keysOf(customerTexts)
  const claimed = keysOf(claimsIn(text))
  const isRepeated = ({ kind, keys }: Literal): boolean =>
    !OFFERS.has(kind) && keys.some((key) => theirs.has(key) && !(CLAIMED.has(kind) && claimed.has(key)))
  return said
    .filter((literal) => !literal.keys.some((key) => ours.has(key)) && !isRepeated(literal))
    .slice(0, NAMED_MAX)
    .map(({ kind, shown }) => ({
      code: 'invented',
      message: `The reply says ${WHAT[kind]} “${shown.slice(0, SHOWN_MAX)}”, which none of the sources says. Leave it out, or say it as a source does.`,
    }))
}

/** A customer's own code or number, said to be a voucher or the one to call, would be ours from then on. */
const CLAIMED: ReadonlySet<Literal['kind']> = new Set(['code', 'number', 'email', 'phone'])
const CLAIMS =
  /voucher|coupon|discount|promo|gift card|gutschein|rabatt|cup[oó]n|descuento|desconto|vale-presente|cupom|bon d.achat|remise|r[ée]duction|buono|sconto|kortingscode|cadeaubon|kupon|rabat|zni[zż]k|indirim|скидк|промокод|купон|знижк|قسيمة|خصم|\b(?:call|dial|phone us|ring us|write to|email us|mail to|contact us|reach us|pay|transfer|anrufen|wählen|schreiben|überweisen|erreichen|llame|escriba|contacte|pague|ligue|escreva|appelez|[ée]crivez|contactez|payez|chiami|scriva|contatti|bel ons|mail ons|schrijf|zadzwoń|napisz|arayın|yazın)\b|позвоните|напишите|зателефонуйте|اتصل/iu
const SENTENCES_MAX = 200

/** Sentences that say what to use or whom to turn to. Questions ("Shall we call you at …?") don't. */
const claimsIn = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+|\n/u)
    .slice(0, SENTENCES_MAX)
    .filter((sentence) => !/[?]\s*$/.test(sentence) && CLAIMS.test(sentence))

const keysOf = (texts: readonly string[]): ReadonlySet<string> => {
  const keys = new Set<string>()
  for (const { kind, keys: own, shown } of texts.flatMap((text) => literalsIn(text, { isLoose: true })))
    for (const key of [...own, ...looser(kind, own, shown)]) keys.add(key)
  return keys
}

/** What else a text says that says this: the number without its unit, and the day without its year. */
const looser = (kind: Literal['kind'], keys: readonly string[], shown: string): string[] => {
  if (kind === 'date') return keys.map((key) => key.replace(/^date \d* /, 'date  '))
  return kind === 'amount' || kind === 'duration' || kind === 'percent' || kind === 'code'
    ? literalNumbers(shown)
    : []
}

const literalNumbers = (shown: string): string[] =>
  shown
    .split(/[^\d.,]+/)
    .flatMap((part) => literalsIn(part))
    .filter(({ kind }) => kind === 'number')
    .flatMap(({ keys }) => keys)
