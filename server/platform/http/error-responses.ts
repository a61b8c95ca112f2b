// The errors a route declares, as response schemas by status: for the OpenAPI document and for the tests, which check
// every response against them.
import Type, { type TSchema } from 'typebox'
import { ERRORS, type ErrorCode } from '../errors.ts'

const Detail = Type.Object(
  {
    field: Type.String({ description: 'The field, as named in the request.' }),
    message: Type.String({ description: 'What is wrong with it.' }),
  },
  { title: 'ErrorDetail' },
)

const describeErrors = (codes: ErrorCode[]): TSchema =>
  Type.Object(
    {
      error: Type.Object({
        code: Type.Enum(codes),
        message: Type.String(),
        details: Type.Optional(Type.Array(Detail)),
      }),
    },
    {
      // The description is Markdown, which would read <this> as a tag.
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code][1].replaceAll('<', '\\<')}`).join('\n\n'),
      examples: codes.slice(0, 1).map((code) => ({
        error: {
          code,
          message: ERRORS[code][1],
          ...(code === 'VALIDATION_ERROR' && {
            details: [{ field: 'name', message: 'must not be empty' }],
          }),
        },
      })),
    },
  )

/** By their codes: hundreds of routes declare the same few, and making each anew was a sixth of building the application. */
const described = new Map<string, TSchema>()

const schemaOf = (codes: ErrorCode[]): TSchema => {
  const key = codes.join(' ')
  const schema = described.get(key) ?? describeErrors(codes)
  described.set(key, schema)
  return schema
}

/** Response schemas for the error codes, one per status. */
export const errors = (...codes: ErrorCode[]): Record<number, TSchema> => {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code][0])
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, schemaOf(codes)]))
}

/** What any rate-limited route can return, beyond its own errors and those of authentication. */
export const commonErrors = (takesInput: boolean, takesBody: boolean): ErrorCode[] => [
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'WORKSPACE_MOVED',
  ...(takesInput ? (['VALIDATION_ERROR'] as const) : []),
  ...(takesBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
]
