// Text that PostgreSQL can't store or JSON can't carry: U+0000 and lone surrogates.
import type { ErrorDetail } from '../errors.ts'
import { fieldOf } from './field-path.ts'

type Place = { value: unknown; key: string; parent: Place | null }

const problemOf = (text: string): string | undefined => {
  if (text.includes('\0')) return 'must not contain the character U+0000'
  return text.isWellFormed() ? undefined : 'must not contain half of a surrogate pair'
}

const keysTo = (place: Place | null): string[] => {
  const keys: string[] = []
  for (let at = place; at?.parent; at = at.parent) keys.push(at.key)
  return keys.reverse()
}

/** Where such text is, in request order, up to a maximum. Field names are built only for those. */
export const unstorableStrings = (root: unknown, max: number): ErrorDetail[] => {
  const details: ErrorDetail[] = []
  const add = (place: Place | null, key: string | null, message: string) => {
    const keys = key === null ? keysTo(place) : [...keysTo(place), key]
    details.push({ field: fieldOf(keys.map((part) => part.replaceAll('\0', '').toWellFormed())), message })
  }
  const rest: Place[] = [{ value: root, key: '', parent: null }]
  for (let place = rest.pop(); place && details.length < max; place = rest.pop()) {
    const { value } = place
    if (typeof value === 'string') {
      const problem = problemOf(value)
      if (problem) add(place, null, problem)
    } else if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at--)
        if (mayHoldText(value[at])) rest.push({ value: value[at], key: String(at), parent: place })
    } else if (value && typeof value === 'object') {
      for (const [key, item] of Object.entries(value).reverse()) {
        const problem = problemOf(key)
        if (problem && details.length < max) add(place, key, problem)
        if (mayHoldText(item)) rest.push({ value: item, key, parent: place })
      }
    }
  }
  return details
}

const mayHoldText = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null)
