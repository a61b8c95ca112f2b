// What operators see of webhooks on /metrics.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { readFloorSeconds, runTransaction } from '../../platform/db/horizon.ts'
import { readWebhookBacklog } from './backlog-queries.ts'
import { makeEvents } from './testing/make-events.ts'

const app = await startApp()
const { make, call, db, clock } = app

const makeEndpoint = async ({ token }: { token: string }) => {
  const { body } = await call(token, 'POST', '/webhook-endpoints', { url: 'http://127.0.0.1:19999/hook' })
  return body.webhookEndpoint.id as string
}

const set = (id: string, values: object) =>
  db.updateTable('webhook_endpoints').set(values).where('id', '=', id).execute()

test('what waits is counted on all endpoints, and its age only where nothing but us keeps it waiting', async () => {
  assert.deepEqual(await readWebhookBacklog(db, clock.now()), {
    ...{ waiting: 0, oldestSeconds: 0, working: 0, failing: 0, paused: 0, disabled: 0 },
  })
  const workspace = await make.workspace()
  const other = await make.workspace()
  const [working, failing, paused, disabled, byAdmin] = [
    await makeEndpoint(workspace),
    await makeEndpoint(other),
    await makeEndpoint(workspace),
    await makeEndpoint(workspace),
    await makeEndpoint(workspace),
  ]
  await makeEvents(app, workspace.id, [{}, {}])
  await makeEvents(app, other.id, [{}])
  const at = new Date(clock.now().getTime() + 60_000)
  await set(failing, { failing_since: at, probe_at: at })
  await set(paused, { status: 'paused' })
  await set(disabled, { status: 'disabled', status_reason: 'failing' })
  await set(byAdmin, { status: 'disabled', status_reason: 'admin' })
  await db.deleteFrom('webhook_deliveries').where('endpoint_id', '=', working).execute()
  const quiet = await readWebhookBacklog(db, at)
  assert.deepEqual(quiet, {
    ...{ waiting: 7, oldestSeconds: 0, working: 1, failing: 1, paused: 1, disabled: 1 },
  })
  await makeEvents(app, workspace.id, [{}])
  const { waiting, oldestSeconds } = await readWebhookBacklog(db, at)
  assert.equal(waiting, 9)
  assert.ok(oldestSeconds > 50 && oldestSeconds <= 60, String(oldestSeconds))
})

test('a list’s floor is as old as the oldest transaction that is open', async () => {
  const { id } = await make.workspace()
  let ageInside = 0
  await runTransaction({ db, workspaceId: id }, false, async (trx) => {
    await trx.selectFrom('workspaces').select('id').execute()
    await new Promise((done) => setTimeout(done, 60))
    ageInside = await readFloorSeconds(db)
  })
  assert.ok(ageInside >= 0.05 && ageInside < 30, String(ageInside))
  assert.equal(await readFloorSeconds(db), 0)
})
