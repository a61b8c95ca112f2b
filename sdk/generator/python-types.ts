// A JSON schema as a Python type. An object within another one becomes a class of its own, named after its place.
import { capitalized, nameOfRef, type Schema } from './operations.ts'

type Context = {
  /** What a class for the schema would be called. */
  name: string
  /** Of an answer, which may say more than is known today. */
  isOpen: boolean
  /** Receives the classes that the type needs, those that others build on first. */
  declare: (name: string, lines: string) => void
}

const PLAIN: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  object: 'Dict[str, Any]',
}

export const typeOf = (schema: Schema, context: Context): string => {
  if (schema.$ref) return nameOfRef(schema.$ref)
  if (schema.properties) {
    declareObject(schema, context)
    return context.name
  }
  const { additionalProperties: values } = schema
  if (values && typeof values === 'object')
    return `Dict[str, ${typeOf(values, { ...context, name: `${context.name}Value` })}]`
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives && !values) return unionOf(alternatives.map((one) => typeOf(one, context)))
  if (schema.format === 'binary') return 'Upload'
  if (schema.enum) return enumType(schema, context)
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
  const types = [schema.type ?? []].flat()
  return types.length === 0 ? 'Any' : unionOf(types.map((type) => plainType(type, schema, context)))
}

const plainType = (type: string, { items = {} }: Schema, context: Context): string =>
  type === 'array'
    ? `List[${typeOf(items, { ...context, name: context.name.replace(/s$/, '') })}]`
    : PLAIN[type]!

/** `Literal` shows the values that are known; `str` lets through those that a newer server has. */
const enumType = ({ enum: values = [] }: Schema, { isOpen }: Context): string => {
  const known = `Literal[${values.map(literal).join(', ')}]`
  return isOpen && values.every((value) => typeof value === 'string') ? `Union[${known}, str]` : known
}

export const unionOf = (types: string[]): string => {
  const [first = 'Any', ...others] = [...new Set(types)].filter((type) => type !== 'None')
  const union = others.length === 0 ? first : `Union[${[first, ...others].join(', ')}]`
  return types.includes('None') ? `Optional[${union}]` : union
}

/** A value of JSON as Python writes it. */
export const literal = (value: unknown): string => {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

const KEYWORDS = new Set(['from', 'for', 'class', 'import', 'in', 'is', 'not', 'or', 'and', 'if', 'global'])

/** The name of a parameter or method, from its words. */
export const pythonName = (words: string[]): string => {
  const name = words.join('_')
  return KEYWORDS.has(name) ? `${name}_` : name
}

/**
 * Properties that may be missing are in a class of their own, which builds on that of the others: NotRequired is only
 * known since Python 3.11.
 */
const declareObject = (schema: Schema, context: Context): void => {
  const { properties = {}, required = [] } = schema
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeOf(property, { ...context, name: `${context.name}${capitalized(name)}` }),
    description: property.description,
    isRequired: required.includes(name),
  }))
  const always = fields.filter(({ isRequired }) => isRequired)
  const sometimes = fields.filter(({ isRequired }) => !isRequired)
  const base = `_${context.name}Always`
  const about = docstring(schema.description, '    ')
  if (sometimes.length === 0) {
    context.declare(context.name, classOf(context.name, always, { about }))
    return
  }
  if (always.length > 0) context.declare(base, classOf(base, always, { about: [] }))
  context.declare(
    context.name,
    classOf(context.name, sometimes, { about, base: always.length > 0 ? base : undefined, isTotal: false }),
  )
}

type Field = { name: string; type: string; description: string | undefined }
type Shape = { about: string[]; base?: string | undefined; isTotal?: boolean }

const classOf = (
  name: string,
  fields: Field[],
  { about, base = 'TypedDict', isTotal = true }: Shape,
): string => {
  const odd = fields.filter((field) => KEYWORDS.has(field.name))
  const total = isTotal ? '' : ', total=False'
  if (odd.length > 0) {
    // A name that Python reserves can't be written as the attribute of a class.
    const own = `_${name}Reserved`
    const entries = odd.map((field) => `"${field.name}": "${field.type}"`).join(', ')
    const rest = fields.filter((field) => !odd.includes(field))
    const bases = base === 'TypedDict' ? own : `${base}, ${own}`
    return [
      `${own} = TypedDict("${own}", {${entries}}${total})`,
      '',
      '',
      `class ${name}(${bases}${total}):`,
      ...bodyOf(rest, about),
    ].join('\n')
  }
  return [`class ${name}(${base}${total}):`, ...bodyOf(fields, about)].join('\n')
}

const bodyOf = (fields: Field[], about: string[]): string[] => {
  const lines = fields.flatMap(({ name, type, description }) => [
    `    ${name}: ${type}`,
    ...docstring(description, '    '),
  ])
  return about.length + lines.length === 0 ? ['    pass'] : [...about, ...lines]
}

/** A docstring, or nothing. */
export const docstring = (text: string | undefined, indent: string): string[] => {
  if (!text) return []
  const safe = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"')
  const lines = safe.split('\n').map((line, index) => (index === 0 || !line ? line : `${indent}${line}`))
  return lines.length === 1
    ? [`${indent}"""${lines[0]}"""`]
    : [`${indent}"""${lines[0]}`, ...lines.slice(1), `${indent}"""`]
}
