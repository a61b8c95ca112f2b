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
  allOf?: Schema[]
  pattern?: string
  [bound: string]: unknown
}

type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema }
type Content = { content?: Record<string, { schema: Schema }> }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content & { $ref?: string; 'x-error-codes'?: string[] }>
  /** Each of them suffices. */
  security?: { token?: string[] }[]
}
export type Description = {
  paths: Record<string, Record<string, Operation>>
  /** By type of event. */
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

/** Bounds that accept less when they fall, and when they rise. */
const UPPER = ['maxLength', 'maximum', 'maxItems', 'maxProperties']
const LOWER = ['minLength', 'minimum', 'minItems', 'minProperties']

type Side = { schema: Schema; of: Description }

/** What is broken, one line each; nothing if the second description only adds to the first. */
export const breaks = (before: Description, after: Description): string[] => [
  ...Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, old]) => {
      const now = after.paths[path]?.[method]
      const name = `${method.toUpperCase()} ${path}`
      if (!now) return [`${name} is gone`]
      return [
        ...(now.operationId === old.operationId ? [] : [`${name} has another operationId`]),
        ...scopeBreaks(name, old, now),
        ...inputBreaks(name, { old, now, before, after }),
        ...outputBreaks(name, { old, now, before, after }),
      ]
    }),
  ),
  ...Object.entries(before.webhooks).flatMap(([type, { post }]) => {
    const now = after.webhooks[type]
    if (!now) return [`event ${type} is gone`]
    const old = { schema: bodyOf(post)!, of: before }
    return changed(`event ${type}`, old, { schema: bodyOf(now.post)!, of: after })
  }),
]

/** A token that was enough before is enough. */
const scopeBreaks = (name: string, { security: old = [] }: Operation, now: Operation): string[] =>
  old.every(({ token: given = [] }) =>
    (now.security ?? [{}]).some(({ token = [] }) => token.every((scope) => given.includes(scope))),
  )
    ? []
    : [`${name} needs another scope`]

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

/** As JSON or, for files, a form. */
const bodyOf = ({ requestBody }: Operation): Schema | undefined =>
  Object.values(requestBody?.content ?? {})[0]?.schema

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

const resolve = ({ schema, of }: Side): Schema => {
  if (schema.$ref) return resolve({ schema: of.components.schemas[schema.$ref.split('/').at(-1)!]!, of })
  const parts = (schema.allOf ?? []).map((part) => resolve({ schema: part, of }))
  if (parts.length === 0) return schema
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

const alternativesOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? []

const typesOf = (schema: Schema): string[] => {
  const options = schema.anyOf ?? schema.oneOf
  if (options && !schema.properties) return [...new Set(options.flatMap(typesOf))].sort()
  return [schema.type ?? []].flat().sort()
}

/** What a request may not say any more. */
const narrowed = (place: string, before: Side, after: Side, depth = 0): string[] => {
  const old = resolve(before)
  const now = resolve(after)
  if (depth > 8) return []
  if (!isPlain(old) || !isPlain(now))
    return lostAlternatives(old, now, (one, next) =>
      narrowed(place, { schema: one, of: before.of }, { schema: next, of: after.of }, depth + 1),
    ).map((reason) => `${place} no longer takes what it did: ${reason}`)
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
  if (now.pattern !== undefined && now.pattern !== old.pattern) found.push(`${place} has another pattern`)
  for (const bound of UPPER)
    if (bounded(now, bound) < bounded(old, bound)) found.push(`${place} has a smaller ${bound}`)
  for (const bound of LOWER)
    if (Number(now[bound] ?? 0) > Number(old[bound] ?? 0)) found.push(`${place} has a larger ${bound}`)
  const ways = waysOf(now)
  for (const given of waysOf(old))
    if (!ways.some((needed) => needed.every((name) => given.includes(name))))
      found.push(`${place}.${ways[0]!.find((name) => !given.includes(name))} is required now`)
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

/** What has to be given together; each of them suffices. */
const waysOf = (schema: Schema): string[][] => {
  const options = alternativesOf(schema)
  return (options.length > 0 ? options : [{}]).map(({ required = [] }) => [
    ...(schema.required ?? []),
    ...required,
  ])
}

/** Of those before, what none of today's is as good as, in one word each. */
const lostAlternatives = (
  old: Schema,
  now: Schema,
  compare: (one: Schema, next: Schema) => string[],
): string[] => {
  const options = isPlain(now) ? [now] : alternativesOf(now)
  return (isPlain(old) ? [old] : alternativesOf(old)).flatMap((one) => {
    const found = options.map((next) => compare(one, next))
    return found.some((reasons) => reasons.length === 0) ? [] : [found.flat()[0] ?? 'nothing is left']
  })
}

/** Alternatives that only say which properties are required together are compared as one object. */
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
  if (!isPlain(old) || !isPlain(now))
    return [
      ...found,
      ...lostAlternatives(old, now, (one, next) =>
        changed(place, { schema: one, of: before.of }, { schema: next, of: after.of }, depth + 1),
      ).map((reason) => `${place} has lost an alternative: ${reason}`),
    ]
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
