// A JSON schema as a TypeScript type.
import { nameOfRef, type Schema } from './operations.ts'

/** Values may be added to an enum of an answer; a client that was generated before must go on compiling. */
const OPEN = ' | (string & {})'

type Options = { isOpen: boolean; indent?: string }

/** The type of a schema. `isOpen`: of an answer, which may say more than is known today. */
export const typeOf = (schema: Schema, options: Options): string => {
  if (schema.$ref) return nameOfRef(schema.$ref)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (schema.properties || schema.additionalProperties) return objectType(schema, options)
  if (alternatives) return [...new Set(alternatives.map((one) => typeOf(one, options)))].join(' | ')
  if (schema.enum) return enumType(schema, options)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const types = [schema.type ?? []].flat()
  if (types.length === 0) return 'unknown'
  return types.map((type) => plainType(type, schema, options)).join(' | ')
}

const enumType = ({ enum: values = [] }: Schema, { isOpen }: Options): string => {
  const isText = values.every((value) => typeof value === 'string')
  return values.map((value) => JSON.stringify(value)).join(' | ') + (isOpen && isText ? OPEN : '')
}

const plainType = (type: string, schema: Schema, options: Options): string => {
  if (type === 'integer') return 'number'
  if (schema.format === 'binary') return 'Blob'
  if (type === 'array') return `${inParentheses(typeOf(schema.items ?? {}, options))}[]`
  if (type === 'object') return 'Record<string, unknown>'
  return type
}

const inParentheses = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type)

const objectType = (schema: Schema, options: Options): string => {
  const { properties = {}, required = [], additionalProperties } = schema
  const indent = options.indent ?? ''
  const inner = { ...options, indent: `${indent}  ` }
  const names = Object.keys(properties)
  const extra =
    additionalProperties && typeof additionalProperties === 'object'
      ? typeOf(additionalProperties, inner)
      : 'unknown'
  if (names.length === 0) return `Record<string, ${extra}>`
  const lines = names.flatMap((name) => {
    const property = properties[name]!
    const mark = required.includes(name) ? '' : '?'
    return [
      ...commentOf(property.description, inner.indent),
      `${inner.indent}${keyOf(name)}${mark}: ${typeOf(property, inner)}`,
    ]
  })
  if (additionalProperties) lines.push(`${inner.indent}[name: string]: unknown`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** A doc comment, or nothing. */
export const commentOf = (text: string | undefined, indent: string): string[] => {
  if (!text) return []
  const lines = text.replaceAll('*/', '*∕').split('\n')
  return lines.length === 1
    ? [`${indent}/** ${lines[0]} */`]
    : [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`]
}
