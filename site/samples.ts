// How an operation is called, in each language. The tests run what this writes.
import { type Operation, wordsOf } from '../sdk/generator/operations.ts'
import { methodNameOf, parameterNameOf } from '../sdk/generator/python.ts'
import { pythonName } from '../sdk/generator/python-types.ts'
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
    ...pathParameters.map((one) => literal(ids[one] ?? one, TYPESCRIPT)),
    ...(Object.keys(query).length > 0
      ? [literal(query, TYPESCRIPT)]
      : operation.query && body !== undefined
        ? ['{}']
        : []),
    ...(body === undefined ? [] : [operation.body?.isForm ? fileObjects(body) : literal(body, TYPESCRIPT)]),
  ]
  const call = `foyer.${resource}.${name}(${parameters.join(', ')})`
  return rows
    ? `for await (const row of ${call}) {\n  console.log(row)\n}`
    : `const response = await ${call}\nconsole.log(response)`
}

const fileObjects = (body: unknown): string =>
  `{ ${filesOf(body).map(([field, name]) => `${field}: new File(['Open from 9 to 5.'], '${name}')`)} }`

export const pythonClient = (url = EXAMPLE_URL): string =>
  `from foyer_sdk import Foyer\n\nfoyer = Foyer(base_url="${url}")  # and FOYER_TOKEN`

export const pythonSample = (operation: Operation, { ids, query, body }: Call): string => {
  const parameters = [
    ...operation.pathParameters.map((one) => literal(ids[one] ?? one, PYTHON)),
    ...Object.entries(query).map(([name, value]) => named(name, literal(value, PYTHON))),
    ...(operation.body?.isForm
      ? filesOf(body).map(([field, name]) => named(field, `("${name}", b"Open from 9 to 5.")`))
      : Object.entries((body ?? {}) as object).map(([name, value]) =>
          named(name, literal(value, PYTHON, PYTHON.indent)),
        )),
  ]
  const method = `foyer.${pythonName(wordsOf(operation.resource))}.${methodNameOf(operation)}`
  const call = method + inOneLineOrMore(['(', ')'], parameters, PYTHON, '')
  return operation.rows ? `for row in ${call}:\n    print(row)` : `response = ${call}\nprint(response)`
}

const named = (name: string, value: string): string => `${parameterNameOf(name)}=${value}`

/** How a language writes values. */
type Notation = {
  indent: string
  braces: readonly [string, string]
  text: (value: string) => string
  key: (name: string) => string
  names: Record<string, string>
}

const TYPESCRIPT: Notation = {
  indent: '  ',
  braces: ['{ ', ' }'],
  text: (value) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`,
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : TYPESCRIPT.text(name)),
  names: {},
}

const PYTHON: Notation = {
  indent: '    ',
  braces: ['{', '}'],
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  names: { true: 'True', false: 'False', null: 'None' },
}

const literal = (value: unknown, notation: Notation, indent = ''): string => {
  if (typeof value === 'string') return notation.text(value)
  if (typeof value !== 'object' || value === null) return notation.names[String(value)] ?? String(value)
  const inner = indent + notation.indent
  if (Array.isArray(value)) {
    const parts = value.map((one) => literal(one, notation, inner))
    return inOneLineOrMore(['[', ']'], parts, notation, indent)
  }
  const parts = Object.entries(value).map(
    ([name, one]) => `${notation.key(name)}: ${literal(one, notation, inner)}`,
  )
  return parts.length === 0 ? '{}' : inOneLineOrMore(notation.braces, parts, notation, indent)
}

const inOneLineOrMore = (
  [open, close]: readonly [string, string],
  parts: string[],
  notation: Notation,
  indent: string,
): string => {
  const short = `${open}${parts.join(', ')}${close}`
  if (parts.length === 0 || (indent.length + short.length <= WIDTH - 20 && !short.includes('\n')))
    return short
  const inner = indent + notation.indent
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close.trim()}`
}
