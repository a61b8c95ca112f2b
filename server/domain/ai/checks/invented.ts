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

export const findInvented = (text: string, { sources, facts, customerTexts }: Known): ReplyProblem[] => {
  const said = literalsIn(text)
  if (said.length === 0) return []
  const ours = keysOf([...sources.map((source) => source.text), ...facts])
  const theirs = keysOf(customerTexts)
  return said
    .filter(({ kind, keys }) => !keys.some((key) => ours.has(key) || (theirs.has(key) && !OFFERS.has(kind))))
    .slice(0, NAMED_MAX)
    .map(({ kind, shown }) => ({
      code: 'invented',
      message: `The reply says ${WHAT[kind]} “${shown.slice(0, SHOWN_MAX)}”, which none of the sources says. Leave it out, or say it as a source does.`,
    }))
}

const keysOf = (texts: readonly string[]): ReadonlySet<string> => {
  const keys = new Set<string>()
  for (const { kind, keys: own, shown } of texts.flatMap(literalsIn))
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
    .flatMap(literalsIn)
    .filter(({ kind }) => kind === 'number')
    .flatMap(({ keys }) => keys)
