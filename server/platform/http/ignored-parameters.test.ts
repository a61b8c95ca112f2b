import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { nearOf } from './ignored-parameters.ts'

const { call, make } = await startApp()
const { token } = await make.workspace()
const HEADER = 'foyer-ignored-parameters'

test('a query parameter that an operation does not have is ignored, and named with the one that was meant', async () => {
  for (const [path, header] of [
    ['/contacts?page_size=5', '"page_size";near="pageSize"'],
    ['/contacts?mail=a@example.com&colour=red', '"mail";near="email", "colour"'],
    ['/conversations?agent=ai&contact_id=x', '"agent";near="agentId", "contact_id";near="contactId"'],
    ['/messages?dierction=inbound', '"dierction";near="direction"'],
    ['/tags?limit=5', '"limit"'],
    [`/tags?${encodeURIComponent('a"b\r\nx: y')}=1`, '"a%22b%0D%0Ax%3A%20y"'],
  ] as const) {
    const { status, headers } = await call(token, 'GET', path)
    assert.equal(status, 200, path)
    assert.equal(headers[HEADER], header, path)
  }
})

test('a request whose parameters are all known carries no such header', async () => {
  for (const path of ['/contacts', '/contacts?email=a@example.com&pageSize=5', '/messages?limit=1'])
    assert.equal((await call(token, 'GET', path)).headers[HEADER], undefined, path)
})

test('a header of ignored parameters stays short, whatever is sent', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `${'x'.repeat(20)}${index}`)
  const { headers } = await call(token, 'GET', `/tags?${names.map((name) => `${name}=1`).join('&')}`)
  assert.equal(String(headers[HEADER]).split(', ').length, 10)
  const long = await call(token, 'GET', `/tags?${'y'.repeat(5_000)}=1`)
  assert.ok(String(long.headers[HEADER]).length < 100)
})

test('a name is near when it is written in another way, begun, or has a letter wrong', () => {
  const known = ['agentId', 'contactId', 'cursor', 'limit', 'q', 'status', 'channel', 'sort']
  for (const [given, near] of [
    ['agent', 'agentId'],
    ['agent_id', 'agentId'],
    ['AgentID', 'agentId'],
    ['chanel', 'channel'],
    ['stauts', 'status'],
    ['sortBy', 'sort'],
    ['colour', undefined],
    ['x', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ] as const)
    assert.equal(nearOf(given, known), near, given)
})

test('a body with an unknown field beside a missing one names both', async () => {
  const { status, body } = await call(token, 'POST', '/conversations', { emial: 'a@example.com', name: 'A' })
  assert.equal(status, 400)
  assert.deepEqual(body.error.details, [
    { field: 'email', message: 'is required (unknown fields sent: "emial")' },
  ])
  const { id } = await make.contact((await make.workspace()).id)
  const changed = await call(token, 'PATCH', `/contacts/${id}`, { nmae: 'A' })
  assert.match(changed.body.error.details[0].message, /^at least one of .* is required \(.*: "nmae"\)$/)
  const plain = await call(token, 'POST', '/conversations', { name: 'A' })
  assert.deepEqual(plain.body.error.details, [{ field: 'email', message: 'is required' }])
})
