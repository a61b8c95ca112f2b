// A channel's fields as its form shows them.
import type { ChannelField } from '../../../channels/definition.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { Channel } from '../../state/types.ts'

export type FormField = Omit<ChannelField, 'type' | 'isOptional'> & {
  name: string
  /** Secrets are write-only; `lines` is a list with one entry per line. */
  kind: 'text' | 'secret' | 'lines' | 'choice'
  isOptional: boolean
  /** Of a choice: what it means if nothing is chosen. */
  unset?: string
}

const kindOf = ({ in: place, type }: ChannelField): FormField['kind'] => {
  if (place === 'secrets') return 'secret'
  if (type === 'origins') return 'lines'
  return type === 'flag' ? 'choice' : 'text'
}

const fieldsOf = (channel: Channel): FormField[] =>
  Object.entries(DEFINITIONS[channel].fields).map(([name, field]) => ({
    ...field,
    name,
    kind: kindOf(field),
    isOptional: field.isOptional === true || field.group !== undefined,
  }))

type Part = { title: string; about?: string; fields: FormField[] }

/** A form's fields, and the rarely used ones in collapsed sections. */
export const formOf = (channel: Channel): { fields: FormField[]; parts: Part[] } => {
  const fields: FormField[] = []
  const parts: Part[] = []
  for (const field of fieldsOf(channel)) {
    const { part } = field
    const known = part && parts.find(({ title }) => title === part.title)
    if (known) known.fields.push(field)
    else if (part) parts.push({ ...part, fields: [field] })
    else fields.push(field)
  }
  return { fields, parts }
}

type Values = Record<string, string>
type Changes = Record<string, string | string[] | null>

const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The values to send. Secrets that are kept are not in the form and not sent. */
export const changesOf = (channel: Channel, values: Values, { isNew }: { isNew: boolean }): Changes => {
  const changes: Changes = {}
  for (const { name, kind, isOptional } of fieldsOf(channel)) {
    if (values[`${name}:remove`]) changes[name] = null
    const value = values[name]?.trim()
    if (value === undefined) continue
    if (kind === 'lines') changes[name] = linesOf(value)
    else if (value !== '' || !isOptional) changes[name] = value
    // An optional secret stays if its replacement was left empty.
    else if (!isNew && kind !== 'secret') changes[name] = null
  }
  return changes
}
