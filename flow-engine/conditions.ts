// Conditions are data: nothing in them is ever run.
import { foldText } from './fold-text.ts'
import { isEmptyValue, type Json, readPath, type Scope } from './paths.ts'
import { matchesPattern } from './patterns.ts'
import { readMoment, readNumber } from './read-values.ts'
import type { Comparison, Condition, Scalar } from './shapes.ts'

export type ConditionContext = { scope: Scope; now: number }

/** Whether a condition holds. A value that is missing or of another type makes a comparison false, never an error. */
export const holds = (condition: Condition, context: ConditionContext): boolean => {
  if ('all' in condition) return condition.all.every((part) => holds(part, context))
  if ('any' in condition) return condition.any.some((part) => holds(part, context))
  if ('not' in condition) return !holds(condition.not, context)
  return compare(condition, readPath(context.scope, condition.value), context)
}

const compare = ({ op, to }: Comparison, value: Json | undefined, { now }: ConditionContext): boolean => {
  const single = Array.isArray(to) ? to[0] : to
  switch (op) {
    case 'isSet':
      return !isEmptyValue(value)
    case 'isEmpty':
      return isEmptyValue(value)
    case 'is':
      return isSame(value, single)
    case 'isNot':
      return !isSame(value, single)
    case 'isOneOf':
      return several(to).some((one) => isSame(value, one))
    case 'contains':
      return several(to).some((one) => contains(value, one))
    case 'startsWith':
      return several(to).some((one) => startsWith(value, one))
    case 'above':
    case 'below':
      return isOrdered(readNumber(value), readNumber(single), op === 'above')
    case 'before':
    case 'after':
      return isOrdered(readMoment(value), single === 'now' ? now : readMoment(single), op === 'after')
    case 'hasTag':
      return several(to).some((one) => hasTag(value, one))
    case 'matches':
      return typeof value === 'string' && typeof single === 'string' && matchesPattern(single, value)
  }
}

/** A list of tags, or of texts. */
const hasTag = (value: Json | undefined, wanted: Scalar): boolean =>
  Array.isArray(value) && value.some((tag) => isSame(idOf(tag), wanted) || isSame(nameOf(tag), wanted))

const idOf = (value: Json): Json | undefined => readOwn(value, 'id')
const nameOf = (value: Json): Json | undefined => (typeof value === 'string' ? value : readOwn(value, 'name'))

const readOwn = (value: Json, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? value[name]
    : undefined

const several = (to: Comparison['to']): Scalar[] => (Array.isArray(to) ? to : to === undefined ? [] : [to])

/** Texts are the same without case and surrounding spaces; a text with a number in it is that number. */
const isSame = (value: Json | undefined, to: Scalar | undefined): boolean => {
  if (value === undefined || value === null || to === undefined) return false
  if (typeof value === 'boolean' || typeof to === 'boolean') return String(value) === String(to)
  if (typeof value === 'number' || typeof to === 'number') {
    const number = readNumber(value)
    return number !== undefined && number === readNumber(to)
  }
  return typeof value === 'string' && toComparable(value) === toComparable(to)
}

const toComparable = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

const contains = (value: Json | undefined, to: Scalar): boolean => {
  if (Array.isArray(value)) return value.some((item) => isSame(item, to) || isSame(nameOf(item), to))
  const wanted = foldText(String(to))
  return typeof value === 'string' && wanted !== '' && foldText(value).includes(wanted)
}

const startsWith = (value: Json | undefined, to: Scalar): boolean => {
  const isText = typeof value === 'string' || typeof value === 'number'
  return isText && to !== '' && toComparable(String(value)).startsWith(toComparable(String(to)))
}

const isOrdered = (one: number | undefined, other: number | undefined, isAbove: boolean): boolean =>
  one !== undefined && other !== undefined && (isAbove ? one > other : one < other)
