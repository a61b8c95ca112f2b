import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeliveryError } from '../contract/channel.ts'
import { classifyAnswer, classifyError, classifyErrors, type FailureKind, WhatsAppError } from './errors.ts'

const graphError = (code: number, details: unknown = 'Some details.') =>
  JSON.stringify({
    error: {
      message: `(#${code}) Something`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details },
      error_subcode: 2655007,
      fbtrace_id: 'AoqVN2paUXFdzO6OLGc7u5U',
    },
  })

const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
  classifyAnswer({ status, headers, body })

const CODES: [code: number, status: number, outcome: string, kind: FailureKind, isAccountWide: boolean][] = [
  [0, 401, 'refused', 'tokenInvalid', true],
  [1, 400, 'refused', 'other', false],
  [1, 500, 'retry', 'other', false],
  [2, 503, 'retry', 'other', false],
  [3, 500, 'refused', 'other', true],
  [4, 400, 'retry', 'tooFast', false],
  [10, 403, 'refused', 'other', true],
  [33, 400, 'refused', 'other', true],
  [100, 400, 'refused', 'other', false],
  [190, 401, 'refused', 'tokenInvalid', true],
  [200, 403, 'refused', 'other', true],
  [299, 403, 'refused', 'other', true],
  [368, 403, 'refused', 'other', true],
  [613, 400, 'retry', 'tooFast', false],
  [80007, 400, 'retry', 'tooFast', false],
  [130429, 400, 'retry', 'tooFast', false],
  [130429, 429, 'retry', 'tooFast', false],
  [130472, 400, 'refused', 'other', false],
  [130497, 403, 'refused', 'other', false],
  [131000, 500, 'retry', 'other', false],
  [131005, 403, 'refused', 'other', true],
  [131016, 500, 'retry', 'other', false],
  [131026, 400, 'refused', 'notOnWhatsapp', false],
  [131031, 403, 'refused', 'other', true],
  [131042, 400, 'refused', 'other', true],
  [131047, 400, 'refused', 'windowClosed', false],
  [131048, 400, 'retry', 'tooFast', true],
  [131049, 400, 'refused', 'other', false],
  [131050, 400, 'refused', 'optedOut', false],
  [131053, 400, 'refused', 'other', false],
  [131056, 400, 'retry', 'pairRate', false],
  [131057, 500, 'retry', 'other', false],
  [132000, 400, 'refused', 'templateParameters', false],
  [132001, 404, 'refused', 'templateMissing', false],
  [132005, 400, 'refused', 'templateParameters', false],
  [132012, 400, 'refused', 'templateParameters', false],
  [132015, 400, 'refused', 'templateMissing', false],
  [132016, 400, 'refused', 'templateMissing', false],
  [132018, 400, 'refused', 'templateParameters', false],
  [133010, 400, 'refused', 'other', true],
  [134101, 400, 'retry', 'other', false],
  [999999, 400, 'refused', 'other', false],
  [999999, 500, 'retry', 'other', false],
  [999999, 429, 'retry', 'tooFast', false],
]

for (const [code, status, outcome, kind, isAccountWide] of CODES)
  test(`code ${code} with HTTP ${status} is ${outcome}, ${kind}`, () => {
    const failure = answer(status, graphError(code))
    assert.deepEqual(
      {
        outcome: failure.outcome,
        kind: failure.kind,
        code: failure.code,
        isAccountWide: failure.isAccountWide,
      },
      { outcome, kind, code: String(code), isAccountWide },
    )
    assert.ok(failure.message.length > 10)
  })

test('a code means the same in a response and in a status', () => {
  for (const code of [131047, 131026, 131050, 130472, 131056, 132018, 190]) {
    const body = graphError(code)
    assert.deepEqual(answer(400, body), classifyErrors([JSON.parse(body).error]), String(code))
  }
  assert.equal(classifyErrors([]), null)
  assert.equal(classifyErrors(undefined), null)
})

