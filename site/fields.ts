// The properties of a schema as a Markdown list, for readers rather than validators.
import { nameOfRef, type Schema } from '../sdk/generator/operations.ts'

export type Schemas = Record<string, Schema>

/** Deeper objects are better read in the example. */
const DEPTH_MAX = 3

type Bounds = Schema & {
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}

export const fieldList = (
  schema: Schema,
  schemas: Schemas,
  depth = 0,
  seen: readonly string[] = [],
): string => {
  const { found, names } = resolve(schema, schemas, seen)
  if (names === null || depth >= DEPTH_MAX) return ''
  const required = new Set(found.required ?? [])
  return Object.entries(found.properties ?? {})
    .map(([name, property]) => {
      const target = resolve(property, schemas, [])
      const about = [typeText(property, schemas), ...(required.has(name) ? [] : ['optional'])].join(', ')
      const text = property.description ?? target.found.description
      const inner = innerOf(property, schemas)
      const nested = inner ? fieldList(inner, schemas, depth + 1, names) : ''
      const line = `${'  '.repeat(depth)}- \`${name}\` *${about}*${text ? `  ${oneLine(text)}` : ''}`
      return nested ? `${line}\n${nested}` : line
    })
    .join('\n')
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ')

/** What a schema stands for; `names` is null if it contains itself. */
const resolve = (schema: Schema, schemas: Schemas, seen: readonly string[]) => {
  const names = [...seen]
  let found = schema
  while (found.$ref) {
    const name = nameOfRef(found.$ref)
    if (names.includes(name)) return { found: {} as Schema, names: null }
    names.push(name)
    found = schemas[name] ?? {}
  }
  return { found, names }
}

/** The object whose properties are worth listing below a property. */
const innerOf = (schema: Schema, schemas: Schemas): Schema | null => {
  const { found } = resolve(schema, schemas, [])
  if (found.items) return innerOf(found.items, schemas)
  const options = found.anyOf ?? found.oneOf
  if (options && !found.properties) {
    const objects = options.map((one) => innerOf(one, schemas)).filter((one) => one !== null)
    return objects.length === 1 ? objects[0]! : null
  }
  return found.properties ? schema : null
}

const typeText = (schema: Schema, schemas: Schemas): string => {
  const { found } = resolve(schema, schemas, [])
  const text = plainType(found, schemas)
  return [text, boundsText(found)].filter(Boolean).join(', ')
}

const plainType = (schema: Schema, schemas: Schemas): string => {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' or ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  const options = schema.anyOf ?? schema.oneOf
  if (options && !schema.properties)
    return [...new Set(options.map((one) => plainType(resolve(one, schemas, []).found, schemas)))].join(
      ' or ',
    )
  const types = [schema.type ?? 'object'].flat()
  if (types.includes('array'))
    return `array of ${plural(plainType(resolve(schema.items ?? {}, schemas, []).found, schemas))}`
  return types.map((type) => (type === 'string' && schema.format ? schema.format : type)).join(' or ')
}

const plural = (type: string): string => (/^[a-z]+$/.test(type) ? `${type}s` : type)

const boundsText = (schema: Bounds): string => {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties } = schema
  if (maxLength !== undefined) return `${minLength ? `${minLength}–` : 'up to '}${maxLength} characters`
  if (maxItems !== undefined) return `${minItems ? `${minItems}–` : 'up to '}${maxItems} items`
  if (maxProperties !== undefined) return `up to ${maxProperties} keys`
  if (minimum !== undefined && maximum !== undefined) return `${minimum}–${maximum}`
  return minimum === undefined ? '' : `at least ${minimum}`
}
