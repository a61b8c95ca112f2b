// Checks requests against their schemas: one Ajv that takes JSON as it is (bodies), one that reads text (path and
// query). Every failure of a request is listed, each named as the caller wrote it.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { ID_PATTERN } from '../db/id.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'

/** Where a body as a whole is wrong, there is no field to name. */
const WHOLE_BODY = '(body)'

const makeAjv = (coerceTypes: boolean): Ajv => {
  const ajv = new Ajv({
    allErrors: true,
    // An error then carries the keyword's own value, which toDetails reads.
    verbose: true,
    coerceTypes,
    useDefaults: true,
    strict: false,
    // 1e400 arrives as infinite, which is no number that could be stored or answered.
    strictNumbers: true,
    allowUnionTypes: true,
    // Of several shapes, only the one that the property names is tried.
    discriminator: true,
  })
  ajv.addKeyword({
    keyword: 'trim',
    type: 'string',
    before: 'maxLength',
    modifying: true,
    validate: (
      _: unknown,
      text: string,
      __: unknown,
      at?: { parentData: Record<string, unknown>; parentDataProperty: string | number },
    ) => {
      if (at) at.parentData[at.parentDataProperty] = text.trim()
      return true
    },
  })
  ajv.addKeyword({
    keyword: 'atLeastOneOf',
    type: 'object',
    validate: (fields: string[], value: object) => fields.some((field) => field in value),
  })
  ajv.addKeyword({
    keyword: 'exactlyOneOf',
    type: 'object',
    validate: (fields: string[], value: object) => fields.filter((field) => field in value).length === 1,
  })
  // One "@" between two parts without spaces, and a dot in the domain: what every mail server would at least look at.
  ajv.addFormat('email', /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\.]+(\.[^\s@<>(),;:"[\]\\.]+)+$/u)
  ajv.addFormat(
    'date-time',
    (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
  )
  return ajv
}

const fromJson = makeAjv(false)
const fromText = makeAjv(true)

/** `/audience/recipients/12/phone` → `audience.recipients[12].phone` */
const fieldName = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) && path ? `${path}[${part}]` : path ? `${path}.${part}` : part),
      '',
    )

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const says = (error: ErrorObject): string => {
  const { params } = error
  switch (error.keyword) {
    case 'type': {
      const types = [params.type]
        .flat()
        .map((type: string) =>
          /^[aeiou]/.test(type) ? `an ${type}` : type === 'null' ? 'null' : `a ${type}`,
        )
      return `must be ${types.length > 1 ? `${types.slice(0, -1).join(', ')} or ${types.at(-1)}` : types[0]}`
    }
    case 'minLength':
      return params.limit === 1
        ? 'must not be empty'
        : `must have at least ${plural(params.limit, 'character')}`
    case 'maxLength':
      return `must have at most ${plural(params.limit, 'character')}`
    case 'minItems':
      return `must have at least ${plural(params.limit, 'item')}`
    case 'maxItems':
      return `must have at most ${plural(params.limit, 'item')}`
    case 'maxProperties':
      return `must have at most ${plural(params.limit, 'key')}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'enum':
      return `must be one of: ${params.allowedValues.join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'format':
      return params.format === 'email' ? 'must be an email address' : `must be a valid ${params.format}`
    case 'pattern':
      return String(error.parentSchema?.patternSays ?? 'has the wrong form')
    case 'not':
      return String(error.parentSchema?.notSays ?? 'is not allowed here')
    default:
      return error.message ?? 'is not valid'
  }
}

const toDetails = (errors: ErrorObject[]): ErrorDetail[] => {
  const details = errors.flatMap((error): ErrorDetail[] => {
    const at = fieldName(error.instancePath)
    const child = (name: string) => (at ? `${at}.${name}` : name)
    const fields = error.schema as string[]
    switch (error.keyword) {
      case 'required':
        return [{ field: child(error.params.missingProperty), message: 'is required' }]
      case 'atLeastOneOf':
        return fields.map((name) => ({
          field: child(name),
          message: `at least one of ${fields.join(', ')} is required`,
        }))
      case 'exactlyOneOf':
        return fields.map((name) => ({
          field: child(name),
          message: `exactly one of ${fields.join(', ')} is required`,
        }))
      case 'propertyNames':
        return [{ field: child(error.params.propertyName), message: 'has a key of the wrong length' }]
      case 'discriminator': {
        const shapes: { properties: Record<string, { const: string }> }[] = error.parentSchema?.oneOf ?? []
        const { tag } = error.params
        const allowed = shapes.map(({ properties }) => properties[tag]?.const).join(', ')
        return [{ field: child(tag), message: `must be one of: ${allowed}` }]
      }
      case 'if':
        return []
      default:
        // The name of a property is judged as a value of its own; the propertyNames row above speaks for it.
        if (error.propertyName !== undefined) return []
        return [{ field: at || WHOLE_BODY, message: says(error) }]
    }
  })
  const seen = new Set<string>()
  return details.filter(({ field, message }) => {
    const key = `${field}\n${message}`
    return seen.has(key) ? false : seen.add(key)
  })
}

/** Text that PostgreSQL cannot hold or JSON cannot carry: U+0000 and half of a surrogate pair. */
const unstorableStrings = (root: unknown): ErrorDetail[] => {
  const details: ErrorDetail[] = []
  const rest: { value: unknown; pointer: string }[] = [{ value: root, pointer: '' }]
  const check = (text: string, pointer: string) => {
    if (text.includes('\0'))
      details.push({
        field: fieldName(pointer) || WHOLE_BODY,
        message: 'must not contain the character U+0000',
      })
    else if (!text.isWellFormed())
      details.push({
        field: fieldName(pointer) || WHOLE_BODY,
        message: 'must not contain half of a surrogate pair',
      })
  }
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, pointer } = next
    if (typeof value === 'string') check(value, pointer)
    else if (Array.isArray(value))
      for (const [index, item] of value.entries()) rest.push({ value: item, pointer: `${pointer}/${index}` })
    else if (value && typeof value === 'object')
      for (const [key, item] of Object.entries(value)) {
        check(key, `${pointer}/${key.replaceAll('\0', '').toWellFormed()}`)
        rest.push({ value: item, pointer: `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` })
      }
  }
  return details
}

