import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'vite'
import { readCatalogues } from './build.ts'
import { LANGUAGES } from './language.ts'
import { keyOf, piecesOf, taggedTexts } from './tagged.ts'

const ROOT = join(import.meta.dirname, '../..')
const sources = globSync('console/{*,screens/**/*,shell/*,state/*,ui/*}.{ts,tsx}', { cwd: ROOT })
  .filter((path) => !/\.test\.tsx?$/.test(path))
  .map((path) => {
    const { program, errors } = parseSync(path, readFileSync(join(ROOT, path), 'utf8'))
    assert.deepEqual(errors, [], path)
    return { path, program }
  })

/** What must be in each catalogue. */
const texts = new Set(sources.flatMap(({ program }) => taggedTexts(program, ['t', 'rich']).map(keyOf)))

const valuesOf = (text: string): (string | number)[] =>
  piecesOf(text)
    .filter((piece) => typeof piece === 'number')
    .sort()
const outerSpaces = (text: string): string => text.replace(/\S.*\S|\S/s, '·')

test('each catalogue has every text of the console, with the same values, and no other', () => {
  const catalogues = readCatalogues()
  assert.deepEqual(['en', ...catalogues.keys()].sort(), Object.keys(LANGUAGES).sort())
  for (const [language, { texts: own }] of catalogues) {
    assert.deepEqual(
      [...texts].filter((text) => !Object.hasOwn(own, text)),
      [],
      `${language} lacks`,
    )
    assert.deepEqual(
      Object.keys(own).filter((text) => !texts.has(text)),
      [],
      `${language} has left over`,
    )
    for (const [text, translation] of Object.entries(own)) {
      assert.deepEqual(valuesOf(translation), valuesOf(text), `${language}: ${text}`)
      const [first, ...rest] = piecesOf(text)
      assert.equal(outerSpaces(translation), outerSpaces([first, ...rest].join('')), `${language}: ${text}`)
    }
  }
})

const LETTER = /\p{L}/u
/** Attributes and properties that people read. */
const READ = /^(label|title|about|hint|tip|placeholder|alt|heading|aria-label|data-tip|confirmLabel)$/
const CODE = /^(code|pre|kbd|Kbd|Keys)$/

type Node = { type: string; start: number; [part: string]: unknown }
type Named = { name?: string | { name: string }; value?: unknown }
const nameOf = (named: unknown): string => {
  const { name, value } = (named ?? {}) as Named
  return typeof name === 'string' ? name : (name?.name ?? (typeof value === 'string' ? value : ''))
}

/** Texts for people that no tag marks, where they can't be anything else. */
const untagged = (tree: unknown): string[] => {
  const found: string[] = []
  const visit = (value: unknown, isCode: boolean): void => {
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    const literal = (part: unknown) => {
      const { type, value: text } = (part ?? {}) as Node
      if (type === 'Literal' && typeof text === 'string' && LETTER.test(text) && /\s|^[A-Z]/.test(text))
        found.push(text)
    }
    if (node.type === 'JSXText' && !isCode && LETTER.test(String(node.value)))
      found.push(String(node.value).trim())
    if (node.type === 'JSXAttribute' && READ.test(nameOf(node.name))) literal(node.value)
    if (node.type === 'Property' && READ.test(nameOf(node.key))) literal(node.value)
    if (node.type === 'CallExpression' && nameOf(node.callee) === 'toast')
      literal((node.arguments as unknown[])[0])
    const inCode =
      node.type === 'JSXElement'
        ? CODE.test(nameOf((node.openingElement as Node).name))
        : isCode && node.type !== 'JSXElement'
    for (const part of Object.values(node)) visit(part, inCode)
  }
  visit(tree, false)
  return found
}

test('no text of the console is left without a tag', () => {
  const left = sources.flatMap(({ path, program }) => untagged(program).map((text) => `${path}: ${text}`))
  assert.deepEqual(left, [])
  assert.ok(sources.some(({ path }) => basename(path) === 'account-items.tsx'))
})
