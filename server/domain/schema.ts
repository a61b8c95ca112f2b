// Shapes that several resources share.
import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'
import { CHANNELS } from '../platform/db/tables.ts'

export const Id = Type.String({
  description: 'A time-ordered cuid.',
  examples: ['cmi8q2f5c0000x7h2k9d3m1vb'],
})

/** ISO 8601, UTC, milliseconds. */
export const Moment = Type.String({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'] })

export const MomentOf = (more: { description: string }) =>
  Type.String({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'], ...more })

/** A time in a query string. */
export const QueryTime = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'date-time',
      description: `${description} ISO 8601; write the + of an offset as %2B.`,
      examples: ['2026-11-21T09:30:00.000Z'],
    }),
  )

/** A value that may be null: `type: [<type>, "null"]`, and for objects `anyOf`. */
export const nullable = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const { type, ...rest } = schema as { type?: string }
  return Type.Unsafe<Static<T> | null>(
    type && type !== 'object' ? { ...rest, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] },
  )
}

export const ChannelEnum = Type.Enum([...CHANNELS], {
  title: 'Channel',
  description: 'Where a conversation takes place.',
})
export type ChannelEnum = Static<typeof ChannelEnum>

export const EMAIL_MAX = 254

/** A string from a request: trimmed, then 1 to `maxLength` code points. */
export const Text = (maxLength: number, options: Record<string, unknown> = {}) =>
  Type.String({ trim: true, minLength: 1, maxLength, ...options })

/** The same for what people call something: not only of spaces, zero-width characters and fillers. */
export const Name = (maxLength: number, options: Record<string, unknown> = {}) =>
  Text(maxLength, { visible: true, ...options })

/** An email from a request. */
export const Email = (options: Record<string, unknown> = {}) =>
  Text(EMAIL_MAX, { format: 'email', ...options })
