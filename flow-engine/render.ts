// Texts with `{{path|filter|fallback}}`. What is put in is plain text and is never read as a template again, so a
// customer whose name is `{{contact.email}}` keeps that name.
import { DAY_MS } from './duration.ts'
import { cutText } from './fold-text.ts'
import { toLocale } from './language.ts'
import { isEmptyValue, type Json, readPath, type Scope } from './paths.ts'
import { readMoment, readNumber } from './read-values.ts'
import { PATH_PATTERN, REPLY_PATH_PATTERN } from './shapes.ts'
import { isTimeZone, toWallTime } from './zone-time.ts'

export const FILTERS = ['date', 'time', 'day', 'upper', 'first', 'number'] as const
export type Filter = (typeof FILTERS)[number]
const FILTERS_MAX = 6

export type Insertion = { path: string; filters: Filter[]; fallback: string; problem?: string }

/** What a template may name: a flow's values, or those of a saved reply. */
const PATHS = { flow: new RegExp(PATH_PATTERN, 'u'), reply: new RegExp(REPLY_PATH_PATTERN, 'u') }
export type TemplateKind = keyof typeof PATHS

export type RenderContext = {
  scope: Scope
  language: string
  timeZone: string
  now: number
  /** By default, of a flow. */
  kind?: TemplateKind
}

/** The text with its values put in, at most `max` UTF-16 units. A value that is missing becomes its fallback, or nothing. */
export const renderText = (text: string, context: RenderContext, max: number): string => {
  let result = ''
  for (const part of parseTemplate(text, context.kind)) {
    result += typeof part === 'string' ? part : renderInsertion(part, context)
    if (result.length > max) break
  }
  return cutText(result, max)
}

/** The plain parts and insertions of a text, in order. Braces that don't close are plain. */
export const parseTemplate = (text: string, kind: TemplateKind = 'flow'): (string | Insertion)[] => {
  const parts: (string | Insertion)[] = []
  let at = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open + 2)
    if (close < 0) break
    if (open > at) parts.push(text.slice(at, open))
    parts.push(parseInsertion(text.slice(open + 2, close), PATHS[kind]))
    at = close + 2
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}

const parseInsertion = (inner: string, paths: RegExp): Insertion => {
  const [path = '', ...rest] = inner.split('|')
  const names = rest.map((part) => part.trim())
  const end = names.findIndex((name) => !isFilter(name))
  const filters = (end < 0 ? names : names.slice(0, end)).filter(isFilter)
  const insertion: Insertion = {
    path: path.trim(),
    filters: filters.slice(0, FILTERS_MAX),
    fallback: end < 0 ? '' : rest.slice(end).join('|'),
  }
  if (!paths.test(insertion.path)) insertion.problem = `“${cutText(insertion.path, 60)}” is not a known value`
  else if (filters.length > FILTERS_MAX) insertion.problem = `More than ${FILTERS_MAX} filters in a row`
  return insertion
}

const isFilter = (name: string): name is Filter => FILTERS.some((filter) => filter === name)

const renderInsertion = ({ path, filters, fallback, problem }: Insertion, context: RenderContext): string => {
  const value = problem ? undefined : readPath(context.scope, path)
  if (isEmptyValue(value)) return fallback
  const filtered = filters.reduce<Json | undefined>((one, filter) => applyFilter(one, filter, context), value)
  const text = toText(filtered)
  return text.trim() === '' ? fallback : text
}

const CONTROL = /[\p{Cc}\u2028\u2029]/gu

/** A list is its items, a thing its name. Control characters other than line breaks are left out. */
const toText = (value: Json | undefined): string => {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(toText).filter(Boolean).join(', ')
  if (typeof value === 'object') return Object.hasOwn(value, 'name') ? toText(value.name) : ''
  return String(value).replace(CONTROL, (character) => (character === '\n' ? '\n' : ''))
}

/** A filter that doesn't fit the value leaves it as it is. */
const applyFilter = (value: Json | undefined, filter: Filter, context: RenderContext): Json | undefined => {
  const locale = toLocale(context.language)
  switch (filter) {
    case 'upper':
      return toText(value).toLocaleUpperCase(locale)
    case 'first':
      return toText(Array.isArray(value) ? value[0] : value)
        .trim()
        .split(/\s+/u, 1)[0]
    case 'number': {
      const number = readNumber(value)
      return number === undefined ? value : new Intl.NumberFormat(locale).format(number)
    }
    default: {
      const at = readMoment(value)
      return at === undefined ? value : formatMoment(at, filter, isDateOnly(value), context)
    }
  }
}

const isDateOnly = (value: Json | undefined): boolean => typeof value === 'string' && value.length === 10

const formatMoment = (
  at: number,
  filter: 'date' | 'time' | 'day',
  isWholeDay: boolean,
  { language, timeZone, now }: RenderContext,
): string => {
  const locale = toLocale(language)
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC'
  const options = { timeZone: isWholeDay ? 'UTC' : zone, calendar: 'gregory' }
  const format = (shape: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, ...shape }).format(at)
  if (filter === 'date') return format({ dateStyle: 'medium' })
  if (filter === 'time') return format({ timeStyle: 'short' })
  const dayNumber = (wall: number) => Math.floor(wall / DAY_MS)
  const days = dayNumber(isWholeDay ? at : toWallTime(at, zone)) - dayNumber(toWallTime(now, zone))
  if (days === 0 || days === 1)
    return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
  const isNear = days > 1 && days < 7
  return format(isNear ? { weekday: 'long' } : { weekday: 'long', day: 'numeric', month: 'long' })
}
