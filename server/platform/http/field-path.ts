// How `details` names a field: as the caller wrote it, `audience.recipients[12].phone`.
import { WHOLE_BODY } from './json-body.ts'

/** Longer names don't help anyone, and a long key times many mistakes makes a large response. */
const PART_MAX = 100
const FIELD_MAX = 500

const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text

/** The field name for these keys. */
export const fieldOf = (keys: readonly string[]): string => {
  const path = keys.reduce((path, key) => {
    const part = cut(key, PART_MAX)
    if (path === '') return part
    return /^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`
  }, '')
  return cut(path, FIELD_MAX) || WHOLE_BODY
}

/** `/audience/recipients/12/phone` → `['audience', 'recipients', '12', 'phone']` */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
