// Reads the fields of a channel account as its channel's definition describes them.
import type { ChannelField } from '../../../channels/definition.ts'
import { type ChannelSecrets, type ChannelSettings, DEFINITIONS } from '../../../channels/definitions.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { type FieldReader, type Fields, makeFieldReader } from '../read-fields.ts'
import { ACCOUNT_NAME_MAX, ALLOWED_ORIGINS_MAX, SECRET_MAX, URL_MAX } from './schema.ts'

const EXTERNAL_ID_MAX = 200
const HOST_NAME_MAX = 255
const TEXT_MAX = {
  name: ACCOUNT_NAME_MAX,
  address: EXTERNAL_ID_MAX,
  settings: EXTERNAL_ID_MAX,
  secrets: SECRET_MAX,
} as const

export type Account<C extends ChannelName = ChannelName> = {
  name: string
  address: string | null
  settings: ChannelSettings[C]
  secrets: ChannelSecrets[C]
}

/** Reads an account's fields. Throws VALIDATION_ERROR naming every invalid field. */
export const readChannelAccount = <C extends ChannelName>(channel: C, given: Fields): Account<C> => {
  const { fields, nameOf } = DEFINITIONS[channel]
  const reader = makeFieldReader(given)
  const settings: Record<string, unknown> = {}
  const secrets: Record<string, unknown> = {}
  let name: string | undefined
  let address: string | null = null
  for (const [fieldName, field] of Object.entries(fields)) {
    const as = nameIn(given, fieldName, field)
    const isLeftOut = given[as] === undefined && mayLack(reader, fields, field)
    const value = isLeftOut ? field.default : readField(reader, as, field, given[as])
    if (value === undefined) continue
    if (field.in === 'settings') settings[fieldName] = value
    else if (field.in === 'secrets') secrets[fieldName] = value
    else if (field.in === 'name') name = String(value)
    if (field.in === 'address' || field.isAddress) address = String(value)
  }
  reader.finish()
  return {
    name: name ?? nameOf(address ?? ''),
    address,
    // The two types are derived from the definition's own fields, which were just read.
    settings: settings as ChannelSettings[C],
    secrets: secrets as ChannelSecrets[C],
  }
}

/** The command line repeats a list's flag for each item; the console sends them together. */
const nameIn = (given: Fields, name: string, { singular }: ChannelField): string =>
  given[name] === undefined && singular ? singular : name

const mayLack = (
  reader: FieldReader,
  fields: Record<string, ChannelField>,
  { isOptional, group }: ChannelField,
): boolean => {
  if (isOptional) return true
  const together = Object.keys(fields).filter((name) => fields[name]!.group === group)
  return group !== undefined && !reader.isGiven(...together)
}

const readField = (
  reader: FieldReader,
  name: string,
  field: ChannelField,
  given: Fields[string],
): string | number | boolean | string[] => {
  switch (field.type) {
    case 'text':
      return reader.text(name, TEXT_MAX[field.in])
    case 'phone':
      return reader.phone(name)
    case 'email':
      return reader.email(name)
    case 'hostName':
      return hostNameOf(reader, name)
    case 'flag':
      return reader.flag(name)
    case 'integer':
      return reader.integer(name, field.min, field.max)
    case 'url':
      return reader.url(name, URL_MAX, 'https:', 'http:')
    case 'apiUrl':
      return reader.url(name, URL_MAX, 'https:', 'http:').replace(/(?<!\/)\/+$/, '')
    case 'mailServer':
      return mailServerOf(reader, name, ...field.protocols)
    case 'origins':
      return originsOf(reader, name, given)
  }
}

/** Options after a question mark would have no effect, so reject them rather than let anyone rely on one. */
const mailServerOf = (reader: FieldReader, field: string, ...protocols: string[]): string => {
  const address = reader.url(field, URL_MAX, ...protocols)
  return URL.canParse(address) && new URL(address).search !== ''
    ? reader.refuse(field, 'must not have a query string')
    : address
}

const hostNameOf = (reader: FieldReader, field: string): string => {
  const name = reader.text(field, HOST_NAME_MAX).toLowerCase()
  return /^[a-z0-9._-]+$/.test(name) ? name : reader.refuse(field, 'must be a host name')
}

/** Each site as a browser writes it in the Origin header. */
const originsOf = (reader: FieldReader, field: string, given: Fields[string]): string[] => {
  const origins = [given ?? []].flat().map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null
    const isOrigin =
      url &&
      /^https?:$/.test(url.protocol) &&
      url.pathname === '/' &&
      !url.search &&
      !url.hash &&
      !url.username &&
      !url.password
    return isOrigin
      ? url.origin
      : reader.refuse(field, 'must be an origin without a path, e.g. https://www.example.com')
  })
  if (origins.length > ALLOWED_ORIGINS_MAX)
    reader.refuse(field, `may be given at most ${ALLOWED_ORIGINS_MAX} times`)
  return [...new Set(origins)]
}
