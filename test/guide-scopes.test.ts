// The guide to tokens names exactly the scopes that exist.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SCOPES } from '../server/platform/db/tables.ts'

const guide = readFileSync(new URL('../docs/guide/tokens.md', import.meta.url), 'utf8')
const rows = guide.split('\n').filter((line) => line.startsWith('| `'))
const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, scope]) => scope))

for (const scope of SCOPES)
  test(`the guide to tokens says what ${scope} allows`, () => {
    assert.equal(named.filter((one) => one === scope).length, 1)
  })

test('the guide to tokens names no other scopes', () => {
  assert.deepEqual(
    named.filter((scope) => !SCOPES.some((one) => one === scope)),
    [],
  )
})
