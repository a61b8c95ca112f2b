import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const folder = mkdtempSync(join(tmpdir(), 'foyer-runner-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const here = (file: string) => pathToFileURL(join(import.meta.dirname, file)).toString()

/** Runs a test file of its own, as test/run.ts does. */
const runFile = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return spawnSync(process.execPath, [`--import=${here('file-bound.ts')}`, '--test', path], {
    env: { ...env, TEST_FILE_MAX_MS: '2000' },
    encoding: 'utf8',
    timeout: 60_000,
  })
}

test('a file whose failed test left a server running ends, and is named', () => {
  const { status, stdout, stderr } = runFile(
    'hanging.test.ts',
    `import { createServer } from 'node:http'
     import { test } from 'node:test'
     test('fails before it stops its server', () => {
       createServer().listen(0, '127.0.0.1')
       throw new Error('on purpose')
     })`,
  )
  assert.equal(status, 1)
  assert.match(stdout + stderr, /hanging\.test\.ts did not end within 2 s\. It still holds: .*TCP/)
})

test('what could not be stopped at the end is logged, and the rest is stopped all the same', () => {
  const { status, stdout, stderr } = runFile(
    'stopping.test.ts',
    `import { test } from 'node:test'
     import { atTheEnd } from '${here('at-the-end.ts')}'
     test('passes', () => {
       atTheEnd(() => console.error('the older one stopped'))
       atTheEnd(() => { throw new Error('will not stop') })
     })`,
  )
  assert.equal(status, 1)
  assert.match(stdout + stderr, /Could not clean up after the tests: Error: will not stop/)
  assert.match(stdout + stderr, /the older one stopped/)
})
