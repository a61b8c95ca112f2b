// What may not change between two descriptions of the API, as docs/guide/versioning.md promises: a program that works
// with the first one works with the second.

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  [bound: string]: unknown
}

type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema }
type Content = { content?: Record<string, { schema: Schema }> }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content & { $ref?: string; 'x-error-codes'?: string[] }>
}
export type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Bounds that accept less when they fall, and when they rise. */
const UPPER = ['maxLength', 'maximum', 'maxItems', 'maxProperties']
const LOWER = ['minLength', 'minimum', 'minItems', 'minProperties']

type Side = { schema: Schema; of: Description }

/** What is broken, one line each; nothing if the second description only adds to the first. */
export const breaks = (before: Description, after: Description): string[] =>
  Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const now = after.paths[path]?.[method]
      const name = `${method.toUpperCase()} ${path}`
      if (!now) return [`${name} is gone`]
      return [
        ...(now.operationId === old.operationId ? [] : [`${name} has another operationId`]),
        ...inputBreaks(name, { old, now, before, after }),
        ...outputBreaks(name, { old, now, before, after }),
      ]
    }),
  )

type Pair = { old: Operation; now: Operation; before: Description; after: Description }

const inputBreaks = (name: string, { old, now, before, after }: Pair): string[] => {
  const known = own(old)
  const current = own(now)
  const found = known.flatMap((parameter) => {
    const place = `${name} ?${parameter.name}`
    const next = current.find((one) => one.name === parameter.name && one.in === parameter.in)
    if (!next) return [`${place} is gone`]
    return [
      ...(next.required && !parameter.required ? [`${place} is required now`] : []),
      ...narrowed(place, { schema: parameter.schema, of: before }, { schema: next.schema, of: after }),
    ]
  })
  const added = current
    .filter((one) => one.required && !known.some((parameter) => parameter.name === one.name))
    .map((one) => `${name} ?${one.name} is new and required`)
  const oldBody = bodyOf(old)
  const body = bodyOf(now)
  if (body && !oldBody)
    return [...found, ...added, ...(now.requestBody?.required ? [`${name} requires a body now`] : [])]
  if (!oldBody || !body) return [...found, ...added, ...(oldBody ? [`${name} takes no body any more`] : [])]
  return [
    ...found,
    ...added,
    ...narrowed(`${name} body`, { schema: oldBody, of: before }, { schema: body, of: after }),
  ]
}

/** Idempotency-Key is the same everywhere. */
const own = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.filter(({ $ref }) => $ref === undefined)

const bodyOf = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content?.['application/json']?.schema

const outputBreaks = (name: string, { old, now, before, after }: Pair): string[] => {
  const oldSchema = old.responses['200']?.content?.['application/json']?.schema
  const schema = now.responses['200']?.content?.['application/json']?.schema
  const lost = codesOf(old)
    .filter((code) => !codesOf(now).includes(code))
    .map((code) => `${name} has lost or moved ${code}`)
  if (!oldSchema || !schema) return lost
  return [...lost, ...changed(`${name} 200`, { schema: oldSchema, of: before }, { schema, of: after })]
}

/** Each code with its status. */
const codesOf = ({ responses }: Operation): string[] =>
  Object.entries(responses).flatMap(([status, { $ref, 'x-error-codes': codes }]) =>
    (codes ?? [$ref?.split('/').at(-1)]).flatMap((code) => (code ? [`${status} ${code}`] : [])),
  )

const resolve = ({ schema, of }: Side): Schema =>
  schema.$ref ? resolve({ schema: of.components.schemas[schema.$ref.split('/').at(-1)!]!, of }) : schema

const typesOf = (schema: Schema): string[] => {
  const options = schema.anyOf ?? schema.oneOf
  if (options && !schema.properties) return [...new Set(options.flatMap(typesOf))].sort()
  return [schema.type ?? []].flat().sort()
}

/** What a request may not say any more. */
const narrowed = (place: string, before: Side, after: Side, depth = 0): string[] => {
  const old = resolve(before)
  const now = resolve(after)
  if (depth > 8 || !isPlain(old) || !isPlain(now)) return []
  const types = typesOf(now)
  const found =
    types.length === 0
      ? []
      : typesOf(old)
          .filter((type) => !types.includes(type))
          .map((type) => `${place} is no ${type} any more`)
  if (now.enum) {
    const lost = (old.enum ?? ['anything']).filter((value) => !now.enum!.includes(value))
    found.push(...lost.map((value) => `${place} may not be ${value} any more`))
  }
  for (const bound of UPPER)
    if (bounded(now, bound) < bounded(old, bound)) found.push(`${place} has a smaller ${bound}`)
  for (const bound of LOWER)
    if (Number(now[bound] ?? 0) > Number(old[bound] ?? 0)) found.push(`${place} has a larger ${bound}`)
  const isRequired = new Set(now.required ?? [])
  for (const name of isRequired)
    if (!(old.required ?? []).includes(name)) found.push(`${place}.${name} is required now`)
  for (const [name, property] of Object.entries(old.properties ?? {})) {
    const next = now.properties?.[name]
    found.push(
      ...(next
        ? narrowed(
            `${place}.${name}`,
            { schema: property, of: before.of },
            { schema: next, of: after.of },
            depth + 1,
          )
        : [`${place}.${name} is gone`]),
    )
  }
  if (old.items && now.items)
    found.push(
      ...narrowed(
        `${place}[]`,
        { schema: old.items, of: before.of },
        { schema: now.items, of: after.of },
        depth + 1,
      ),
    )
  return found
}

const bounded = (schema: Schema, bound: string): number => Number(schema[bound] ?? Number.POSITIVE_INFINITY)

/** Alternatives are compared by their types only. */
const isPlain = ({ anyOf, oneOf, properties }: Schema): boolean =>
  (!anyOf && !oneOf) || properties !== undefined

/** What a reader of a response can't rely on any more. New values of an enum are announced as possible. */
const changed = (place: string, before: Side, after: Side, depth = 0): string[] => {
  const old = resolve(before)
  const now = resolve(after)
  if (depth > 8) return []
  const known = typesOf(old)
  const found =
    known.length === 0
      ? []
      : typesOf(now)
          .filter((type) => !known.includes(type))
          .map((type) => `${place} may be ${type} now`)
  if (!isPlain(old) || !isPlain(now)) return found
  const isRequired = new Set(old.required ?? [])
  for (const [name, property] of Object.entries(old.properties ?? {})) {
    const next = now.properties?.[name]
    if (!next) found.push(`${place}.${name} is gone`)
    else {
      if (isRequired.has(name) && !(now.required ?? []).includes(name))
        found.push(`${place}.${name} may be missing now`)
      found.push(
        ...changed(
          `${place}.${name}`,
          { schema: property, of: before.of },
          { schema: next, of: after.of },
          depth + 1,
        ),
      )
    }
  }
  if (old.items && now.items)
    found.push(
      ...changed(
        `${place}[]`,
        { schema: old.items, of: before.of },
        { schema: now.items, of: after.of },
        depth + 1,
      ),
    )
  return found
}
