// Every operation records the events that it declares in operations.ts, and no others: with its facts, who did it, and for
// which request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPublic } from '../server/domain/feed/catalogue.ts'
import { requireFitting } from '../server/domain/feed/testing/require-fitting.ts'
import { startApp } from './app.ts'
import { makeWorld, OPERATIONS } from './operations.ts'

const app = await startApp()
const listEvents = (workspaceId: string) =>
  app.db
    .selectFrom('events')
    .select(['type', 'data', 'actor', 'request_id as requestId'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('tx')
    .orderBy('id')
    .execute()

const reader = await makeWorld(app, 'events-reader')

for (const [operationId, { success, before, events: declared = [] }] of Object.entries(OPERATIONS)) {
  const isRead = success(reader).method === 'GET'
  test(`${operationId} records ${declared.join(', ') || 'no events'}`, async () => {
    const world = isRead ? reader : await makeWorld(app, `events-${operationId.toLowerCase()}`)
    const { id, token, tokenId } = world.workspace
    const call = before?.(world)
    if (call) assert.equal((await app.call(token, call.method, call.path, call.body)).status, 200)
    await app.db.deleteFrom('events').where('workspace_id', '=', id).execute()
    const { method, path, body } = success(world)
    const headers = { 'x-request-id': `for-${operationId}` }
    const answer = await app.call(token, method, path, body, { headers })
    assert.equal(answer.status, 200, answer.text)
    const shown = (await listEvents(id)).flatMap((event) => {
      const found = toPublic(event)
      return found ? [{ ...event, ...found }] : []
    })
    for (const { actor, requestId, ...event } of shown) {
      requireFitting(event)
      assert.deepEqual(
        { actor, requestId },
        { actor: `token:${tokenId}`, requestId: headers['x-request-id'] },
      )
    }
    assert.deepEqual(shown.map(({ type }) => type).sort(), [...declared].sort())
  })
}
