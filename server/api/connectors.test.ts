// What connectors fill their drop-downs with.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../test/app.ts'
import { createToken } from '../domain/tokens/tokens.ts'

const app = await startApp()
const { call, db, make } = app

test('channels show where customers write to and what is wrong, and nothing that only admins need', async () => {
  const workspace = await make.workspace()
  const whatsapp = await make.channelAccount(workspace.id, 'whatsapp')
  const web = await make.channelAccount(workspace.id, 'web')
  const problem = { code: '190', message: 'The access token has expired.', since: '2026-11-21T09:30:00.000Z' }
  await db
    .updateTable('channel_accounts')
    .set({ address: '+351912345678', problem: JSON.stringify(problem) })
    .where('id', '=', whatsapp)
    .execute()
  const { body } = await call(workspace.token, 'GET', '/channels')
  assert.deepEqual(body.channels, [
    { id: whatsapp, channel: 'whatsapp', name: 'whatsapp account', address: '+351912345678', problem },
    { id: web, channel: 'web', name: 'web account', address: null, problem: null },
  ])
  const { secret } = await createToken(app.ctxOf(workspace.id), { name: 'Web', channels: ['web'] })
  const seen = await call(secret, 'GET', '/channels')
  assert.deepEqual(
    seen.body.channels.map(({ id }: { id: string }) => id),
    [web],
  )
})

test('fields are listed with their types, count and the newest value, most frequent first', async () => {
  const workspace = await make.workspace()
  assert.deepEqual((await call(workspace.token, 'GET', '/contact-fields')).body, { fields: [] })
  const upsert = (externalId: string, customFields: object) =>
    call(workspace.token, 'POST', '/contacts/upsert', { match: { externalId }, set: { customFields } })
  await upsert('1', { plan: 'pro', seats: 3 })
  await upsert('2', { plan: 'free', seats: 'many', vip: true })
  await upsert('3', { plan: 'team', __proto: 0 })
  await upsert('4', {})
  const { body } = await call(workspace.token, 'GET', '/contact-fields')
  assert.deepEqual(body.fields, [
    { key: 'plan', types: ['string'], count: 3, example: 'team' },
    { key: 'seats', types: ['number', 'string'], count: 2, example: 'many' },
    { key: '__proto', types: ['number'], count: 1, example: 0 },
    { key: 'vip', types: ['boolean'], count: 1, example: true },
  ])
})

test('a token for channels gets the fields of contacts on them', async () => {
  const workspace = await make.workspace()
  for (const channel of ['web', 'telegram'] as const) {
    const contact = await make.contact(workspace.id)
    await make.conversation(workspace.id, { contactId: contact.id, channel })
    await call(workspace.token, 'PATCH', `/contacts/${contact.id}`, { customFields: { [channel]: 1 } })
  }
  const { secret } = await createToken(app.ctxOf(workspace.id), { name: 'Web', channels: ['web', 'sms'] })
  const { body } = await call(secret, 'GET', '/contact-fields')
  assert.deepEqual(
    body.fields.map(({ key }: { key: string }) => key),
    ['web'],
  )
})

test('however many contacts and fields there are, only a bounded part is read', async () => {
  const workspace = await make.workspace()
  await sql`
    insert into contacts (workspace_id, id, name, custom_fields, last_activity_at, search_text, created_at)
    select ${workspace.id}, 'c' || lpad(n::text, 24, '0'), 'Person ' || n,
      case when n > 3000 then (select jsonb_object_agg('field ' || n % 20 || ' ' || f, f) from generate_series(1, 100) f)
        else '{"old": true}' end,
      timestamptz '2026-01-01' + n * interval '1 minute', 'person ' || n, '2026-01-01'
    from generate_series(1, 4000) n`.execute(db)
  const { body } = await call(workspace.token, 'GET', '/contact-fields')
  const counted = body.fields.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
  assert.ok(body.fields.length <= 1000)
  assert.ok(counted <= 3_000 && counted > 0, `${counted} values were read`)
  assert.ok(!body.fields.some(({ key }: { key: string }) => key === 'old'))
})
