// What the server and the flow engine write in English has words in each language of the console.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'vite'
import { piecesOfSaid, type SaidCatalogue, sayIn } from '../console/words/said.ts'
import { END_REASONS } from '../flow-engine/end-reasons.ts'
import { NOUNS } from '../flow-engine/references.ts'
import { Language } from '../server/domain/accounts/schema.ts'
import { HAND_OVER_SAYS } from '../server/domain/flow-runs/plan-ai-hand-over.ts'
import { ERRORS, type ErrorCode } from '../server/platform/errors.ts'

const ROOT = join(import.meta.dirname, '..')
const catalogues = new Map(
  globSync('console/words/said/*.json', { cwd: ROOT }).map((path) => [
    basename(path, '.json'),
    JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as SaidCatalogue,
  ]),
)
const german = sayIn(catalogues.get('de')!)

/** Only programs are refused these: API clients, chat boxes, providers, monitoring. */
const OF_PROGRAMS: ErrorCode[] = [
  'WHATSAPP_SENDER_AMBIGUOUS',
  'MISSING_TOKEN',
  'INVALID_API_TOKEN',
  'INVALID_SIGNATURE',
  'METRICS_TOKEN_REQUIRED',
  'INVALID_VISITOR_TOKEN',
  'INSUFFICIENT_SCOPE',
  'ADDRESS_NOT_ALLOWED',
  'ORIGIN_NOT_ALLOWED',
  'IDENTITY_REFUSED',
  'IDENTITY_REQUIRED',
  'VISITOR_BLOCKED',
  'EVENT_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CURSOR_EXPIRED',
  'UNSUPPORTED_MEDIA_TYPE',
  'RANGE_NOT_SATISFIABLE',
  'IDEMPOTENCY_KEY_REUSED',
  'REQUEST_HEADERS_TOO_LARGE',
]

test('every error that the console can get has words in each language', () => {
  for (const code of OF_PROGRAMS) assert.ok(ERRORS[code])
  const lacking = Object.entries(ERRORS)
    .filter(([code]) => !OF_PROGRAMS.some((one) => one === code))
    .filter(([, [, message]]) => german(message) === undefined)
  assert.deepEqual(lacking, [])
})

/** Files whose findings the console shows; a text in a call of these, or after `says:`, is one. */
const FINDINGS = [
  'flow-engine/{check-definition,check-steps,lint,lint-*}.ts',
  'server/domain/flow-runs/{says,plan-*}.ts',
  'server/domain/**/{read-business-hours,snooze-conversation,saved-replies,tags,teams,roles}.ts',
]
const SAYING = /^(report|problemAt|inWhole|problem|refuse|add|take)$/

type Node = { type: string; [part: string]: unknown }

/** Texts of a file that somebody is told, with §1 for the first value. */
const toldIn = (path: string): string[] => {
  const found: string[] = []
  const text = (node: Node): string[] => {
    if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : []
    if (node.type === 'TemplateLiteral')
      return [
        (node.quasis as { value: { cooked: string } }[])
          .map((quasi, index) => (index === 0 ? '' : `§${index}`) + quasi.value.cooked)
          .join(''),
      ]
    if (node.type === 'ConditionalExpression')
      return [...text(node.consequent as Node), ...text(node.alternate as Node)]
    return []
  }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    const name = (of: unknown): string => (of as { name?: string } | undefined)?.name ?? ''
    if (node.type === 'CallExpression' && SAYING.test(name(node.callee)))
      found.push(...(node.arguments as Node[]).flatMap(text))
    if (node.type === 'Property' && /^(says|message)$/.test(name(node.key)))
      found.push(...text(node.value as Node))
    for (const part of Object.values(node)) visit(part)
  }
  visit(parseSync(path, readFileSync(join(ROOT, path), 'utf8')).program)
  // Codes, and names of fields.
  return found.filter((one) => /\s/.test(one) && !/^(§\d|[\s:.,])*$/.test(one))
}

