import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readForm } from './parse.ts'
import { isSigned, signatureOf } from './signature.ts'

const TOKEN = '12345'
const URL = 'https://mycompany.com/myapp.php?foo=1&bar=2'
const FIELDS = {
  CallSid: 'CA1234567890ABCDE',
  Caller: '+14158675309',
  Digits: '1234',
  From: '+14158675309',
  To: '+18005551212',
}
const SIGNATURE = 'RSOYDt4T1cUTdK1PDd93/VVr8B8='

const formOf = (fields: Record<string, string | string[]>) =>
  new Map(Object.entries(fields).map(([key, value]) => [key, [value].flat()]))

const form = formOf(FIELDS)

test('the provider’s own example is accepted, with its fields in any order', () => {
  assert.equal(signatureOf(TOKEN, URL, form), SIGNATURE)
  assert.ok(isSigned(TOKEN, { url: URL, form, signature: SIGNATURE }))
  assert.ok(isSigned(TOKEN, { url: URL, form: new Map([...form].reverse()), signature: SIGNATURE }))
})

test('a wrong token, URL or field, or no signature, is refused', () => {
  for (const [token, request] of [
    ['12346', { url: URL, form, signature: SIGNATURE }],
    ['', { url: URL, form, signature: signatureOf('', URL, form) }],
    [TOKEN, { url: `${URL}&x`, form, signature: SIGNATURE }],
    [TOKEN, { url: URL, form: formOf({ ...FIELDS, Digits: '1235' }), signature: SIGNATURE }],
    [TOKEN, { url: URL, form, signature: undefined }],
    [TOKEN, { url: URL, form, signature: '' }],
    [TOKEN, { url: URL, form, signature: SIGNATURE.slice(1) }],
  ] as const)
    assert.equal(isSigned(token, request), false)
})

test('the port may be missing on either side, but the host must match', () => {
  const signed = (url: string) => signatureOf(TOKEN, url, form)
  const plain = 'https://foyer.example/webhooks/sms/c1'
  assert.ok(
    isSigned(TOKEN, { url: plain, form, signature: signed('https://foyer.example:443/webhooks/sms/c1') }),
  )
  assert.ok(
    isSigned(TOKEN, { url: 'https://foyer.example:8443/webhooks/sms/c1', form, signature: signed(plain) }),
  )
  assert.equal(
    isSigned(TOKEN, { url: plain, form, signature: signed('https://foyer.evil/webhooks/sms/c1') }),
    false,
  )
})

test('empty values count, repeated ones count once, and nothing is trimmed', () => {
  const of = (fields: Record<string, string | string[]>) => signatureOf(TOKEN, URL, formOf(fields))
  assert.notEqual(of({ a: '', b: '1' }), of({ b: '1' }))
  assert.equal(of({ a: ['2', '1', '2'] }), of({ a: ['1', '2'] }))
  assert.notEqual(of({ a: ' 1' }), of({ a: '1' }))
})

test('a form with more fields than Twilio sends is refused before it is parsed', () => {
  assert.equal(readForm('a=1&'.repeat(999))?.get('a')?.length, 999)
  const before = process.threadCpuUsage()
  assert.equal(readForm('a=1&'.repeat(1_000_000)), undefined)
  const { user, system } = process.threadCpuUsage(before)
  // Reading them all takes a second.
  assert.ok(user + system < 150_000, `${user + system} µs`)
})
