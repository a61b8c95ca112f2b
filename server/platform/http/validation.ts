// Validates requests against their schemas: one Ajv for JSON values (bodies), one that coerces text (path and query).
// A request's errors are listed up to a limit, each named as the caller wrote it.
import {
  _,
  Ajv,
  type AnySchemaObject,
  type CodeKeywordDefinition,
  type ErrorObject,
  type ValidateFunction,
} from 'ajv'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { isBlank } from '../../../flow-engine/fold-text.ts'
import { ID_PATTERN } from '../db/id.ts'
import { ApiError } from '../errors.ts'
import { unstorableStrings } from './unstorable-text.ts'
import { toDetails } from './validation-details.ts'

/** Nobody reads more than these, and each costs time. */
const DETAILS_MAX = 100

/** Ajv's name for the kind of an index; its constant is not exported. */
const INDEX = 0

/**
 * Ajv's own `items` checks every item, however many are surplus or wrong. This one checks none if the list is too
 * long, which maxItems reports, and stops after enough errors.
 */
const boundedItems: CodeKeywordDefinition = {
  keyword: 'items',
  type: 'array',
  schemaType: ['object', 'boolean'],
  before: 'uniqueItems',
  code(cxt) {
    const { gen, data, keyword, parentSchema, it } = cxt
    it.items = true
    const areValid = gen.let('areValid', true)
    const isValid = gen.name('isValid')
    const length = gen.const('length', _`${data}.length`)
    // Only errors added by this loop count: another shape tried before may have left its own.
    const before = gen.const('before', _`errors`)
    gen.if(_`${length} <= ${parentSchema.maxItems ?? Number.MAX_SAFE_INTEGER}`, () =>
      gen.forRange('index', 0, length, (index) => {
        cxt.subschema({ keyword, dataProp: index, dataPropType: INDEX }, isValid)
        gen.if(_`!${isValid}`, () => gen.assign(areValid, false))
        gen.if(_`errors - ${before} >= ${DETAILS_MAX}`, () => gen.break())
      }),
    )
    cxt.ok(areValid)
  },
}

/** Date.parse would take February 30 for March 2. */
const isMoment = (text: string): boolean => {
  const [, date] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d/.exec(text) ?? []
  if (date === undefined || Number.isNaN(Date.parse(text))) return false
  const midnight = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
}

const makeAjv = (coerceTypes: boolean): Ajv => {
  const ajv = new Ajv({
    allErrors: true,
    // Makes errors carry the keyword's own value, which toDetails reads.
    verbose: true,
    coerceTypes,
    useDefaults: true,
    strict: false,
    // 1e400 is parsed as Infinity, which can't be stored or returned.
    strictNumbers: true,
    allowUnionTypes: true,
    // Of several shapes, only the one selected by the property is checked.
    discriminator: true,
  })
  ajv.removeKeyword('items')
  ajv.addKeyword(boundedItems)
  // For lists of strings, the only ones with this keyword. Lists that are too long are not compared.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    validate: (isOn: boolean, items: unknown[], parentSchema?: AnySchemaObject) =>
      !isOn ||
      items.length > (parentSchema?.maxItems ?? items.length) ||
      new Set(items).size === items.length,
    error: { message: 'must not contain duplicates' },
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
    keyword: 'visible',
    type: 'string',
    validate: (isOn: boolean, text: string) => !isOn || !isBlank(text),
    error: { message: 'needs a visible character' },
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
  // One "@" between two parts without spaces, and a dot in the domain: the minimum that every mail server checks.
  ajv.addFormat('email', /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\.]+(\.[^\s@<>(),;:"[\]\\.]+)+$/u)
  ajv.addFormat('date-time', isMoment)
  return ajv
}

const fromJson = makeAjv(false)
const fromText = makeAjv(true)

/**
 * `limit=1e309` is read as Infinity, for which Ajv skips the bounds. As the largest number it is checked against
 * them.
 */
const withinNumbers = (value: Record<string, unknown>): boolean => {
  let isChanged = false
  for (const [name, item] of Object.entries(value))
    if (typeof item === 'number' && !Number.isFinite(item)) {
      value[name] = Math.sign(item) * Number.MAX_SAFE_INTEGER
      isChanged = true
    }
  return isChanged
}

/** Operations take a query whole, and what a route doesn't declare was not checked. */
const declaredOf = (schema: { properties?: object; patternProperties?: object }, value: unknown): unknown =>
  schema.properties && !schema.patternProperties && typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([name]) => Object.hasOwn(schema.properties!, name)))
    : value

const compiled = new WeakMap<object, ValidateFunction>()

const validator = (ajv: Ajv, schema: object): ValidateFunction => {
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile(schema)
    compiled.set(schema, validate)
  }
  return validate
}

/** A schema is compiled when first needed: compiling all of them took a third of the start time. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const ajv = httpPart === 'body' ? fromJson : fromText
  return (value: unknown) => {
    const validate = validator(ajv, schema as object)
    const unstorable = httpPart === 'params' ? [] : unstorableStrings(value, DETAILS_MAX)
    let isValid = validate(value)
    if (httpPart !== 'body' && withinNumbers((value ?? {}) as Record<string, unknown>))
      isValid = validate(value)
    const misshapen = isValid ? [] : (validate.errors ?? [])
    // Otherwise the errors would be kept until the next request, which may never come.
    validate.errors = null
    const named = new Set(unstorable.map(({ field }) => field))
    const others = toDetails(misshapen, DETAILS_MAX).filter(({ field }) => !named.has(field))
    const details = [...unstorable, ...others].slice(0, DETAILS_MAX)
    if (details.length === 0) return { value: httpPart === 'querystring' ? declaredOf(schema, value) : value }
    const message = summary(misshapen, details.length)
    return { error: new ApiError('VALIDATION_ERROR', { ...(message && { message }), details }) }
  }
}

const summary = (errors: readonly ErrorObject[], detailCount: number): string | undefined => {
  // Two mutually exclusive fields fail together: the message says it once, for people who don't read details.
  const error = errors.find(({ keyword }) => keyword === 'exactlyOneOf')
  if (error) return `Exactly one of ${(error.schema as string[]).join(' and ')} is required. See details.`
  return detailCount < DETAILS_MAX
    ? undefined
    : `The request is invalid. See details for the first ${DETAILS_MAX} problems.`
}

/** Never matches an id. */
const NO_ID = '-'

/** A malformed id in a path can't exist; it is replaced by one that matches no row. */
export const blankForeignIds = (request: FastifyRequest): void => {
  const params = request.params as Record<string, string>
  for (const [name, value] of Object.entries(params))
    if (name.endsWith('Id') && !ID_PATTERN.test(value) && value !== 'ai') params[name] = NO_ID
}