/** Frames whose values are texts of their own, in the cases below or further down. */
const FRAMES: Record<string, string[]> = {
  'The flow is too large: §1.': ['The flow is too large: 300 KiB, and 256 KiB is the limit.'],
  'Step §1: §2': ['Step s1: another step has the same id.'],
  'The triggers: §1': ['The triggers: the condition on “x” has nothing to compare with.'],
  'Block “§1”: §2': ['Block “b”: leads to block “x”, which doesn’t exist.'],
  '§1: the patterns of this flow take too long together. Use fewer, and smaller numbers of repetitions.': [
    'The triggers: the patterns of this flow take too long together. Use fewer, and smaller numbers of repetitions.',
    'Step s1: the patterns of this flow take too long together. Use fewer, and smaller numbers of repetitions.',
  ],
  '§1 shows the options as numbered text, because §2.': [
    'WhatsApp shows the options as numbered text, because there are more than 10.',
  ],
  'reads “§1”, which may not be set yet. §2 first, or give it a default.': [
    'reads “run.x”, which may not be set yet. Save a reply as “x” first, or give it a default.',
    'reads “call.x”, which may not be set yet. Save the result of an action as “x” first, or give it a default.',
  ],
  'comes after a wait longer than §1’s reply window. §2': [
    'comes after a wait longer than WhatsApp’s reply window. Choose a template for that case.',
    'comes after a wait longer than WhatsApp’s reply window. Ask earlier, or send a template before.',
  ],
  'flows call each other in a circle: this flow → §1.§2': [
    'flows call each other in a circle: this flow → itself.',
    'flows call each other in a circle: this flow → itself. Add a question or a wait before one of these steps.',
  ],
  'ended: §1': ['ended: a step couldn’t be done'],
  'ended: §1§2': ['ended: the customer is blocked'],
  'AI agent: §1': ['AI agent: filled in plan', 'AI agent: handed over because the customer is angry'],
  'AI agent: §1: §2§3': [
    'AI agent: the customer declined: Cancel order: order 7',
    'AI agent: not done, because the customer confirmed it too late: Cancel order',
    'AI agent: failed, confirmed by the customer: Cancel order (timeout)',
    'AI agent: may or may not have been done: Cancel order',
  ],
}

test('what flows and their checks say, and why forms are refused, has words in each language', () => {
  const paths = FINDINGS.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  const told = paths.flatMap((path) => toldIn(path).map((text) => ({ path, text })))
  assert.ok(told.length > 80, String(told.length))
  const ends = [...Object.values(END_REASONS).map(({ says }) => says), ...Object.values(HAND_OVER_SAYS)]
  told.push(...ends.map((text) => ({ path: 'reasons', text })))
  for (const noun of Object.values(NOUNS))
    told.push({ path: 'references', text: `the ${noun} “x” no longer exists. Choose another.` })
  const lacking = told
    .flatMap(({ path, text }) => (FRAMES[text] ?? [text]).map((one) => ({ path, text: one })))
    .filter(({ text }) => german(text) === undefined)
  assert.deepEqual(lacking, [])
})

/** Words beside each other. */
const pairsIn = (text: string): string[] => {
  const words = text.match(/[\p{L}\p{N}’]+/gu) ?? []
  return words.slice(1).map((word, at) => `${words[at]} ${word}`)
}

test('each language has the same texts of the server with the same values, and none that it never writes', () => {
  const languages = globSync('console/words/*.json', { cwd: ROOT }).map((path) => basename(path, '.json'))
  assert.deepEqual([...catalogues.keys()].sort(), languages.sort())
  assert.deepEqual([...Language.enum].sort(), ['en', ...languages].sort())
  const names = Object.keys(catalogues.get('de')!)
  const placesOf = (text: string) =>
    piecesOfSaid(text)
      .flatMap((piece) => (typeof piece === 'string' ? [] : [`${piece.at}${piece.isText}`]))
      .sort()
  const loader = readFileSync(join(ROOT, 'console/state/said.ts'), 'utf8')
  for (const [language, catalogue] of catalogues) {
    assert.deepEqual(Object.keys(catalogue), names, language)
    assert.match(loader, new RegExp(`said/${language}\\.json`))
    for (const [english, text] of Object.entries(catalogue))
      assert.deepEqual(placesOf(text), placesOf(english), `${language}: ${english}`)
  }
  const written = new Set(
    globSync('{server,flow-engine}/**/*.ts', { cwd: ROOT })
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => pairsIn(readFileSync(join(ROOT, path), 'utf8').replaceAll("\\'", "'"))),
  )
  // Some are put together from several pieces.
  const unwritten = names.filter((english) => {
    const pairs = piecesOfSaid(english).flatMap((piece) => (typeof piece === 'string' ? pairsIn(piece) : []))
    return pairs.filter((pair) => !written.has(pair)).length > pairs.length / 2
  })
  assert.deepEqual(unwritten, [])
})

test('a text of the server is said with its values, and stays English where a part has no words', () => {
  assert.equal(german('Jane closed this conversation'), 'Jane hat diese Konversation geschlossen')
  assert.equal(
    german('Foyer assigned this to Sam: Robin is away, fewest open conversations in Support (3)'),
    'Foyer hat diese Konversation Sam zugewiesen: Robin ist abwesend, die wenigsten offenen Konversationen in Support (3)',
  )
  assert.equal(
    german('Step s3: leads to block “x”, which doesn’t exist.'),
    'Schritt s3: Führt zu Block „x“, den es nicht gibt.',
  )
  assert.equal(german('Step s3: something that nobody translated.'), undefined)
  assert.equal(german('must have at most 40 characters'), 'darf höchstens 40 Zeichen haben')
  assert.equal(german('Our own words'), undefined)
})
