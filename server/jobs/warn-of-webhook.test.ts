// What admins are told of webhooks that don't arrive, by email.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { makeEvents } from '../domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../domain/webhooks/testing/receiver.ts'
import type { Mail } from '../platform/mail.ts'
import { addJob } from '../platform/queue/add-job.ts'

let mails: Mail[] = []
const mail = {
  send: async (one: Mail) => void mails.push(one),
  onlyWorkspaceId: null,
  close: async () => {},
}
const app = await startApp({ worker: true, mail })
const { make, call, db } = app
beforeEach(() => {
  mails = []
})

const setUp = async (status: number) => {
  const workspace = await make.workspace({ name: 'Hollow & Kiln' })
  for (const email of ['ann@hollow.example', 'ben@hollow.example'])
    await make.agent(workspace.id, { email: `${workspace.id}-${email}`, role: 'admin' })
  await make.agent(workspace.id, { email: `${workspace.id}-cleo@hollow.example` })
  const receiver = await startReceiver(() => status)
  const { body } = await call(workspace.token, 'POST', '/webhook-endpoints', {
    ...{ name: 'CRM', url: `${receiver.url}?key=of-theirs` },
  })
  return { workspaceId: workspace.id, endpointId: body.webhookEndpoint.id as string }
}

/** To both admins and nobody else; the words of one. */
const toAdmins = async (workspaceId: string) => {
  await until(() => mails.length === 2, 'the mails')
  assert.deepEqual(
    mails.map(({ to }) => to).sort(),
    ['ann', 'ben'].map((name) => `${workspaceId}-${name}@hollow.example`),
  )
  assert.equal(mails[0]!.text, mails[1]!.text)
  return mails[0]!
}

const warn = (place: { workspaceId: string; endpointId: string }, warning: string) =>
  addJob({ db }, 'warn_of_webhook', { ...place, warning })

test('all admins are told when an endpoint was disabled, why, and what to do, without its address', async () => {
  const place = await setUp(410)
  await makeEvents(app, place.workspaceId, [{}])
  const { subject, text } = await toAdmins(place.workspaceId)
  assert.match(subject, /^Hollow & Kiln: webhooks to 127\.0\.0\.1:\d+ were turned off$/)
  assert.match(text, /“CRM”/)
  assert.match(text, /410 \(Gone\)/)
  assert.match(text, /30 days/)
  assert.ok(!text.includes('of-theirs'))
})

test('all admins are told while an endpoint is failing, and that nothing is lost', async () => {
  const place = await setUp(500)
  await db
    .updateTable('webhook_endpoints')
    .set({ failing_since: new Date('2026-11-21T09:30:00.000Z') })
    .where('id', '=', place.endpointId)
    .execute()
  await warn(place, '1')
  const { subject, text } = await toAdmins(place.workspaceId)
  assert.match(subject, /are failing$/)
  assert.match(text, /since 2026-11-21T09:30:00\.000Z/)
  assert.match(text, /Nothing is lost/)
})

test('nobody is told of an endpoint that works again, was enabled again, or is gone', async () => {
  const place = await setUp(200)
  await warn(place, '1')
  await warn(place, 'gone')
  await call((await make.token(place.workspaceId)).secret, 'DELETE', `/webhook-endpoints/${place.endpointId}`)
  await warn(place, '2')
  // Jobs of one kind that were added later are done later.
  const other = await setUp(200)
  await db
    .updateTable('webhook_endpoints')
    .set({ failing_since: new Date() })
    .where('id', '=', other.endpointId)
    .execute()
  await warn(other, '1')
  await toAdmins(other.workspaceId)
  const { rows } = await app.database.pool.query(
    `select count(*)::integer as count from graphile_worker.jobs where task_identifier = 'warn_of_webhook'`,
  )
  assert.equal(rows[0].count, 0)
  assert.equal(mails.length, 2)
})
