// Nothing crosses workspaces: not in a list, and not through any place where an id goes in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../server/platform/db/id.ts'
import { openapiDocument } from '../server/platform/http/openapi.ts'
import { startApp } from './app.ts'
import { makeWorld, OPERATIONS, traces, type World } from './operations.ts'

const app = await startApp()
const mine = await makeWorld(app, 'mine')
const theirs = await makeWorld(app, 'theirs')

const snapshot = async (world: World): Promise<string> => {
  const tables = [
    'workspaces',
    'memberships',
    'contacts',
    'conversations',
    'messages',
    'notes',
    'tags',
    'contact_tags',
    'contact_groups',
    'flows',
    'flow_runs',
    'knowledge_items',
    'knowledge_chunks',
    'knowledge_terms',
    'knowledge_sources',
    'knowledge_pages',
    'webhook_endpoints',
    'webhook_deliveries',
    'webhook_attempts',
    'api_tokens',
    'attachments',
    'exports',
    'erasures',
    'feed',
    'feed_heads',
    'events',
    'audit_log',
    'identities',
  ] as const
  const rows = await Promise.all(
    tables.map((table) => {
      const column = table === 'workspaces' ? 'id' : 'workspace_id'
      return app.database.pool.query(`select * from ${table} t where ${column} = $1 order by t::text`, [
        world.workspace.id,
      ])
    }),
  )
  return JSON.stringify(rows.map(({ rows }) => rows))
}

const places = Object.entries(OPERATIONS).flatMap(([operationId, { withId = {}, foreign = {} }]) =>
  Object.entries(withId).map(([place, call]) => ({ operationId, place, call, foreignId: foreign[place]! })),
)

test('every id in a path is in the table', () => {
  const { paths } = openapiDocument(app.app) as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const withPathId = Object.entries(paths)
    .filter(([path]) => path.includes('{'))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId))
  assert.deepEqual(
    withPathId.filter((operationId) => !OPERATIONS[operationId]?.withId?.path),
    [],
  )
})

for (const { operationId, place, call, foreignId } of places)
  test(`${operationId}: a foreign id in ${place} answers in the same bytes as one of nothing, and changes nothing`, async () => {
    const before = await snapshot(theirs)
    const ask = async (id: string) => {
      const { method, path, body } = call(mine, id)
      return app.call(mine.workspace.token, method, path, body)
    }
    const foreign = await ask(foreignId(theirs))
    const nothing = await ask(newId())
    if (place === 'path') assert.equal(foreign.status, 404)
    assert.equal(foreign.status, nothing.status)
    assert.equal(foreign.text, nothing.text)
    assert.equal(await snapshot(theirs), before)
  })

for (const [operationId, { success }] of Object.entries(OPERATIONS))
  test(`${operationId} shows nothing of another workspace`, async () => {
    const world = await makeWorld(app, `own-${operationId.toLowerCase()}`)
    const { method, path, body } = success(world)
    const before = await snapshot(theirs)
    const { status, text } = await app.call(world.workspace.token, method, path, body)
    assert.equal(status, 200, text)
    for (const trace of traces(theirs)) assert.ok(!text.includes(trace), `${trace} in ${text.slice(0, 300)}`)
    assert.equal(await snapshot(theirs), before)
  })
