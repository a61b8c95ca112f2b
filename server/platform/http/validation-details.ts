// Turns Ajv's errors into the details shown to the caller.
import type { ErrorObject } from 'ajv'
import type { ErrorDetail } from '../errors.ts'
import { fieldOf, keysOf } from './field-path.ts'

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const mustBe = (types: readonly string[]): string => {
  const names = types.map((type) =>
    /^[aeiou]/.test(type) ? `an ${type}` : type === 'null' ? 'null' : `a ${type}`,
  )
  return `must be ${names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names[0]}`
}

const says = (error: ErrorObject): string => {
  const { params } = error
  switch (error.keyword) {
    case 'type':
      return mustBe([params.type].flat())
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
      return String(error.parentSchema?.patternSays ?? 'has the wrong format')
    case 'not':
      return String(error.parentSchema?.notSays ?? 'is not allowed here')
    default:
      return error.message ?? 'is not valid'
  }
}

const UNKNOWN_NAMED_MAX = 3
const UNKNOWN_NAME_MAX = 64

/** An object's unknown properties where required ones are missing: a misspelt name is one mistake, not two. */
const unknownOf = ({ data, parentSchema }: ErrorObject): string => {
  const { properties, additionalProperties, patternProperties } = parentSchema ?? {}
  if (!properties || additionalProperties !== undefined || patternProperties !== undefined) return ''
  const unknown: string[] = []
  // Not Object.keys: an object may have a million keys.
  for (const name in data as object) {
    if (Object.hasOwn(properties, name)) continue
    unknown.push(JSON.stringify([...name.slice(0, 2 * UNKNOWN_NAME_MAX)].slice(0, UNKNOWN_NAME_MAX).join('')))
    if (unknown.length === UNKNOWN_NAMED_MAX) break
  }
  return unknown.length === 0 ? '' : ` (unknown fields sent: ${unknown.join(', ')})`
}

const detailsOf = (error: ErrorObject): ErrorDetail[] => {
  const keys = keysOf(error.instancePath)
  const child = (name: string) => fieldOf([...keys, name])
  const fields = error.schema as string[]
  switch (error.keyword) {
    case 'required':
      return [{ field: child(error.params.missingProperty), message: `is required${unknownOf(error)}` }]
    case 'atLeastOneOf':
      return fields.map((name) => ({
        field: child(name),
        message: `at least one of ${fields.join(', ')} is required${unknownOf(error)}`,
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
      // A property name is validated as a separate value; the propertyNames row above reports it.
      if (error.propertyName !== undefined) return []
      return [{ field: fieldOf(keys), message: says(error) }]
  }
}

/**
 * A value of several types is wrong in each of them. If it is of one, only that one says what is wrong; otherwise they
 * are one error. More than `max` are not shown.
 */
const withChoices = (errors: readonly ErrorObject[], max: number): readonly ErrorObject[] =>
  errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .slice(0, max)
    .reduce((left, choice) => {
      const isOption = ({ keyword, schemaPath, instancePath }: ErrorObject) =>
        keyword === 'type' &&
        instancePath === choice.instancePath &&
        schemaPath.startsWith(`${choice.schemaPath}/`)
      const isFault = (error: ErrorObject) =>
        !isOption(error) &&
        error !== choice &&
        error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
        `${error.instancePath}/`.startsWith(`${choice.instancePath}/`)
      const rest = left.filter((error) => error !== choice && !isOption(error))
      if (left.some(isFault)) return rest
      const options = left.filter(isOption)
      const types = options.flatMap(({ params, parentSchema }) => parentSchema?.format ?? params.type)
      return types.length === 0 ? left : [...rest, { ...choice, message: mustBe(types) }]
    }, errors)

const FORMS = new Set(['format', 'pattern', 'not', 'visible'])

/** The errors in the order found, without duplicates, up to a maximum. */
export const toDetails = (found: readonly ErrorObject[], max: number): ErrorDetail[] => {
  const errors = withChoices(found, max)
  const details = new Map<string, ErrorDetail>()
  const tooShort = new Set<string>()
  for (const { keyword, instancePath } of errors) if (keyword === 'minLength') tooShort.add(instancePath)
  for (const error of errors) {
    if (details.size >= max) break
    // An empty value has no format to be wrong.
    if (FORMS.has(error.keyword) && tooShort.has(error.instancePath)) continue
    for (const detail of detailsOf(error)) details.set(`${detail.field}\n${detail.message}`, detail)
  }
  return [...details.values()].slice(0, max)
}
