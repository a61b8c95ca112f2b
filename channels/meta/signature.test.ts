import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { answerHandshake, isSigned } from './signature.ts'

const SECRET = 'app-secret'
const SIGNATURE = 'sha256=3a0792e866743a32f9515004dab53e23758edf73e7f6201cf8deaf1b8c42c3ad'
const body = readFileSync(join(import.meta.dirname, 'testdata/signed.json'))

test('a webhook escaped and signed by the provider is accepted', () => {
  assert.ok(isSigned(body, SIGNATURE, [SECRET]))
  assert.ok(isSigned(body, `sha256=${SIGNATURE.slice(7).toUpperCase()}`, [SECRET]))
})

test('the same content serialised again has another signature', () => {
  const written = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
  assert.equal(isSigned(written, SIGNATURE, [SECRET]), false)
})

test('while secrets are being changed, either one is accepted', () => {
  assert.ok(isSigned(body, SIGNATURE, ['the-next-secret', SECRET]))
  assert.equal(isSigned(body, SIGNATURE, ['the-next-secret']), false)
  assert.equal(isSigned(body, SIGNATURE, []), false)
})

test('an empty secret is never accepted, even if the sender signed with it', () => {
  const forged = `sha256=${createHmac('sha256', '').update(body).digest('hex')}`
  assert.equal(isSigned(body, forged, ['']), false)
})

test('a changed byte, or a missing or malformed header, is refused', () => {
  const changed = Buffer.from(body)
  changed[changed.length - 3] = changed[changed.length - 3]! ^ 1
  assert.equal(isSigned(changed, SIGNATURE, [SECRET]), false)
  for (const header of [
    undefined,
    '',
    'sha256=',
    SIGNATURE.slice(0, -1),
    `${SIGNATURE}0`,
    SIGNATURE.slice(7),
    SIGNATURE.replace('sha256', 'sha1'),
    `sha256=${'g'.repeat(64)}`,
    `sha256=${'0'.repeat(64)}`,
  ])
    assert.equal(isSigned(body, header, [SECRET]), false, String(header))
})

const handshake = { 'hub.mode': 'subscribe', 'hub.verify_token': 'a-token', 'hub.challenge': '1158201444' }

test('the handshake returns the challenge verbatim', () => {
  assert.equal(answerHandshake(handshake, 'a-token'), '1158201444')
})

test('a handshake with a wrong token or mode, or a missing or repeated part, is refused', () => {
  for (const change of [
    { 'hub.verify_token': 'a-tokem' },
    { 'hub.verify_token': '' },
    { 'hub.verify_token': ['a-token', 'a-token'] },
    { 'hub.verify_token': undefined },
    { 'hub.mode': 'unsubscribe' },
    { 'hub.mode': undefined },
    { 'hub.challenge': undefined },
    { 'hub.challenge': ['1', '2'] },
    { 'hub.challenge': '1'.repeat(1025) },
  ])
    assert.equal(answerHandshake({ ...handshake, ...change }, 'a-token'), undefined, JSON.stringify(change))
  assert.equal(answerHandshake({ ...handshake, 'hub.verify_token': '' }, ''), undefined)
})
