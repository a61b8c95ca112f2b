import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { QUEUE_LIBRARY } from './migrate-jobs.ts'

test("a database is migrated for the version of the queue's library that is installed", () => {
  const file = new URL('../package.json', import.meta.resolve('graphile-worker'))
  const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string }
  assert.equal(QUEUE_LIBRARY, `${name} ${version}`)
})
