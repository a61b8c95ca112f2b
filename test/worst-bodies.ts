// Worst-case requests: bodies that are expensive to read, validate and respond to, and similar headers and paths.

const MIB = 1024 * 1024

export type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  maxItems?: number
  anyOf?: Schema[]
  oneOf?: Schema[]
  const?: unknown
  discriminator?: { propertyName: string }
}

const filling = (text: string, bytes: number): string =>
  text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(text))))
const listOf = (item: string, bytes: number): string => `[${filling(`${item},`, bytes - 10)}${item}]`
const listOfMost = (item: string, bytes: number, most: number): string =>
  listOf(item, Math.min(bytes, most * (item.length + 1)))
const keys = (count: number, value: string, start = ''): string =>
  `{${Array.from({ length: count }, (_, at) => `"${start}k${at}":${value}`).join()}}`

/**
 * Values that no field accepts, as JSON of about this many bytes. Either just within the parsing limits or far
 * beyond.
 */
const NASTY: Record<string, (bytes: number) => string> = {
  open: (bytes) => filling('[', bytes),
  deep: (bytes) => `${filling('[', bytes / 2)}${filling(']', bytes / 2)}`,
  'deep within bounds': (bytes) => listOf(`${'['.repeat(50)}${']'.repeat(50)}`, Math.min(bytes, 250_000)),
  'wide list of numbers': (bytes) => listOfMost('1', bytes, 95_000),
  'wide list of distinct text': (bytes) =>
    `[${Array.from({ length: Math.min(bytes / 9, 95_000) }, (_, at) => `"${at.toString(36)}"`).join()}]`,
  'list of objects': (bytes) => listOfMost('{"type":0,"phone":0}', bytes, 19_000),
  'list of texts with U+0000': (bytes) => listOfMost('"\\u0000"', bytes, 95_000),
  'objects of distinct keys': (bytes) =>
    `[${Array.from({ length: Math.min(bytes / 30_000, 38) }, (_, at) => keys(1_000, '0', String(at))).join()}]`,
  'many keys': (bytes) => keys(Math.min(990, bytes / 12), '"\\ud800"'),
  'far too many keys': (bytes) => keys(bytes / 14, '0'),
  'long text': (bytes) => `"${filling('a', bytes)}"`,
  'long text of spaces': (bytes) => `"${filling(' ', bytes)}x"`,
  'long text of dots and signs': (bytes) => `"${filling('a@.-+', bytes)}"`,
  'long text of digits': (bytes) => `"+${filling('1', bytes)}"`,
  'long text of emoji': (bytes) => `"${filling('\u{1f600}', bytes)}"`,
  'long text of halves': (bytes) => `"${filling('\\ud83d', bytes)}"`,
  'broken at its end': (bytes) => `${listOfMost('"aaaa"', bytes, 30_000)} x`,
  'broken all over': (bytes) => filling('{"a" "b": ', Math.min(bytes, 250_000)),
}

/** Fillers for texts and for everything else, from those above that pass the parsing limits. */
const TEXTS = [
  'long text of spaces',
  'long text of dots and signs',
  'long text of digits',
  'long text of halves',
]
const OTHERS = ['wide list of numbers', 'list of objects', 'list of texts with U+0000', 'many keys']

/** A body around one of a schema's fields, with `@` in its place. */
type Place = { around: string; fillings: string[] }

const placesIn = (schema: Schema, depth = 0): Place[] => {
  if (depth > 4) return []
  const inShapes = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((shape) =>
    placesIn(shape, depth + 1),
  )
  const fields = Object.entries(schema.properties ?? {})
  const fixed = fields
    .filter(([, { const: value }]) => value !== undefined)
    .map(([name, { const: value }]) => `"${name}":${JSON.stringify(value)},`)
    .join('')
  const inFields = fields
    .filter(([, { const: value }]) => value === undefined)
    .flatMap(([name, field]) => {
      const own: Place = { around: '@', fillings: field.type === 'string' ? TEXTS : OTHERS }
      return [own, ...placesIn(field, depth + 1)].map(({ around, fillings }) => ({
        around: `{${fixed}"${name}":${around}}`,
        fillings,
      }))
    })
  return [...inShapes, ...inFields]
}

export type Body = { name: string; text: string }

/** Bodies up to this size: generic ones, and those made for a schema's fields. */
export function* worstBodies(schema: Schema | undefined, bytes = MIB): Generator<Body> {
  const most = bytes - 2_000
  if (!schema) for (const [name, make] of Object.entries(NASTY)) yield { name, text: make(most) }
  for (const { around, fillings } of schema ? placesIn(schema) : [])
    for (const name of fillings) {
      const [before = '', after = ''] = around.split('@')
      yield { name: `${name} in ${around}`, text: `${before}${NASTY[name]!(most)}${after}` }
    }
}

const HEADER_BYTES = 15_000

/** Text that is valid in a header or a path. */
const LINES: Record<string, string> = {
  spaces: `x${' '.repeat(HEADER_BYTES)}x`,
  commas: ','.repeat(HEADER_BYTES),
  'commas and spaces': ', '.repeat(HEADER_BYTES / 2),
  semicolons: ';'.repeat(HEADER_BYTES),
  parameters: ';q=0 '.repeat(HEADER_BYTES / 5),
  quotes: '"'.repeat(HEADER_BYTES),
  backslashes: `"${'\\'.repeat(HEADER_BYTES)}`,
  equals: '='.repeat(HEADER_BYTES),
  digits: `bytes=${'1'.repeat(HEADER_BYTES)}-`,
  letters: 'a'.repeat(HEADER_BYTES),
  dots: '.'.repeat(HEADER_BYTES),
  addresses: '1.2.3.4, '.repeat(HEADER_BYTES / 9),
  bearer: `Bearer ${' '.repeat(HEADER_BYTES)}x y`,
  cookies: 'foyer_session=a; '.repeat(HEADER_BYTES / 17),
  type: `multipart/form-data; boundary=${'b'.repeat(HEADER_BYTES)}`,
  json: `application/json${'; a=b'.repeat(HEADER_BYTES / 5)}`,
}

const HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'if-none-match',
  'if-range',
  'last-event-id',
  'origin',
  'range',
  'x-forwarded-for',
  'x-request-id',
]

export function* worstHeaders(): Generator<{ name: string; headers: Record<string, string> }> {
  for (const header of HEADERS)
    for (const [kind, value] of Object.entries(LINES))
      yield { name: `${header} of ${kind}`, headers: { [header]: value } }
}

const PATH_PARTS = [
  '.',
  '%2e',
  '/',
  '%2f',
  '%25',
  '%',
  ';',
  ':',
  '\\',
  '~',
  '-',
  '1',
  'a.',
  '%00',
  '%c3%a9',
  '&a=',
  '[',
  '+',
]

/** Ends of paths and queries. */
export const WORST_PATHS: string[] = PATH_PARTS.map((part) => part.repeat(Math.floor(15_000 / part.length)))
