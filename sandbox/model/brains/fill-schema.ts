import { type Json, objectOf } from '../../http.ts'

/** A value that fits a schema of the plain kind, with these words as its texts. */
export const fillSchema = (schema: Json, words: string): Json => {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.fromEntries(
    Object.entries(objectOf(schema.properties))
      .filter(([name]) => required.includes(name))
      .map(([name, property]) => [name, fillValue(objectOf(property), words)]),
  )
}

const fillValue = (schema: Json, words: string): unknown => {
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const [choice] = [schema.anyOf ?? schema.oneOf].flat()
  if (choice) return fillValue(objectOf(choice), words)
  switch (schema.type) {
    case 'object':
      return fillSchema(schema, words)
    case 'array':
      return []
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return typeof schema.maxLength === 'number' ? words.slice(0, schema.maxLength) : words
  }
}
