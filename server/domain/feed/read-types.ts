import { type ErrorDetail, invalid } from '../../platform/errors.ts'
import { PUBLIC_TYPES } from './catalogue.ts'
import { TYPES_MAX } from './schema.ts'

const KNOWN = Object.keys(PUBLIC_TYPES)

/** The types that a comma-separated list names; null for all of them. Throws VALIDATION_ERROR naming the first unknown. */
export const readTypes = (list: string | undefined): string[] | null => {
  if (list === undefined) return null
  const names = list.split(',').map((name) => name.trim())
  if (names.length > TYPES_MAX)
    throw invalid({ field: 'types', message: `must have at most ${TYPES_MAX} types` })
  const details: ErrorDetail[] = []
  const types = names.flatMap((name, index) => {
    const group = name.endsWith('.*') ? name.slice(0, -1) : null
    const found = KNOWN.filter((type) => (group === null ? type === name : type.startsWith(group)))
    if (found.length === 0) details.push({ field: `types[${index}]`, message: 'is not a type of event' })
    return found
  })
  if (details.length > 0) throw invalid(...details)
  return [...new Set(types)]
}
