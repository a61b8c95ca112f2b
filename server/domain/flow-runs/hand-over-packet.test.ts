// What people and customers get when the AI agent hands over: a note, a draft, and how long it usually takes.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { allowOutbound } from '../../../channels/protocol/outbound.ts'
import { type AnswerInput, startSandbox } from '../../../sandbox/sandbox.ts'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { startAssisting } from '../ai/testing/assisted.ts'
import { closeBusiness } from '../ai/testing/set-up.ts'
import { sendMessage } from '../messages/send-message.ts'

const KEY = 'sk-packet-93b0de17fa2846c5'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
after(() => sandbox.stop())
const app = await startApp()
const { make } = app
const { pass, place, conductor, thinker } = startAssisting(app)
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())
after(async () => {
  await thinker.stop()
  await conductor.stop()
})

const MINUTE_MS = 60_000

const call = (name: string, given: Record<string, unknown>): AnswerInput => ({
  calls: [{ name, arguments: given }],
})
const withModel = (options: Parameters<typeof place>[0] = {}) =>
  place({ ...options, model: { url: sandbox.url, key: KEY, name: 'sandbox-script' } })

test('whoever asks for a person leaves a note: what they asked before, what they were told from, in which language', async () => {
  const there = await place()
  await there.opens('How much is shipping?')
  await there.says('I want to talk to a human, I am from Zagreb')
  assert.deepEqual(await there.notes(), [
    [
      'AI agent: handed over because the customer asked for a person.',
      'The customer asked:\nHow much is shipping?\nI want to talk to a human, I am from Zagreb',
      'Sources:\nShipping cost',
      'Language: English',
    ].join('\n\n'),
  ])
})

const draftsIn = async ({ workspaceId, conversationId }: Awaited<ReturnType<typeof place>>) => {
  const jane = await signIn(app, workspaceId, (await make.agent(workspaceId, { role: 'admin' })).id)
  const { status, body } = await jane.call('GET', `/conversations/${conversationId()}/reply-drafts`)
  assert.equal(status, 200)
  return body.drafts as {
    text: string
    isWithheld: boolean
    isStale: boolean
    sources: { title: string }[]
  }[]
}

test('what did not pass the checks is no draft for people either', async () => {
  for (const [text, sources] of [
    ['It takes 99 days.', ['s1']],
    ['Write to boss@elsewhere.example.', ['s1']],
    ['I have refunded you.', ['s1']],
    ['You can return everything within 30 days.', []],
  ] as const) {
    const there = await withModel()
    const bad = call('end_turn', { action: 'reply', text, sources: [...sources] })
    control.scriptModel([bad, bad])
    await there.opens('May I return everything?')
    assert.match((await there.thread()).at(-1)!, /team will reply/)
    assert.deepEqual(await draftsIn(there), [], text)
  }
})

/** Hand-overs of one workspace, each answered by a person after so many minutes; null: by nobody. */
const handedOver = async (there: Awaited<ReturnType<typeof place>>, waits: readonly (number | null)[]) => {
  const { id: accountId } = await make.agent(there.workspaceId, { role: 'admin' })
  const jane = {
    ...there.ctx,
    actor: { type: 'agent' as const, accountId, role: 'admin' as const, permissions: [] },
  }
  for (const minutes of waits) {
    await there.says('I want to talk to a human')
    if (minutes !== null) {
      await pass(minutes * MINUTE_MS)
      await sendMessage(jane, { conversationId: there.conversationId(), body: 'Hello!' })
    }
    await there.send('POST', '/close')
    await pass(MINUTE_MS)
    await there.says('Hello again')
    await there.assign()
  }
}

test('in open hours customers read how long replies usually take, once enough is known of it', async () => {
  const there = await place()
  await there.opens('How much is shipping?')
  await handedOver(there, [4, 4, 4, 4, 4, 4, 4, 12, 12])
  await there.says('I want to talk to a human')
  assert.equal((await there.thread()).at(-1), 'agent: Someone from our team will reply here.')
  await handedOver(there, [12, 12])
  await there.says('I want to talk to a human')
  assert.equal(
    (await there.thread()).at(-1),
    'agent: Someone from our team will reply here, usually within 15 min.',
  )
  await there.send('POST', '/close')
  await closeBusiness(app, there.workspaceId)
  await there.says('Hello again')
  await there.assign()
  await there.says('I want to talk to a human')
  assert.match((await there.thread()).at(-1)!, /closed right now/)
})
