// Shapes shared by several inputs.
import Type from 'typebox'

/** An object with exactly these properties. */
export const closed = <P extends Type.TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })
export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
/** Optional and nullable. */
export const absent = <T extends Type.TSchema>(schema: T) => Type.Optional(nullable(schema))

export const Address = nullable(Type.String())
export const PhoneNumber = Type.String({ pattern: '^\\+?[\\d\\s().-]{7,25}$' })
/** A file in base64, with its name and type. */
export const FileFields = {
  data: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String({ pattern: '^[a-z]+/[^\\s]+' })),
  fileName: Type.Optional(Type.String({ maxLength: 255 })),
}
