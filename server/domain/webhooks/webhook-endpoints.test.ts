// What an endpoint may be, who may see what of it, and what is kept of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configureOutbound } from '../../../channels/protocol/outbound.ts'
import { startApp } from '../../../test/app.ts'
import { sweepWebhooks } from '../../jobs/sweep-webhooks.ts'
import { newId } from '../../platform/db/id.ts'
import { createToken } from '../tokens/tokens.ts'
import { createEndpoint } from './create-endpoint.ts'
import { fanOut } from './fan-out.ts'
import { makeEvents } from './testing/make-events.ts'
import { updateEndpoint } from './update-endpoint.ts'

const app = await startApp()
const { make, call, db } = app
const workspace = await make.workspace()
const { secret: token } = await make.token(workspace.id)

/** Names that lead where they say. */
const NAMES: Record<string, string[]> = {
  'public.example': ['93.184.216.34'],
  'both.example': ['93.184.216.34', '10.0.0.5'],
  'metadata.example': ['169.254.169.254'],
  'foyer.example': ['93.184.216.35'],
  'xn--fyer-1ra.example': ['93.184.216.36'],
  'allowed.example': ['10.0.0.7'],
}
configureOutbound({
  allow: [{ host: 'allowed.example', port: 5678 }],
  own: [{ host: 'foyer.example', port: 443 }],
  resolve: (host, _, callback) => {
    const found = NAMES[host.replace(/\.$/, '')]
    const error = Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' })
    setImmediate(() =>
      found
        ? callback(
            null,
            found.map((address) => ({ address, family: 4 })),
          )
        : callback(error, []),
    )
  },
})

const NOTHING = { id: '', type: 'message.created', data: {} }

const create = (body: object) => call(token, 'POST', '/webhook-endpoints', body)

test('a URL that leads inside, to Foyer itself or to a port of other services is refused, however it is written', async () => {
  const refused = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://127.0.0.1./',
    'https://[::1]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:a00:1::]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://169.254.169.254/',
    'https://metadata.example/',
    'https://metadata.example./',
    'https://both.example/',
    'https://foyer.example/api/v1/conversations',
    'https://FOYER.example./mcp',
    'https://public.example:25/',
    'https://public.example:22/',
    'https://public.example:6379@127.0.0.1/',
    'https://user:pass@public.example/',
    'https://public.example/#x',
    'http://public.example/',
    'http://allowed.example/',
    'https://allowed.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'unix:/run/x.sock',
    'ftp://public.example/',
    'public.example',
    `https://public.example/${'x'.repeat(2_030)}`,
  ]
  for (const url of refused) {
    const { status, body } = await create({ url })
    assert.equal(status, 400, url)
    assert.equal(body.error.details[0].field, 'url', url)
    assert.doesNotMatch(body.error.details[0].message, /\d+\.\d+\.\d+\.\d+/, 'the address isn’t told')
  }
  for (const url of [
    'https://public.example/hook?a=b',
    'http://allowed.example:5678/',
    'https://fóyer.example/',
  ])
    assert.equal((await create({ url })).status, 200, url)
})

test('headers can’t be ours, end their line, be too many or too large, and are never returned', async () => {
  const url = 'https://public.example/'
  const one = (name: string, value = 'x') => create({ url, headers: [{ name, value }] })
  for (const name of [
    'Host',
    'content-length',
    'Webhook-Signature',
    'foyer-kind',
    'transfer-encoding',
    'cookie',
    'a b',
    'a:',
    '__proto__',
  ])
    assert.equal((await one(name)).status, 400, name)
  for (const value of ['a\r\nx: y', 'a\nb', 'a\0b', 'ü', 'x'.repeat(9_000)])
    assert.equal((await one('x-key', value)).status, 400)
  const eleven = Array.from({ length: 11 }, (_, index) => ({ name: `x-${index}`, value: 'x' }))
  assert.equal((await create({ url, headers: eleven })).status, 400)
  assert.equal(
    (
      await create({
        url,
        headers: [
          { name: 'X-A', value: '1' },
          { name: 'x-a', value: '2' },
        ],
      })
    ).status,
    400,
  )

  const made = await create({ url, headers: [{ name: 'Authorization', value: 'Bearer their-secret' }] })
  const { id } = made.body.webhookEndpoint
  const get = async () => (await call(token, 'GET', `/webhook-endpoints/${id}`)).text
  assert.doesNotMatch(made.text.replace(made.body.secret, ''), /their-secret|whsec_[A-Za-z0-9+/]{5}/)
  assert.doesNotMatch(await get(), /their-secret|whsec_[A-Za-z0-9+/]{5}/)
  const { rows } = await app.database.pool.query(
    `select to_jsonb(e)::text as row from webhook_endpoints e where id = '${id}'`,
  )
  assert.doesNotMatch(rows[0]!.row, /their-secret|whsec_[A-Za-z0-9+/]{5}/)
  const change = (body: object) => call(token, 'PATCH', `/webhook-endpoints/${id}`, body)
  assert.equal((await change({ url: 'https://public.example/other' })).status, 200)
  const moved = await change({ url: 'https://xn--fyer-1ra.example/' })
  assert.equal(moved.body.error.details[0].field, 'headers[0]', 'a new host needs the values again')
})

