// Reads `contact.fields.plan` and the like. Only what an object has itself is found: never what it inherits, so
// `__proto__` and `constructor` lead nowhere.
import { REPLY_ROOTS, ROOTS, type Root } from './shapes.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** What each root holds. A function, because some of it (business hours) is only worked out when asked for. */
export type Scope = (root: Root) => Json | undefined

const SEGMENTS_MAX = 6
const ALL_ROOTS: readonly Root[] = [...new Set([...ROOTS, ...REPLY_ROOTS])]

/** The value at a path; undefined where there is none. */
export const readPath = (scope: Scope, path: string): Json | undefined => {
  const [root, ...names] = path.split('.', SEGMENTS_MAX + 1)
  const known = ALL_ROOTS.find((one) => one === root)
  if (!known || names.length >= SEGMENTS_MAX) return undefined
  let value = scope(known)
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    // An array's own names are its indexes and `length`.
    value = Array.isArray(value) ? value[Number(name)] : value[name]
  }
  return value
}

export const isEmptyValue = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0)
