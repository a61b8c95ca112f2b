import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { GREETING, makeFlow } from '../../../test/make-flow.ts'
import { countOwn } from '../../../test/statements.ts'
import { raiseAutomationRevision } from '../workspaces/queries.ts'
import { findVersion, findVersions, listLiveFlows, liveFlowsOf, versionKey } from './live-flows.ts'

const app = await startApp()
const { make, ctxOf, database } = app

const idsOf = (flows: Iterable<{ id: string }>): string[] => [...flows].map(({ id }) => id)

test('only live flows start anything, in their order, and those of the workspace alone', async () => {
  const { id: workspaceId } = await make.workspace()
  const second = await makeFlow(app, workspaceId, { position: 2 })
  const first = await makeFlow(app, workspaceId, { position: 1 })
  for (const state of ['draft', 'paused', 'archived'] as const) await makeFlow(app, workspaceId, { state })
  await makeFlow(app, (await make.workspace()).id)
  const flows = await listLiveFlows(ctxOf(workspaceId))
  assert.deepEqual(idsOf(flows), [first.id, second.id])
  assert.deepEqual(flows[0], {
    id: first.id,
    name: first.name,
    version: 1,
    position: 1,
    definition: { kind: 'dialog', triggers: GREETING.triggers },
  })
})

test('live flows are read again only after a change, of which every process learns by the revision', async () => {
  const { id: workspaceId } = await make.workspace()
  const ctx = ctxOf(workspaceId)
  const flow = await makeFlow(app, workspaceId)
  const before = await liveFlowsOf(ctx)
  const start = database.statements.length
  assert.equal(await liveFlowsOf(ctx), before)
  assert.equal(countOwn(database.statements.slice(start)), 1)
  assert.equal(await liveFlowsOf(ctx, before.revision), before)
  assert.equal(countOwn(database.statements.slice(start)), 1)

  await app.db.updateTable('flows').set({ state: 'paused' }).where('id', '=', flow.id).execute()
  await raiseAutomationRevision(ctx, false)
  const after = await liveFlowsOf(ctx)
  assert.equal(after.flows.size, 0)
  assert.equal(after.revision, before.revision + 1)
})

test('a version is read once, many of them in one statement, and never for another workspace', async () => {
  const { id: workspaceId } = await make.workspace()
  const ctx = ctxOf(workspaceId)
  const flows = [await makeFlow(app, workspaceId), await makeFlow(app, workspaceId)]
  const keys = flows.map(({ id }) => ({ flowId: id, version: 1 }))
  const start = database.statements.length
  const found = await findVersions(ctx, [...keys, { flowId: flows[0]!.id, version: 2 }])
  assert.deepEqual([...found.keys()].sort(), keys.map(versionKey).sort())
  assert.deepEqual(found.get(versionKey(keys[0]!)), GREETING)
  assert.deepEqual(await findVersion(ctx, flows[1]!.id, 1), GREETING)
  assert.equal(countOwn(database.statements.slice(start)), 1)
  assert.equal(await findVersion(ctxOf((await make.workspace()).id), flows[0]!.id, 1), undefined)
})
