// Validates the fields of an operation that no request schema has checked, and reports all errors together.
import { isBlank } from '../../flow-engine/fold-text.ts'
import { type ErrorDetail, invalid } from '../platform/errors.ts'
import { EMAIL_MAX } from './schema.ts'

/** E.164. Not checked against the numbering plans, which do not include the providers' own test numbers. */
const PHONE_PATTERN = /^\+[1-9]\d{6,14}$/
export const EMAIL_PATTERN = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\.]+(\.[^\s@<>(),;:"[\]\\.]+)+$/u

export type Fields = Record<string, string | string[] | undefined>

export const makeFieldReader = (fields: Fields) => {
  const problems: ErrorDetail[] = []
  const refuse = (field: string, message: string): string => {
    problems.push({ field, message })
    return ''
  }

  /** A required text of 1 to `max` characters. */
  const text = (field: string, max: number): string => {
    const given = fields[field]
    if (given === undefined) return refuse(field, 'is required')
    if (typeof given !== 'string') return refuse(field, 'must be given only once')
    const value = given.trim()
    if (value === '') return refuse(field, 'must not be empty')
    if (isBlank(value)) return refuse(field, 'needs a visible character')
    if ([...value].length > max) return refuse(field, `must have at most ${max} characters`)
    if (value.includes('\0') || !value.isWellFormed())
      return refuse(field, 'contains characters that cannot be stored')
    return value
  }

  const optional = <T>(field: string, read: () => T): T | undefined =>
    fields[field] === undefined ? undefined : read()

  const isGiven = (...names: string[]): boolean => names.some((name) => fields[name] !== undefined)

  const phone = (field: string): string => {
    const value = text(field, 40).replace(/[\s().-]/g, '')
    if (value !== '' && !PHONE_PATTERN.test(value))
      return refuse(field, 'must be a phone number in E.164 format, such as +14155550123')
    return value
  }

  const email = (field: string): string => {
    const value = text(field, EMAIL_MAX).toLowerCase()
    return value === '' || EMAIL_PATTERN.test(value) ? value : refuse(field, 'must be an email address')
  }

  const url = (field: string, max: number, ...protocols: string[]): string => {
    const value = text(field, max)
    if (value === '') return value
    const parsed = URL.canParse(value) ? new URL(value) : null
    if (!parsed || !protocols.includes(parsed.protocol) || parsed.hostname === '')
      return refuse(field, `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    // Mail server URLs contain their password and are kept as secrets; these are shown.
    const isShown = parsed.protocol === 'https:' || parsed.protocol === 'http:'
    if (isShown && (parsed.username || parsed.password))
      return refuse(field, 'must not contain a user name or password')
    return value
  }

  const integer = (field: string, min: number, max: number): number => {
    const value = text(field, 20)
    if (value !== '' && (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max))
      refuse(field, `must be a whole number from ${min} to ${max}`)
    return Number(value)
  }

  const flag = (field: string): boolean => {
    const value = text(field, 5)
    if (value !== '' && value !== 'true' && value !== 'false') refuse(field, 'must be true or false')
    return value === 'true'
  }

  return {
    text,
    optional,
    /** Whether any of the fields is given. */
    isGiven,
    phone,
    email,
    url,
    integer,
    flag,
    refuse,
    /** Throws VALIDATION_ERROR naming every rejected field. */
    finish: (): void => {
      if (problems.length > 0) throw invalid(...problems)
    },
  }
}

export type FieldReader = ReturnType<typeof makeFieldReader>
