import type { Person } from './contact-queries.ts'

/** Shorter ones are found in texts about others. */
const LENGTH_MIN = 5

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What identifies the person at a provider or in a mail: addresses, numbers with and without the plus, and ids. */
export const valuesOf = ({ email, phone, identities }: Person): string[] => [
  ...new Set(
    [email, phone, ...identities.map(({ value }) => value)].flatMap((value) =>
      value === null ? [] : [value, ...(/^\+\d+$/.test(value) ? [value.slice(1)] : [])],
    ),
  ),
]

/** For PostgreSQL: finds one of the values as a whole; empty if there is none. Names are other people's too. */
export const patternOf = (values: readonly string[]): string => {
  const long = values.filter((value) => value.length >= LENGTH_MIN)
  if (long.length === 0) return ''
  return `(^|[^[:alnum:]])(${long.map(literal).join('|')})($|[^[:alnum:]])`
}
