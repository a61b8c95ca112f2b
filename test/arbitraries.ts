// Generates inputs from JSON Schemas: mostly valid ones, and some that are just outside.
import fc from 'fast-check'

export type JsonSchema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  items?: JsonSchema
  maxItems?: number
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  patternProperties?: Record<string, JsonSchema>
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  $ref?: string
}

/** Texts that have broken something before: SQL, LIKE, markup, direction marks, half surrogates, NUL, blanks, emoji. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    "'; drop table messages; --",
    '%_\\',
    '%',
    '\\',
    '<script>alert(1)</script>',
    '\u202egnp.exe',
    '\u200b',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '🧵'.repeat(30),
    'ai',
    'null',
    '-1',
    '1e309',
    'é',
  ),
  fc.integer({ min: 1990, max: 4010 }).map((length) => 'x'.repeat(length)),
)

const fill = (text: string, { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema): string =>
  [...text].slice(0, maxLength).join('').padEnd(minLength, 'x')

/** Values that the schema allows; strings may break rules that it does not state. */
export const valuesOf = (schema: JsonSchema, resolve: (ref: string) => JsonSchema): fc.Arbitrary<unknown> => {
  if (schema.$ref) return valuesOf(resolve(schema.$ref), resolve)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives?.some((one) => one.type || one.$ref))
    return fc.oneof(...alternatives.map((one) => valuesOf(one, resolve)))
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => valuesOf({ ...schema, type }, resolve)))
  switch (schema.type) {
    case 'string':
      if (schema.format === 'email') return fc.emailAddress()
      return nastyText.map((text) => fill(text, schema))
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(schema.items ? valuesOf(schema.items, resolve) : fc.jsonValue(), {
        maxLength: Math.min(schema.maxItems ?? 8, 8),
      })
    case 'object': {
      const known = fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, one]) => [name, valuesOf(one, resolve)]),
        ),
        { requiredKeys: schema.required ?? [] },
      )
      const [pattern] = Object.values(schema.patternProperties ?? {})
      const rest = pattern ?? schema.additionalProperties
      if (!rest || rest === true) return known
      return fc
        .tuple(known, fc.dictionary(nastyText, valuesOf(rest, resolve), { maxKeys: 5 }))
        .map(([a, b]) => ({ ...b, ...a }))
    }
    default:
      return fc.jsonValue()
  }
}

/** JSON close to the schema: valid, with one field replaced or dropped, or something else entirely. */
export const bodiesOf = (schema: JsonSchema, resolve: (ref: string) => JsonSchema): fc.Arbitrary<string> => {
  const values = valuesOf(schema, resolve)
  const names = Object.keys((schema.$ref ? resolve(schema.$ref) : schema).properties ?? { x: {} })
  const mutated = fc
    .tuple(values, fc.constantFrom(...names), fc.oneof(fc.jsonValue(), nastyText, fc.constant(undefined)))
    .map(([value, name, replacement]) => ({ ...(value as object), [name]: replacement }))
  return fc.oneof(
    { weight: 5, arbitrary: values.map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: mutated.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.json() },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        '[]',
        'null',
        '"',
        '{"a":1e999}',
        '{"__proto__":{"x":1}}',
        '1'.repeat(400),
      ),
    },
  )
}