/** `limit=1e309` is read as Infinity, for which Ajv leaves out the bounds. As the largest number it meets them. */
const withinNumbers = (value: Record<string, unknown>): boolean => {
  let isChanged = false
  for (const [name, item] of Object.entries(value))
    if (typeof item === 'number' && !Number.isFinite(item)) {
      value[name] = Math.sign(item) * Number.MAX_SAFE_INTEGER
      isChanged = true
    }
  return isChanged
}

const compiled = new WeakMap<object, ValidateFunction>()

const validator = (ajv: Ajv, schema: object): ValidateFunction => {
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile(schema)
    compiled.set(schema, validate)
  }
  return validate
}

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validate = validator(httpPart === 'body' ? fromJson : fromText, schema as object)
  return (value: unknown) => {
    const unstorable = httpPart === 'params' ? [] : unstorableStrings(value)
    let isValid = validate(value)
    if (httpPart !== 'body' && withinNumbers((value ?? {}) as Record<string, unknown>))
      isValid = validate(value)
    const misshapen = isValid ? [] : (validate.errors ?? [])
    const named = new Set(unstorable.map(({ field }) => field))
    const details = [...unstorable, ...toDetails(misshapen).filter(({ field }) => !named.has(field))]
    if (details.length === 0) return { value }
    return { error: new ApiError('VALIDATION_ERROR', { ...summary(misshapen), details }) }
  }
}

/** Two fields that exclude each other fail together: what is wrong is said once, for those who read no details. */
const summary = (errors: ErrorObject[]): { message?: string } => {
  const error = errors.find(({ keyword }) => keyword === 'exactlyOneOf')
  if (!error) return {}
  return { message: `Exactly one of ${(error.schema as string[]).join(' and ')} is required: see details.` }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** A request's JSON body, its bytes kept for http/idempotency.ts. An empty one is no body. */
export const parseJson = (request: FastifyRequest, body: Buffer): unknown => {
  request.rawBody = body
  if (body.length === 0) return undefined
  try {
    return JSON.parse(decoder.decode(body))
  } catch {
    throw new ApiError('VALIDATION_ERROR', {
      details: [{ field: WHOLE_BODY, message: 'must be JSON in UTF-8' }],
    })
  }
}

/** Names nothing, and is never an id. */
const NO_ID = '-'

/** An id in a path that has another shape than ours does not exist; it goes on as one that matches no row. */
export const blankForeignIds = (request: FastifyRequest): void => {
  const params = request.params as Record<string, string>
  for (const [name, value] of Object.entries(params))
    if (!ID_PATTERN.test(value) && value !== 'ai') params[name] = NO_ID
}
