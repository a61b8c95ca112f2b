import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { createToken } from '../tokens/tokens.ts'

const app = await startApp()
const { call, make, ctxOf } = app
const workspace = await make.workspace()
const { token } = workspace
const bulk = (body: object, of = token) => call(of, 'POST', '/conversations/bulk', body)
const statusOf = async (id: string) =>
  (await call(token, 'GET', `/conversations/${id}`)).body.conversation.status

test('each conversation has its result; those of others, hidden or missing ones stop nothing', async () => {
  const one = await make.conversation(workspace.id, { channel: 'web' })
  const two = await make.conversation(workspace.id, { channel: 'telegram' })
  const theirs = await make.conversation((await make.workspace()).id)
  const { secret } = await createToken(ctxOf(workspace.id), { name: 'Web', channels: ['web'] })
  const missing = { code: 'CONVERSATION_NOT_FOUND', message: 'Conversation not found.' }
  const ids = [theirs.id, two.id, one.id, 'nobody', one.id]
  assert.deepEqual((await bulk({ ids, action: 'close' }, secret)).body.results, [
    { id: theirs.id, ok: false, error: missing },
    { id: two.id, ok: false, error: missing },
    { id: one.id, ok: true },
    { id: 'nobody', ok: false, error: missing },
  ])
  assert.deepEqual([await statusOf(one.id), await statusOf(two.id)], ['closed', 'open'])
  await bulk({ ids: [one.id], action: 'reopen' })
  assert.equal(await statusOf(one.id), 'open')
})

test('conversations are assigned and unassigned, and who cannot be assigned is named for each', async () => {
  const agent = await make.agent(workspace.id)
  const ids = [(await make.conversation(workspace.id)).id, (await make.conversation(workspace.id)).id]
  const agentOf = async (id: string) =>
    (await call(token, 'GET', `/conversations/${id}`)).body.conversation.assignment?.agentId
  await bulk({ ids, action: 'assign', agentId: agent.id })
  for (const id of ids) assert.equal(await agentOf(id), agent.id)
  const { results } = (await bulk({ ids, action: 'assign', agentId: 'nobody' })).body
  assert.deepEqual(
    results.map(({ error }: { error: { code: string } }) => error.code),
    ['INVALID_AGENT', 'INVALID_AGENT'],
  )
  await bulk({ ids, action: 'unassign' })
  for (const id of ids) assert.equal(await agentOf(id), undefined)
})

test('a hundred at once are the most, and only assigning takes an agent', async () => {
  const { id } = await make.conversation(workspace.id)
  for (const [body, field] of [
    [{ ids: [], action: 'close' }, 'ids'],
    [{ ids: Array.from({ length: 101 }, (_, at) => `${id}${at}`), action: 'close' }, 'ids'],
    [{ ids: [id], action: 'delete' }, 'action'],
    [{ ids: [id], action: 'close', agentId: 'ai' }, 'agentId'],
  ] as const) {
    const { status, body: answer } = await bulk(body)
    assert.deepEqual([status, answer.error.details[0].field], [400, field])
  }
  assert.equal(await statusOf(id), 'open')
})

test('two calls that name the same conversations in opposite orders both succeed', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => (await make.conversation(workspace.id)).id),
  )
  const answers = await Promise.all([
    bulk({ ids, action: 'close' }),
    bulk({ ids: ids.toReversed(), action: 'reopen' }),
  ])
  for (const { body } of answers) assert.ok(body.results.every(({ ok }: { ok: boolean }) => ok))
})
