// Whoever is sent to a decision finds it: every record that the repository names is there, under the name that is given.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = 'docs/decisions'
const TEXTS = /\.(ts|tsx|mjs|md|sql|css|html|sh|example)$/

const records = readdirSync(join(ROOT, FOLDER))
const numbers = new Set(records.map((name) => name.slice(0, 4)))

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((file) => TEXTS.test(file) && file !== 'test/decisions.test.ts')

/** What a text says of decisions: their numbers, and their files. */
const mentionsOf = (text: string): { numbers: string[]; files: string[] } => ({
  numbers: [
    ...text.matchAll(/\bdecisions?[\s/*]+((?:\d{4}(?:,| and| or|\s)*)+)/gi),
    ...text.matchAll(/\[(\d{4})\]\(/g),
  ].flatMap(([, list]) => list!.match(/\d{4}/g) ?? []),
  files: [...text.matchAll(/(?:decisions\/|\]\()(\d{4}-[\w-]*\.md)/g)].map(([, name]) => name!),
})

test('every decision that is mentioned has a record', () => {
  const missing: string[] = []
  let count = 0
  for (const file of files) {
    const mentioned = mentionsOf(readFileSync(join(ROOT, file), 'utf8'))
    count += mentioned.numbers.length + mentioned.files.length
    for (const number of mentioned.numbers) if (!numbers.has(number)) missing.push(`${file}: ${number}`)
    for (const name of mentioned.files) if (!records.includes(name)) missing.push(`${file}: ${name}`)
  }
  assert.deepEqual(missing, [])
  assert.ok(count >= 5, `only ${count} were found: the patterns of this test are out of date`)
})

test('every record has a unique number, which its title starts with', () => {
  assert.equal(numbers.size, records.length)
  for (const name of records) {
    const title = readFileSync(join(ROOT, FOLDER, name), 'utf8').split('\n', 1)[0]!
    assert.ok(title.startsWith(`# ${basename(name).slice(0, 4)} `), `${name}: ${title}`)
  }
})
