import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSandbox } from '../sandbox.ts'
import { makeWaiting } from './waiting.ts'

const sandbox = await startSandbox()
const { control } = sandbox
after(() => sandbox.stop())

const HEARD = {
  model: 'sandbox-person',
  system: '',
  entries: [{ from: 'user' as const, text: 'Hello' }],
  tools: [],
  mustCall: null,
  tokensMax: null,
}
const asked = { wire: 'chat' as const, heard: HEARD }

test('nobody answers in time, or whoever asked has gone: nothing waits any more', async () => {
  let changes = 0
  const waiting = makeWaiting(() => changes++)
  const gone = new AbortController()
  const left = waiting.ask(asked, { signal: gone.signal })
  assert.equal(waiting.list().length, 1)
  gone.abort()
  assert.equal(await left, null)
  assert.equal(await waiting.ask(asked, { signal: new AbortController().signal, waitMs: 1 }), null)
  assert.deepEqual([waiting.list(), changes], [[], 4])
  assert.equal(waiting.answer('1', { text: 'Too late' }), false)
  assert.equal(await waiting.ask(asked, { signal: gone.signal }), null)
})

test('a request that a person answers gets that answer once, over HTTP', async () => {
  const response = fetch(`${sandbox.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'sandbox-person', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  while (control.model().waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const { id } = control.model().waiting[0]!
  const answer = () =>
    fetch(`${sandbox.url}/control/model/waiting/${id}`, {
      method: 'POST',
      body: JSON.stringify({ text: 'Hi, I am a person.' }),
    })
  assert.equal((await answer()).status, 200)
  const body = (await (await response).json()) as { choices: { message: { content: string } }[] }
  assert.equal(body.choices[0]!.message.content, 'Hi, I am a person.')
  assert.equal((await answer()).status, 409)
  assert.deepEqual(
    control.model().answered.map(({ brain, said }) => [brain, said]),
    [['sandbox-person', 'Hello']],
  )
})

test('one brain answers for all models, until it is taken back', async () => {
  const say = async () => {
    const response = await fetch(`${sandbox.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'sandbox-facts', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    return JSON.stringify(await response.json())
  }
  const set = (brain: string | null) =>
    fetch(`${sandbox.url}/control/model`, { method: 'PATCH', body: JSON.stringify({ brain }) })
  assert.equal((await set('sandbox-talker')).status, 200)
  assert.match(await say(), /I would be glad to look into that/)
  assert.equal((await set('gpt')).status, 400)
  assert.equal((await set(null)).status, 200)
  assert.doesNotMatch(await say(), /I would be glad to look into that/)
})
