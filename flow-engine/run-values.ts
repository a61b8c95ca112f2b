// Brings values into the types of a run's variables, within their bounds.
import { noTitle, yesTitle } from './built-in-texts.ts'
import { startOf } from './fold-text.ts'
import { LIST_ITEMS_MAX } from './limits.ts'
import type { Json } from './paths.ts'
import { readYesNo } from './read-reply.ts'
import { formatDate, readDate, readMoment, readNumber } from './read-values.ts'
import type { Variable } from './schema.ts'
import { SCALAR_MAX } from './shapes.ts'
import { dateAt } from './zone-time.ts'

export type ValueContext = { language: string; timeZone: string }

/** The value as the variable's type; null if it can't be read as that. */
export const toVariable = (value: Json | undefined, { type }: Variable, context: ValueContext): Json => {
  if (value === undefined || value === null) return null
  switch (type) {
    case 'text':
      return toPlainText(value)
    case 'number':
      return readNumber(value, context.language) ?? null
    case 'yesno':
      if (typeof value === 'boolean') return value
      return typeof value === 'string' ? (readYesNo(value, context.language) ?? null) : null
    case 'date':
      return toDay(value, context.timeZone)
    case 'list':
      return (Array.isArray(value) ? value : [value]).slice(0, LIST_ITEMS_MAX).map(toPlainText)
  }
}

/** Scalars as they are written; things by their name. At most SCALAR_MAX UTF-16 units. */
export const toPlainText = (value: Json): string => {
  if (value === null) return ''
  if (Array.isArray(value))
    return startOf(value.slice(0, LIST_ITEMS_MAX).map(toPlainText).join(', '), SCALAR_MAX)
  if (typeof value === 'object') return Object.hasOwn(value, 'name') ? toPlainText(value.name ?? null) : ''
  return startOf(String(value), SCALAR_MAX)
}

/** A variable that isn't declared takes what it is given, within the bounds of the others. */
export const toUndeclared = (value: Json): Json => {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  return Array.isArray(value) ? value.slice(0, LIST_ITEMS_MAX).map(toPlainText) : toPlainText(value)
}

/** As it is stored with a contact and shown to people. */
export const toFieldText = (value: Json, language: string): string =>
  typeof value === 'boolean' ? (value ? yesTitle(language) : noTitle(language)) : toPlainText(value)

const toDay = (value: Json, timeZone: string): Json => {
  if (typeof value === 'string' && readDate(value)) return value
  const at = readMoment(value)
  return at === undefined ? null : formatDate(dateAt(at, timeZone))
}

/** What every variable begins with: its default, or null. */
export const startingVariables = (
  variables: Record<string, Variable>,
  given: Record<string, Json>,
  context: ValueContext,
): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [
      name,
      // A default may be any JSON in the schema; here it becomes what its type says.
      toVariable(
        Object.hasOwn(given, name) ? given[name] : (variable.default as Json | undefined),
        variable,
        context,
      ),
    ]),
  )