test('the same externalRef returns the endpoint that is there', async () => {
  const body = { url: 'https://public.example/', externalRef: 'n8n-7' }
  const [first, ...others] = await Promise.all([create(body), create(body), create(body)])
  const ids = [first!, ...others].map((answer) => answer.body.webhookEndpoint.id)
  assert.equal(new Set(ids).size, 1)
  assert.equal([first!, ...others].filter((answer) => answer.body.secret !== null).length, 1)
})

test('a workspace has at most 20 endpoints', async () => {
  const other = await make.workspace()
  const { secret } = await make.token(other.id)
  const answers = await Promise.all(
    Array.from({ length: 22 }, () =>
      call(secret, 'POST', '/webhook-endpoints', { url: 'https://public.example/' }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 20)
  assert.ok(
    answers.every(({ status, body }) => status === 200 || body.error.code === 'WEBHOOK_LIMIT_REACHED'),
  )
})

test('events of workspaces without endpoints cost one statement, and with them two', async () => {
  const empty = await make.workspace()
  await makeEvents(app, empty.id, [{}, {}])
  const events = [
    { workspaceId: empty.id, seq: 1, ...NOTHING },
    { workspaceId: empty.id, seq: 2, ...NOTHING },
  ]
  const count = async () => {
    const before = app.database.statements.length
    await fanOut(db, events, { now: new Date(), ctxOf: app.ctxOf })
    return app.database.statements.length - before
  }
  assert.equal(await count(), 1)
  await createEndpoint(app.ctxOf(empty.id), { url: 'https://public.example/', eventTypes: ['note.created'] })
  assert.equal(await count(), 2)
})

test('a batch that is passed on twice makes no delivery twice', async () => {
  const place = await make.workspace()
  await createEndpoint(app.ctxOf(place.id), { url: 'https://public.example/' })
  await makeEvents(app, place.id, [{}, {}])
  await assert.rejects(
    fanOut(db, [{ workspaceId: place.id, seq: 1, ...NOTHING }], { now: new Date(), ctxOf: app.ctxOf }),
  )
})

test('delivered ones are kept for 7 days, failed and waiting ones for 30', async () => {
  const place = await make.workspace()
  const { webhookEndpoint } = await createEndpoint(app.ctxOf(place.id), { url: 'https://public.example/' })
  const eventId = (await makeEvents(app, place.id, [{}]))[0]!.id
  const nowMs = Date.now()
  const states = ['delivered', 'failed', 'pending'] as const
  const rows = states.flatMap((state) =>
    [6, 8, 29, 31].map((days) => ({
      workspace_id: place.id,
      id: `${newId(1).slice(0, 1)}${(nowMs - days * 86_400_000).toString(36).padStart(8, '0')}${newId().slice(9)}`,
      endpoint_id: webhookEndpoint.id,
      event_id: eventId,
      seq: 1,
      previous_seq: null,
      type: `${state}.${days}`,
      conversation_id: null,
      kind: 'replay' as const,
      is_full: false,
      order_key: null,
      state,
      not_before: new Date(nowMs),
      created_at: new Date(nowMs - days * 86_400_000),
    })),
  )
  await db.insertInto('webhook_deliveries').values(rows).execute()
  await sweepWebhooks({ ...app.deps, log: app.app.log, now: () => new Date(nowMs), isStopping: () => false })
  const left = await db
    .selectFrom('webhook_deliveries')
    .select(['type', 'state'])
    .where('workspace_id', '=', place.id)
    .where('kind', '=', 'replay')
    .execute()
  assert.deepEqual(left.map(({ type, state }) => `${type} ${state}`).sort(), [
    'delivered.6 delivered',
    'failed.29 failed',
    'failed.6 failed',
    'failed.8 failed',
    'pending.29 pending',
    'pending.31 dropped',
    'pending.6 pending',
    'pending.8 pending',
  ])
})

test('a token needs webhooks:manage and all channels, and the right to read what full events contain', async () => {
  const ctx = app.ctxOf(workspace.id)
  const withToken = (more: object) => ({ ...ctx, actor: { type: 'token' as const, tokenId: 'c1', ...more } })
  const input = { url: 'https://public.example/', name: 'Limited' }
  const refused = { name: 'ApiError', code: 'INSUFFICIENT_SCOPE' }
  await assert.rejects(createEndpoint(withToken({ scopes: ['contacts:read'] }), input), refused)
  await assert.rejects(createEndpoint(withToken({ channels: ['web'] }), input), refused)
  const manager = withToken({ scopes: ['webhooks:manage'] })
  await assert.rejects(createEndpoint(manager, { ...input, payload: 'full' }), refused)
  const { webhookEndpoint } = await createEndpoint(manager, input)
  await assert.rejects(updateEndpoint(manager, webhookEndpoint.id, { payload: 'full' }), refused)
  const reader = withToken({ scopes: ['webhooks:manage', 'conversations:read', 'contacts:read'] })
  await assert.rejects(updateEndpoint(reader, webhookEndpoint.id, { payload: 'full' }), refused)
  const changes = { payload: 'full', eventTypes: ['message.*', 'contact.created'] } as const
  assert.equal(
    (await updateEndpoint(reader, webhookEndpoint.id, { ...changes, eventTypes: [...changes.eventTypes] }))
      .webhookEndpoint.payload,
    'full',
  )
  await assert.rejects(updateEndpoint(reader, webhookEndpoint.id, { eventTypes: ['agent.added'] }), refused)
})

test('what a full endpoint was sent is shown to nobody who couldn’t read it otherwise', async () => {
  const { id } = await make.workspace()
  const ctx = app.ctxOf(id)
  const conversation = await make.conversation(id)
  const { id: messageId } = await make.message(id, conversation, { body: 'The secret of the customer' })
  const { webhookEndpoint } = await createEndpoint(ctx, { url: 'https://public.example/', payload: 'full' })
  await makeEvents(app, id, [{ type: 'message.created', data: { messageId } }, { type: 'tag.deleted' }])
  const { body } = await call(
    (await make.token(id)).secret,
    'GET',
    `/webhook-endpoints/${webhookEndpoint.id}/deliveries`,
  )
  const [ofTag, ofMessage] = body.deliveries.map((delivery: { id: string }) => delivery.id)
  const { secret: manager } = await createToken(ctx, { name: 'M', scopes: ['webhooks:manage'] })
  const read = (one: string) => call(manager, 'GET', `/webhook-deliveries/${one}`)
  assert.equal((await read(ofTag)).status, 200)
  const refused = await read(ofMessage)
  assert.deepEqual([refused.status, refused.text.includes('secret')], [403, false])
  await db
    .updateTable('webhook_endpoints')
    .set({ status: 'disabled', status_reason: 'scope_lost' })
    .where('id', '=', webhookEndpoint.id)
    .execute()
  const enabled = await call(manager, 'POST', `/webhook-endpoints/${webhookEndpoint.id}/enable`, {
    backlog: 'send',
  })
  assert.equal(enabled.status, 403)
})

test('an endpoint that a token sends elsewhere ends with the token', async () => {
  const { id } = await make.workspace()
  const ctx = app.ctxOf(id)
  const { webhookEndpoint } = await createEndpoint(ctx, { url: 'https://public.example/' })
  const { token, secret } = await createToken(ctx, { name: 'M', scopes: ['webhooks:manage'] })
  const path = `/webhook-endpoints/${webhookEndpoint.id}`
  const createdBy = async (body: object) => {
    assert.equal((await call(secret, 'PATCH', path, body)).status, 200)
    return (await call(secret, 'GET', path)).body.webhookEndpoint.createdBy
  }
  assert.deepEqual(await createdBy({ name: 'Same place' }), webhookEndpoint.createdBy)
  assert.deepEqual(await createdBy({ url: 'https://public.example/' }), webhookEndpoint.createdBy)
  assert.deepEqual(await createdBy({ url: 'https://public.example/mine' }), {
    ...{ type: 'token', id: token.id, name: token.name },
  })
})
