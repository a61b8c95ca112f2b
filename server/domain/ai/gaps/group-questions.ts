// Questions of the same kind: those whose rare trigrams are shared with the newest of a group. Pure.
import { type Grams, gramsOf } from '../../knowledge/search-terms.ts'

/**
 * The least cosine between a question and the newest of its group. On test/questions, whose questions of one kind have
 * few words in common: 0.96 are in a group of their own kind and 0.19 with others; at 0.3, 0.82 and 0.48. A mixed group
 * can't be answered with one answer.
 */
const ALIKE = 0.4

type Group<Q> = { questions: Q[]; weights: Map<string, number> }

/** `questions`: the newest first. The largest group first, of equal ones that with the newest question. */
export const groupQuestions = <Q extends { question: string }>(questions: readonly Q[]): Q[][] => {
  const grams = questions.map(({ question }) => gramsOf(question))
  const rarityOf = makeRarity(grams)
  const groups: Group<Q>[] = []
  /** Which groups have a trigram. */
  const holders = new Map<string, number[]>()
  for (const [at, question] of questions.entries()) {
    const weights = toUnit(grams[at]!, rarityOf)
    const found = nearest(weights, groups, holders)
    if (found) {
      found.questions.push(question)
      continue
    }
    for (const gram of weights.keys()) {
      const known = holders.get(gram)
      if (known) known.push(groups.length)
      else holders.set(gram, [groups.length])
    }
    groups.push({ questions: [question], weights })
  }
  return groups.map((group) => group.questions).sort((one, other) => other.length - one.length)
}

const makeRarity = (all: readonly Grams[]): ((gram: string) => number) => {
  const counts = new Map<string, number>()
  for (const grams of all) for (const gram of grams.keys()) counts.set(gram, (counts.get(gram) ?? 0) + 1)
  return (gram) => Math.log(1 + all.length / counts.get(gram)!)
}

const toUnit = (grams: Grams, rarityOf: (gram: string) => number): Map<string, number> => {
  const weights = new Map([...grams].map(([gram, count]) => [gram, count * rarityOf(gram)]))
  const length = Math.hypot(...weights.values()) || 1
  return new Map([...weights].map(([gram, weight]) => [gram, weight / length]))
}

const nearest = <Q>(
  weights: ReadonlyMap<string, number>,
  groups: readonly Group<Q>[],
  holders: ReadonlyMap<string, number[]>,
): Group<Q> | undefined => {
  const sums = new Map<number, number>()
  for (const [gram, weight] of weights)
    for (const at of holders.get(gram) ?? [])
      sums.set(at, (sums.get(at) ?? 0) + weight * groups[at]!.weights.get(gram)!)
  let best: number | undefined
  for (const [at, sum] of sums) if (sum >= ALIKE && sum > (sums.get(best ?? -1) ?? 0)) best = at
  return best === undefined ? undefined : groups[best]
}
