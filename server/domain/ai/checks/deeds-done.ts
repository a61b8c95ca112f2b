// What was done for a customer, as code knows it: by this turn's tools, by actions that were confirmed, and by others,
// as a tool's result tells.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { phrasesOf } from '../guards/phrases.ts'
import { type Deed, deedsOf } from './deed-stems.ts'
import { DONE_WORDS } from './done-words.ts'
import { PROMISE_WORDS } from './promise-words.ts'
import type { Known } from './reply.ts'

/** What may be said of each change that a turn makes. */
const ALLOWS: Readonly<Record<string, readonly Deed[]>> = {
  field: ['note', 'change'],
  collected: ['note'],
  tags: ['note'],
  flow: ['process', 'open'],
}

export const deedsDone = ({ done = [], actions = [], results }: Known): Set<Deed> =>
  new Set([
    ...done.flatMap((effect) => ALLOWS[effect] ?? []),
    ...actions.flatMap((name): Deed[] => [...deedsOf(foldText(name)), 'process']),
    ...results.flatMap((result) => [...deedsIn(result)]),
  ])

/** Words for a state that a result has: “cancelled”, and not “cancellable”. */
const STATES: ReadonlySet<string> = new Set(
  [
    ...Object.values(DONE_WORDS).flatMap(({ done, states }) => [done, states]),
    ...Object.values(PROMISE_WORDS).map(({ done }) => done),
    'delivered|in transit|out for delivery|refunded|fulfilled|reimbursed',
  ]
    .flatMap(phrasesOf)
    .flatMap((phrase) => (phrase.includes(' ') ? [] : [phrase])),
)
const TRANSIT = / (?:in transit|on its way|out for delivery|unterwegs|en camino|en route) /u
/** `"isCancelled": false` says the opposite. */
const UNTRUE = /"[^"]{1,80}"\s{0,5}:\s{0,5}(?:false|null|0|""|"(?:no|false|none|never|nein)")/gu
const RESULT_MAX = 10_000
const NOT = new Set(['not', 'never', 'un', 'no', 'nicht', 'non', 'pas', 'niet', 'nie'])

const deedsIn = (result: string): Set<Deed> => {
  const plain = result
    .slice(0, RESULT_MAX)
    .replace(UNTRUE, ' ')
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
  const folded = ` ${foldText(plain)} `
  const words = folded.split(' ')
  const states = words.filter((word, at) => STATES.has(word) && !NOT.has(words[at - 1] ?? ''))
  return new Set([...deedsOf(states.join(' ')), ...(TRANSIT.test(folded) ? (['send'] as const) : [])])
}
