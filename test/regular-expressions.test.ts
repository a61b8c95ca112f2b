// Text of others meets our regular expressions: messages, mails, headers, paths. One that takes the square of its length
// stops the whole process for everybody. scslre finds those, also the ones that are slow only where they do not match.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { analyse } from 'scslre'
import { parseSync } from 'vite'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = ['server', 'flow-engine', 'marks', 'channels', 'models', 'sandbox', 'widget', 'console'].map(
  (folder) => `${folder}/**/*.{ts,tsx}`,
)
const IS_TEST = /\.test\.tsx?$|\/testing\//

/** What stands between the parts of a `new RegExp`: one letter, so that the parts are judged and not what is put in. */
const PUT_IN = 'x'

type Node = { type: string; start: number; [key: string]: unknown }
type Found = { source: string; flags: string; start: number }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

const textOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral') return undefined
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(PUT_IN)
}

/** Literals, `new RegExp` and the patterns of schemas. */
const expressionOf = (node: Node): Omit<Found, 'start'> | undefined => {
  const { regex, callee, key } = node as {
    regex?: { pattern: string; flags: string }
    callee?: { name?: string }
    key?: { name?: string }
  }
  if (node.type === 'Literal' && regex) return { source: regex.pattern, flags: regex.flags }
  if (callee?.name === 'RegExp') {
    const [source, flags] = (node.arguments as unknown[]).map(textOf)
    // What is put together elsewhere is found there, if it is text.
    return source === undefined ? undefined : { source, flags: flags ?? '' }
  }
  const isPattern = node.type === 'Property' && key?.name === 'pattern'
  const pattern = isPattern ? textOf(node.value) : undefined
  return pattern === undefined ? undefined : { source: pattern, flags: 'u' }
}

const collect = (value: unknown, found: Found[]): Found[] => {
  if (Array.isArray(value)) for (const item of value) collect(item, found)
  else if (isNode(value)) {
    const expression = expressionOf(value)
    if (expression) found.push({ ...expression, start: value.start })
    for (const item of Object.values(value)) if (typeof item === 'object') collect(item, found)
  }
  return found
}

const slownessOf = ({ source, flags }: Found): string[] =>
  analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } }).reports.map(
    ({ type, exponential }) => (exponential ? `${type}, exponential` : type),
  )

test('every regular expression takes time in proportion to the text it meets', () => {
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !IS_TEST.test(file))
  let count = 0
  const slow = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const { program, errors } = parseSync(file, text, { lang: file.endsWith('x') ? 'tsx' : 'ts' })
    assert.deepEqual(errors, [], file)
    return collect(program, []).flatMap((found) => {
      count++
      const line = text.slice(0, found.start).split('\n').length
      return slownessOf(found).map((why) => `${file}:${line} /${found.source}/${found.flags} (${why})`)
    })
  })
  assert.deepEqual(slow, [])
  assert.ok(count > 300, `only ${count} were found`)
})

test('an expression that is slow is found, whatever way it is written', () => {
  const written = [
    'header.split(/\\s*,\\s*/)',
    'path.match(/\\.[^/]*$/)',
    'new RegExp(`(a+)+${name}`)',
    "RegExp('(a|a)*$')",
    "Type.String({ pattern: '^(a+)+$' })",
  ]
  for (const text of written) {
    const { program } = parseSync('x.ts', text, { lang: 'ts' })
    assert.notDeepEqual(collect(program, []).flatMap(slownessOf), [], text)
  }
})
