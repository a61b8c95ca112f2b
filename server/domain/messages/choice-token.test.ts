import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../platform/db/id.ts'
import { makeSeal } from '../../platform/seal.ts'
import { CHOICE_TOKEN_BYTES_MAX, choiceToken, readChoiceToken } from './choice-token.ts'

const seal = makeSeal('a secret key of more than thirty-two characters')
const workspaceId = newId()
const choice = { runId: newId(), stepId: 's1', number: 2 }
const token = choiceToken(seal, { workspaceId, ...choice })

test('a token names the run, the step and the option that it was made for', () => {
  assert.deepEqual(readChoiceToken(seal, workspaceId, token), choice)
  for (const number of [0, 31, 130, 999]) {
    const other = choiceToken(seal, { workspaceId, ...choice, number })
    assert.deepEqual(readChoiceToken(seal, workspaceId, other), { ...choice, number })
  }
})

test('the longest token fits the data of a button on Telegram, which is counted in bytes', () => {
  const longest = choiceToken(seal, { workspaceId, ...choice, stepId: 'sabcdefghijk', number: 999 })
  assert.ok(Buffer.byteLength(longest) <= CHOICE_TOKEN_BYTES_MAX)
  assert.notEqual(readChoiceToken(seal, workspaceId, longest), null)
})

test('a token means nothing in another workspace or under another key', () => {
  assert.equal(readChoiceToken(seal, newId(), token), null)
  assert.equal(
    readChoiceToken(makeSeal('another secret key of thirty-two characters'), workspaceId, token),
    null,
  )
})

test('a token changed at any character, or cut anywhere, is plain text', () => {
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'a' ? 'b' : 'a'
    assert.equal(readChoiceToken(seal, workspaceId, token.slice(0, at) + other + token.slice(at + 1)), null)
    assert.equal(readChoiceToken(seal, workspaceId, token.slice(0, at)), null)
  }
  assert.equal(readChoiceToken(seal, workspaceId, token.replace('.2.', '.3.')), null)
})

test('whatever else a customer or a provider sends is no token', () => {
  const others = [
    undefined,
    null,
    2,
    {},
    '',
    ' ',
    '2',
    'f1',
    `${token} `,
    ` ${token}`,
    `${token}\n`,
    `${token}${token}`,
    token.toUpperCase(),
    token.replace('.2.', '.02.'),
    token.replace('f1.', 'f2.'),
    'f1.'.repeat(10_000),
  ]
  for (const other of others) assert.equal(readChoiceToken(seal, workspaceId, other), null)
})
