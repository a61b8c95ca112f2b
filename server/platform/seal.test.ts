import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSeal, SealError } from './seal.ts'

const key = 'a'.repeat(43)
const seal = makeSeal(key)
const owner = { workspaceId: 'cworkspace', id: 'caccount' }

test('what was sealed opens with the same key for the same owner', () => {
  const text = JSON.stringify({ accessToken: 'EAAG…', note: '🙂' })
  const sealed = seal.seal(text, owner)
  assert.equal(makeSeal(key).open(sealed, owner), text)
  assert.ok(!sealed.includes('EAAG'))
  assert.notDeepEqual(seal.seal(text, owner), sealed)
})

test('another key, another owner and changed bytes are refused, and the key is named', () => {
  const sealed = seal.seal('secret', owner)
  const wrong: [Buffer, typeof seal, typeof owner][] = [
    [sealed, makeSeal('b'.repeat(43)), owner],
    [sealed, seal, { ...owner, id: 'cother' }],
    [sealed, seal, { ...owner, workspaceId: 'cother' }],
    ...Array.from(sealed.keys(), (at): [Buffer, typeof seal, typeof owner] => {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1
      return [changed, seal, owner]
    }),
    ...[0, 1, 12, 28].map((length): [Buffer, typeof seal, typeof owner] => [
      sealed.subarray(0, length),
      seal,
      owner,
    ]),
  ]
  for (const [bytes, opener, whose] of wrong) assert.throws(() => opener.open(bytes, whose), SealError)
  assert.throws(() => makeSeal('b'.repeat(43)).open(sealed, owner), /SECRET_KEY/)
})

test('a signature holds for its text, its purpose and its key', () => {
  const signature = seal.sign('attachment', 'c1/1700000000')
  assert.match(signature, /^[A-Za-z0-9_-]{43}$/)
  assert.ok(makeSeal(key).verify('attachment', 'c1/1700000000', signature))
  assert.ok(!seal.verify('attachment', 'c2/1700000000', signature))
  assert.ok(!seal.verify('invitation', 'c1/1700000000', signature))
  assert.ok(!makeSeal('b'.repeat(43)).verify('attachment', 'c1/1700000000', signature))
  for (const bad of ['', '*', signature.slice(1), `${signature}AA`])
    assert.ok(!seal.verify('attachment', 'c1/1700000000', bad))
})
