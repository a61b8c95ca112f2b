// Compares what became of a scenario with what was expected, in plain words.
import type { Outcome } from './outcome.ts'
import {
  countWords,
  decisionWords,
  holderWords,
  listWords,
  proposalWords,
  quote,
  reasonWords,
  recordWords,
} from './outcome-words.ts'
import type { Expectation } from './scenario.ts'

/** One expectation, and what happened instead or as expected. */
export type Check = { expected: string; happened: string; isMet: boolean }

/** One for each expectation, and for each text that must or must not be said. */
export const checkOutcome = (expected: Expectation, outcome: Outcome): Check[] => {
  const said = [...outcome.messages, ...outcome.drafts]
  const saidWords = listWords(said, 'Said nothing')
  return [
    ...same(expected.has, outcome.has, holderWords),
    ...same(expected.reason, outcome.reason, reasonWords),
    ...same(expected.decision, outcome.decision, decisionWords),
    ...same(expected.messages, outcome.messages.length, (count) => countWords(count, 'message', 'messages')),
    ...same(sorted(expected.sources), sorted(outcome.sources), (titles) =>
      titles.length === 0 ? 'No source' : `Only from ${listWords(titles, '')}`,
    ),
    ...each(expected.mustUse, (title) => ({
      expected: `Uses ${quote(title)}`,
      happened: outcome.sources.length === 0 ? 'Used no source' : `Used ${listWords(outcome.sources, '')}`,
      isMet: outcome.sources.includes(title),
    })),
    ...same(expected.fields, outcome.fields, (fields) => recordWords(fields, 'No fields')),
    ...same(sorted(expected.tags), sorted(outcome.tags), (tags) => `Tags: ${listWords(tags, 'none')}`),
    ...same(expected.requests, outcome.requests.length, (count) =>
      countWords(count, 'request to the model', 'requests to the model'),
    ),
    ...same(expected.calls, outcome.calls, (count) =>
      countWords(count, 'call of an action', 'calls of actions'),
    ),
    ...same(expected.proposal, outcome.proposal, proposalWords),
    ...same(expected.drafts, outcome.drafts.length, (count) => countWords(count, 'draft', 'drafts')),
    ...each(expected.mustSay, (text) => {
      const isMet = has(said, text)
      return { expected: `Says ${quote(text)}`, happened: isMet ? 'Said' : saidWords, isMet }
    }),
    ...each(expected.mustNote, (text) => ({
      expected: `Notes ${quote(text)}`,
      happened: listWords(outcome.notes, 'Noted nothing'),
      isMet: has(outcome.notes, text),
    })),
    ...each(expected.never, (text) => {
      const isMet = !has(said, text)
      return { expected: `Doesn’t say ${quote(text)}`, happened: isMet ? 'Not said' : saidWords, isMet }
    }),
    ...each(expected.neverSent, (text) => {
      const isMet = !has(outcome.requests, text)
      return {
        expected: `Doesn’t send ${quote(text)} to the model`,
        happened: isMet ? 'Not sent' : 'Sent',
        isMet,
      }
    }),
  ]
}

/** A sentence for each expectation that isn't met. */
export const failuresIn = (checks: readonly Check[]): string[] =>
  checks
    .filter(({ isMet }) => !isMet)
    .map(({ expected, happened }) => `Expected: ${expected}. Happened: ${happened}.`)

const sorted = (texts: readonly string[] | undefined): string[] | undefined => texts?.toSorted()

const same = <T>(expected: T | undefined, actual: T | undefined, words: (value: T) => string): Check[] =>
  expected === undefined || actual === undefined
    ? []
    : [
        {
          expected: words(expected),
          happened: words(actual),
          isMet: JSON.stringify(expected) === JSON.stringify(actual),
        },
      ]

const each = (texts: readonly string[] | undefined, check: (text: string) => Check): Check[] =>
  (texts ?? []).map(check)

const has = (texts: readonly string[], text: string): boolean =>
  texts.some((one) => one.toLowerCase().includes(text.toLowerCase()))
