// Conditions as forms show them: rows, and how they hold together. "None of these" is a negation around "any".
import type { Condition } from '../../../../flow-engine/schema.ts'

export type Group = { joins: 'all' | 'any' | 'none'; rows: Condition[] }

export const groupOf = (condition: Condition): Group => {
  if ('all' in condition) return { joins: 'all', rows: condition.all }
  if ('any' in condition) return { joins: 'any', rows: condition.any }
  if (!('not' in condition)) return { joins: 'all', rows: [condition] }
  const { not } = condition
  return { joins: 'none', rows: 'any' in not ? not.any : [not] }
}

/** The shortest spelling: a group of one row is the row. */
export const conditionOf = ({ joins, rows }: Group): Condition => {
  const one = rows.length === 1 ? rows[0]! : undefined
  if (joins === 'all') return one ?? { all: rows }
  if (joins === 'any') return { any: rows }
  return { not: one ?? { any: rows } }
}
