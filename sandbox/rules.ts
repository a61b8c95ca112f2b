// Requested failures: each rule applies to a number of requests; the oldest matching rule wins.
import { newNodeId } from './whatsapp/ids.ts'

const RULES_MAX = 1000

/** `left` is how many more requests a rule applies to; null: all, until it is removed. */
export type Rule<T> = T & { id: string; left: number | null }

export const makeRules = <T extends { times?: number | null }>(onChange: (rules: Rule<T>[]) => void) => {
  let rules: Rule<T>[] = []
  const change = (next: Rule<T>[]): void => {
    rules = next
    onChange(rules)
  }
  return {
    list: (): Rule<T>[] => rules,
    add: (input: T): Rule<T> => {
      const rule = { ...input, id: newNodeId(), left: input.times === undefined ? 1 : input.times }
      change([...rules, rule].slice(-RULES_MAX))
      return rule
    },
    remove: (id: string): boolean => {
      const isThere = rules.some((rule) => rule.id === id)
      if (isThere) change(rules.filter((rule) => rule.id !== id))
      return isThere
    },
    clear: (): void => change([]),
    /** Uses up one turn of the first matching rule. */
    take: <R extends Rule<T>>(fits: (rule: Rule<T>) => rule is R): R | undefined => {
      const found = rules.find(fits)
      if (found && found.left !== null) {
        found.left--
        change(rules.filter(({ left }) => left === null || left > 0))
      }
      return found
    },
  }
}
