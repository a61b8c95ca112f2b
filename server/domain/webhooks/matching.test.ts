// Which events an endpoint is given, and what becomes of it when it or its maker is gone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { removeAgent } from '../agents/remove-agent.ts'
import { deleteGone } from './sweep-queries.ts'
import { makeEvents } from './testing/make-events.ts'

const app = await startApp()
const { make, call, db, ctxOf } = app
const URL_GIVEN = 'http://127.0.0.1:19999/hook'

const sequencesOf = async (endpointId: string): Promise<(number | null)[]> =>
  (
    await db
      .selectFrom('webhook_deliveries')
      .select('seq')
      .where('endpoint_id', '=', endpointId)
      .orderBy('seq')
      .execute()
  ).map(({ seq }) => seq)

test('an endpoint for agents gets events of the conversations that those have, or that nobody has', async () => {
  const { id, token } = await make.workspace()
  const [jane, sam] = [await make.agent(id), await make.agent(id)]
  const conversations = [
    await make.conversation(id, { agentId: jane.id }),
    await make.conversation(id, { agentId: sam.id }),
    await make.conversation(id),
  ]
  const endpointFor = async (agentIds: string[]) => {
    const { status, body } = await call(token, 'POST', '/webhook-endpoints', {
      ...{ url: URL_GIVEN, filter: { agentIds } },
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body.webhookEndpoint.id
  }
  const [ofJane, ofNobody, ofEither] = [
    await endpointFor([jane.id]),
    await endpointFor(['none']),
    await endpointFor([sam.id, 'none']),
  ]
  await makeEvents(app, id, [
    ...conversations.map(({ id }) => ({ conversationId: id })),
    { type: 'tag.created', conversationId: null },
  ])
  assert.deepEqual(
    [await sequencesOf(ofJane), await sequencesOf(ofNobody), await sequencesOf(ofEither)],
    [[1], [3], [2, 3]],
  )
  const foreign = await make.workspace()
  const stranger = await make.agent(foreign.id)
  const refused = await call(token, 'POST', '/webhook-endpoints', {
    ...{ url: URL_GIVEN, filter: { agentIds: [stranger.id] } },
  })
  assert.equal(refused.status, 400)
})

test('an endpoint for tags gets events about contacts that have one of them at that moment', async () => {
  const { id, token } = await make.workspace()
  const [vip, late] = [await make.tag(id), await make.tag(id)]
  const [ada, bob] = [await make.contact(id), await make.contact(id)]
  const tag = (contactId: string, tagId: string) =>
    call(token, 'POST', `/contacts/${contactId}/tags`, { add: [tagId] })
  await tag(ada.id, vip)
  const { body } = await call(token, 'POST', '/webhook-endpoints', {
    ...{ url: URL_GIVEN, filter: { tagIds: [vip, late] } },
  })
  const { id: endpointId } = body.webhookEndpoint
  const about = (contactId: string | null) => ({ type: 'contact.updated', contactId })
  await makeEvents(app, id, [about(ada.id), about(bob.id), about(null)])
  await tag(bob.id, late)
  await makeEvents(app, id, [about(bob.id)])
  assert.deepEqual(await sequencesOf(endpointId), [1, 4])
})

test('the endpoint of an admin who was removed goes on: it is the workspace’s, and says who made it', async () => {
  const { id, token } = await make.workspace()
  await make.agent(id, { role: 'admin' })
  const jane = await make.agent(id, { nickname: 'Jane Miller', role: 'admin' })
  const made = await (await signIn(app, id, jane.id)).call('POST', '/webhook-endpoints', { url: URL_GIVEN })
  const { id: endpointId } = made.body.webhookEndpoint
  await removeAgent(ctxOf(id), jane.id)
  await makeEvents(app, id, [{}])
  assert.deepEqual(await sequencesOf(endpointId), [1])
  const { body } = await call(token, 'GET', `/webhook-endpoints/${endpointId}`)
  assert.equal(body.webhookEndpoint.status, 'enabled')
  assert.deepEqual(body.webhookEndpoint.createdBy, { type: 'agent', id: jane.id, name: 'Jane Miller' })
})

test('what a deleted endpoint leaves is deleted in batches, its row last, and nothing of others', async () => {
  const { id, token } = await make.workspace()
  const [gone, kept] = await Promise.all(
    [1, 2].map(
      async () =>
        (await call(token, 'POST', '/webhook-endpoints', { url: URL_GIVEN })).body.webhookEndpoint.id,
    ),
  )
  await makeEvents(app, id, [{}, {}, {}, {}, {}])
  assert.equal((await call(token, 'DELETE', `/webhook-endpoints/${gone}`)).status, 200)
  const rows = () =>
    db.selectFrom('webhook_endpoints').select('id').where('workspace_id', '=', id).orderBy('id').execute()
  const counts: number[] = []
  while (counts.at(-1) !== 0) {
    counts.push(await deleteGone(db, 2))
    if (counts.at(-1) !== 0) assert.equal((await rows()).length, 2)
  }
  assert.deepEqual(counts, [2, 2, 1, 0])
  assert.deepEqual(await rows(), [{ id: kept }])
  assert.deepEqual(await sequencesOf(kept), [1, 2, 3, 4, 5])
})