test('details may be an object, text or missing', () => {
  const message = (error: object) => classifyError({ code: 132000, ...error }).message
  assert.match(message({ error_data: { details: 'one of (2)' } }), /WhatsApp says: one of \(2\)$/)
  assert.match(message({ error_data: 'as a text' }), /WhatsApp says: as a text$/)
  assert.match(message({ message: 'the message' }), /WhatsApp says: the message$/)
  assert.match(message({}), /number of parameters doesn’t match the template\.$/)
  for (const odd of [null, 7, [], ['a'], { details: null }, { details: 7 }, true])
    assert.doesNotThrow(() => message({ error_data: odd }))
})

test('a code may be text', () => {
  assert.equal(classifyError({ code: '131047' }).kind, 'windowClosed')
})

test('the outcome is unknown for a 5xx without the provider’s error', () => {
  for (const body of [
    '',
    '<html><body><h1>502 Bad Gateway</h1></body></html>',
    '{"message":"Internal server error"}',
    '{"error":"upstream timed out"}',
    '{"error":{}}',
    '{"error":null}',
    '[]',
    'null',
    '{"error":{"code":2',
    '['.repeat(100_000),
  ]) {
    const failure = answer(502, body)
    assert.equal(failure.outcome, 'unknown', body.slice(0, 40))
    assert.equal(failure.code, 'HTTP_502')
  }
})

test('a 5xx with the provider’s error body was not accepted', () => {
  assert.equal(answer(500, '{"error":{"message":"An unknown error occurred","code":1}}').outcome, 'retry')
  assert.equal(answer(503, '{"error":{"message":"Please retry"}}').outcome, 'retry')
})

test('an error marked as transient is retried', () => {
  assert.equal(classifyError({ code: 999999, is_transient: true }, 400).outcome, 'retry')
})

test('a 4xx without a readable body is refused, except those that mean to retry', () => {
  assert.equal(answer(400, '').outcome, 'refused')
  assert.equal(answer(404, '<html>').outcome, 'refused')
  assert.equal(answer(408, '').outcome, 'retry')
  assert.deepEqual(
    [answer(429, '').outcome, answer(429, '').kind, answer(429, '').code],
    ['retry', 'tooFast', 'HTTP_429'],
  )
  assert.equal(answer(401, '').kind, 'tokenInvalid')
})

test('Retry-After is read as seconds or as a date relative to the response, within limits', () => {
  const wait = (headers: Record<string, string>) => answer(429, graphError(130429), headers).retryAfterMs
  assert.equal(wait({ 'retry-after': '7' }), 7_000)
  assert.equal(wait({ 'retry-after': '999999999' }), 86_400_000)
  assert.equal(
    wait({ 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT', date: 'Sat, 21 Nov 2026 10:00:00 GMT' }),
    30_000,
  )
  assert.equal(wait({ 'retry-after': 'soon' }), undefined)
  assert.equal(wait({ 'retry-after': '-5' }), undefined)
  assert.equal(wait({}), undefined)
  const usage = { '10229': [{ type: 'messages', call_count: 100, estimated_time_to_regain_access: 3 }] }
  assert.equal(wait({ 'x-business-use-case-usage': JSON.stringify(usage) }), 180_000)
  assert.equal(wait({ 'x-business-use-case-usage': '{' }), undefined)
  assert.equal(answer(502, '', { 'retry-after': '3' }).retryAfterMs, 3_000)
})

test('the rate limit for one customer is retried after six seconds', () => {
  assert.equal(answer(400, graphError(131056)).retryAfterMs, 6_000)
})

test('access tokens are removed from messages and details', () => {
  const token = 'EAABsbCS1iHgBO7ZCxqzk3ZA'
  const malformed = { code: 190, message: `Malformed access token ${token}` }
  const elsewhere = { code: 100, error_data: { details: `Unsupported request with ${token}.` } }
  for (const error of [malformed, elsewhere]) {
    const failure = classifyError(error, 400)
    assert.doesNotMatch(`${failure.message} ${failure.detail}`, /EAA/)
  }
})

test('a failure is a DeliveryError with its kind', () => {
  const error = new WhatsAppError(answer(429, graphError(130429), { 'retry-after': '2' }))
  assert.ok(error instanceof DeliveryError)
  assert.deepEqual(
    [error.outcome, error.code, error.kind, error.retryAfterMs],
    ['retry', '130429', 'tooFast', 2_000],
  )
})
