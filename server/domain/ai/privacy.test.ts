// What a workspace lets its model's provider read, and whether that is kept.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { allowOutbound } from '../../../channels/protocol/outbound.ts'
import { type AnswerInput, startSandbox } from '../../../sandbox/sandbox.ts'
import { startApp } from '../../../test/app.ts'
import { updateAiSettings } from './settings.ts'
import { startAssisting } from './testing/assisted.ts'

const KEY = 'sk-privacy-0e64b2f8c15d4a97'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
after(() => sandbox.stop())
const app = await startApp()
const { place } = startAssisting(app)
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())

const ask: AnswerInput = {
  calls: [{ name: 'end_turn', arguments: { action: 'ask', text: 'Which order is it about?', options: [] } }],
}
const WORDS = 'I am maria.silva@example.com, call me on +351 911 222 333'
const sent = (): string => JSON.stringify(control.modelCalls().map(({ body }) => body))

test('the provider reads addresses and numbers of customers only where the workspace lets it', async () => {
  for (const hidesContacts of [false, true]) {
    control.clearModel()
    control.scriptModel([ask])
    const there = await place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-script' } })
    await updateAiSettings(there.ctx, { privacy: { hidesContacts, requestsKeptDays: 30 } })
    assert.match(await there.opens(WORDS), /Which order/)
    assert.equal(sent().includes('maria.silva@example.com'), !hidesContacts)
    assert.equal(/911 ?222 ?333/.test(sent()), !hidesContacts)
    assert.equal((await there.requests()).length, 1)
  }
})

test('with no days to keep it, what was sent is never stored, and what it cost still is', async () => {
  control.scriptModel([ask])
  const there = await place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-script' } })
  await updateAiSettings(there.ctx, { privacy: { hidesContacts: false, requestsKeptDays: 0 } })
  assert.match(await there.opens(WORDS), /Which order/)
  assert.deepEqual(await there.requests(), [])
  const [turn] = await there.turns()
  assert.ok(turn!.input_tokens > 0)
})
