import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { listTestFiles } from './test-files.ts'

const ROOT = resolve(import.meta.dirname, '..')

test('npm test runs every test file in git', () => {
  const known = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx'], { cwd: ROOT, encoding: 'utf8' })
  const files = new Set(listTestFiles())
  assert.deepEqual(
    known.split('\n').filter((file) => file && !files.has(file)),
    [],
  )
  assert.ok(files.size > 50, `${files.size} files`)
})

/** The statements of a formatted file: each begins at the left margin, and closing brackets belong to it. */
const statementsOf = (text: string): string[] => text.split(/\n(?=[a-z@])/)

const isTest = (statement: string): boolean => /^(?:for .*?)?(?:test|describe)(?:\.\w+)?\(/s.test(statement)

const isFunction = (statement: string): boolean =>
  /^const \w+ = (?:async )?(?:<|\((?!await))|^[^\n]*=>/.test(statement)

const waits = (statement: string): boolean =>
  /^(?:await|const|let|for|if|try)\b.*\bawait\b/s.test(statement) && !isFunction(statement)

// The runner ends a file's work (`after`) as soon as every test that it knows of is done. A file that is still waiting
// for its set-up then loses its database, or what it starts later is never stopped.
test('a test file awaits its whole set-up before its first test', () => {
  const late = listTestFiles().flatMap((file) => {
    const statements = statementsOf(readFileSync(resolve(ROOT, file), 'utf8'))
    const first = statements.findIndex(isTest)
    return statements
      .filter((statement, index) => first !== -1 && index > first && !isTest(statement) && waits(statement))
      .map((statement) => `${file}: ${statement.split('\n')[0]}`)
  })
  assert.deepEqual(late, [])
})
