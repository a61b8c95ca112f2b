import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
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
