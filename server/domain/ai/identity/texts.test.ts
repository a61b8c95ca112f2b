import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeText } from './texts.ts'

const LANGUAGES = ['en', 'de', 'es', 'pt', 'it', 'nl', 'pl', 'fr', 'tr', 'ru', 'uk', 'ar']

test('each language has words of its own, with the address, the code, the workspace and how long it is valid', () => {
  const values = { address: 'm•••@example.org', code: '123456', workspace: 'Northwind' }
  const seen = new Set<string>()
  for (const language of LANGUAGES) {
    const sent = codeText('sent', language, values)
    const message = codeText('message', language, values)
    assert.ok(sent.includes('m•••@example.org') && sent.includes('10'), language)
    assert.ok(
      ['123456', 'Northwind', '10'].every((part) => message.includes(part)),
      language,
    )
    // Notifications show subjects to whoever sees the screen.
    assert.ok(!codeText('subject', language, values).includes('123456'), language)
    for (const text of [sent, message, codeText('wrong', language), codeText('expired', language)]) {
      assert.ok(!/[{}]/.test(text), language)
      seen.add(text)
    }
  }
  assert.equal(seen.size, 4 * LANGUAGES.length)
})
