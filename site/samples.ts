// How an operation is called, in each language. The tests run what this writes.
import type { Operation } from '../sdk/generator/operations.ts'
import { EXAMPLE_URL } from './page.ts'

export type Call = {
  /** By name, as in the path. */
  ids: Record<string, string>
  query: Record<string, string | number | boolean>
  body?: unknown
}

const WIDTH = 80

/** The token comes from the environment in every sample. */
export const curlSample = (
  { method, path, body: takes }: Operation,
  { ids, query, body }: Call,
  url = EXAMPLE_URL,
): string => {
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? name))
  const search = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  ).toString()
  const target = `"${url}/api/v1${place}${search && `?${search}`}"`
  const parts = [
    method === 'GET' ? `curl ${target}` : `curl -X ${method} ${target}`,
    '-H "Authorization: Bearer $FOYER_TOKEN"',
  ]
  if (takes?.isForm) parts.push(...filesOf(body).map(([field, name]) => `-F "${field}=@${name}"`))
  else if (body !== undefined) {
    parts.push('-H "Content-Type: application/json"')
    parts.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`)
  }
  return parts.join(' \\\n  ')
}

/** In samples, a form has names of files. */
const filesOf = (body: unknown): [field: string, name: string][] =>
  Object.entries(body as Record<string, string>)

/** The line that makes the client stands above all samples of a page. */
export const typescriptClient = (url = EXAMPLE_URL): string =>
  `import { Foyer } from 'foyer-sdk'\n\nconst foyer = new Foyer({ baseUrl: '${url}' }) // and FOYER_TOKEN`

export const typescriptSample = (operation: Operation, { ids, query, body }: Call): string => {
  const { resource, name, rows, pathParameters } = operation
  const parameters = [
    ...pathParameters.map((one) => literal(ids[one] ?? one)),
    ...(Object.keys(query).length > 0
      ? [literal(query)]
      : operation.query && body !== undefined
        ? ['{}']
        : []),
    ...(body === undefined ? [] : [operation.body?.isForm ? formLiteral(body) : literal(body)]),
  ]
  const call = `foyer.${resource}.${name}(${parameters.join(', ')})`
  return rows
    ? `for await (const row of ${call}) {\n  console.log(row)\n}`
    : `const response = await ${call}\nconsole.log(response)`
}

const formLiteral = (body: unknown): string =>
  `{ ${filesOf(body).map(([field, name]) => `${field}: new File(['Open from 9 to 5.'], '${name}')`)} }`

const literal = (value: unknown, indent = ''): string => {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const isArray = Array.isArray(value)
  const parts = isArray
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(
        ([name, one]) => `${/^[a-z_]\w*$/i.test(name) ? name : literal(name)}: ${literal(one, inner)}`,
      )
  const [open, close] = isArray ? ['[', ']'] : ['{ ', ' }']
  const short = `${open}${parts.join(', ')}${close}`
  if (parts.length === 0) return isArray ? '[]' : '{}'
  if (indent.length + short.length <= WIDTH - 20 && !short.includes('\n')) return short
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close.trim()}`
}
