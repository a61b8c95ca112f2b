import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowOutbound } from '../../../channels/protocol/outbound.ts'
import { ORDER_TOOL, serveMcp } from '../../../mcp-client/testing/serve-mcp.ts'
import { startApp } from '../../../test/app.ts'
import { callConsole, signIn } from '../../../test/console.ts'
import { GREETING } from '../../../test/make-flow.ts'
import { AUDIT_KEPT_MS, sweepOldRows } from '../../jobs/sweep-old-rows.ts'
import { createSignInLink } from '../accounts/create-sign-in-link.ts'
import type { NewAction } from '../actions/schema.ts'
import { DEFAULT_GUIDANCE } from '../ai/guidance/default-guidance.ts'
import { createToken } from '../tokens/tokens.ts'
import { recordAudit } from './record-audit.ts'

const app = await startApp()
const { call, ctxOf, db, make } = app
const workspace = await make.workspace()
const admin = await make.agent(workspace.id, { role: 'admin', nickname: 'Ada', email: 'ada@example.com' })
const ada = await signIn(app, workspace.id, admin.id)

type Entry = Record<string, unknown> & { actor: Record<string, unknown>; changes: Record<string, unknown> }

const entriesOf = async (query = ''): Promise<Entry[]> => {
  const { status, body } = await call(workspace.token, 'GET', `/audit-log${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.entries
}

test('an entry says who did what, from where, and for which request', async () => {
  const { body } = await ada.call(
    'POST',
    '/tokens',
    { name: 'CRM', scopes: ['contacts:read'] },
    {
      headers: { 'x-request-id': 'req-1', 'user-agent': 'Browser/1', 'x-forwarded-for': '203.0.113.9' },
    },
  )
  const [entry] = await entriesOf()
  assert.deepEqual(entry, {
    id: entry!.id,
    createdAt: entry!.createdAt,
    action: 'token.created',
    actor: { type: 'agent', id: admin.id, name: 'Ada' },
    target: { type: 'token', id: body.token.id, name: 'CRM' },
    address: '203.0.113.9',
    userAgent: 'Browser/1',
    requestId: 'req-1',
    changes: {
      scopes: { to: ['contacts:read'] },
      channels: { to: null },
      expiresAt: { to: null },
      allowedAddresses: { to: null },
    },
  })
  assert.ok(!JSON.stringify(await entriesOf()).includes(body.secret.slice(12)))
  assert.ok(!JSON.stringify(await entriesOf()).includes(body.token.prefix))
})

test('what is rolled back leaves no entry, and nothing is recorded outside a transaction', async () => {
  const before = await entriesOf()
  await ada
    .call('PATCH', `/agents/${admin.id}`, { role: 'agent' })
    .then(({ status }) => assert.equal(status, 400))
  await assert.rejects(recordAudit(ctxOf(workspace.id), { action: 'ai_agent.enabled' }), /transaction/)
  assert.deepEqual(await entriesOf(), before)
})

type Call = Parameters<typeof ada.call>

/** A change that must succeed, and the action that it leaves in the log. */
const change = async (...request: Call) => {
  const before = new Set((await entriesOf('?limit=100')).map(({ id }) => id))
  const { status, body, text } = await ada.call(...request)
  assert.equal(status, 200, text)
  const added = (await entriesOf('?limit=100')).filter(({ id }) => !before.has(id))
  assert.equal(added.length, 1, `${request[0]} ${request[1]} left ${added.length} entries`)
  return { action: added[0]!.action, changes: added[0]!.changes, body }
}

test('members and roles are in the log with what changed', async () => {
  const made = await change('POST', '/roles', { name: 'Night', permissions: [] })
  assert.deepEqual([made.action, made.changes], ['role.created', { permissions: { to: [] } }])
  const role = `/roles/${made.body.role.id}`
  const updated = await change('PATCH', role, { permissions: ['manage_tags'] })
  assert.deepEqual(updated.changes, { permissions: { from: [], to: ['manage_tags'] } })
  const added = await change('POST', '/agents', { email: 'bob@example.com' })
  assert.deepEqual(added.changes, { email: { to: 'bob@example.com' }, role: { to: 'agent' } })
  const member = `/agents/${added.body.agent.id}`
  assert.deepEqual((await change('PATCH', member, { role: 'admin' })).changes, {
    role: { from: 'agent', to: 'admin' },
  })
  assert.equal((await change('DELETE', member)).action, 'member.removed')
  assert.equal((await change('DELETE', role)).action, 'role.deleted')
  const { status } = await call(workspace.token, 'POST', '/agents', { email: 'eve@example.com' })
  assert.equal(status, 200)
  assert.deepEqual((await entriesOf())[0]!.actor, {
    type: 'token',
    id: workspace.tokenId,
    name: 'Test token',
  })
})

const ACTION: NewAction = {
  name: 'Look up an order',
  method: 'GET',
  url: 'https://api.example.com/key-in-path/orders',
  headers: [{ name: 'authorization', value: 'Bearer top-secret' }],
  parameters: [],
  keep: [],
  timeoutMs: 1_000,
  isRepeatable: true,
  risk: 'read',
  needs: 'none',
  confirm: 'none',
}
const MODEL = {
  kind: 'messages',
  baseUrl: 'http://127.0.0.1:1025/key-in-path',
  model: 'm',
  key: 'sk-top-secret',
}
const BOT = { channel: 'telegram', name: 'Bot', botToken: '12:top-secret', webhookSecret: 'hook-top-secret' }

test('channels, actions and the AI agent are in the log, without any secret', async () => {
  const action = await change('POST', '/actions', ACTION)
  const path = `/actions/${action.body.action.id}`
  const channel = await change('POST', '/channels', BOT)
  const said = [
    action,
    await change('PUT', path, { ...ACTION, risk: 'write' }),
    await change('DELETE', path),
    channel,
    await change('PATCH', `/channels/${channel.body.channel.id}`, { botToken: '12:top-secret-2' }),
    await change('PUT', '/ai-agent', { enabled: true }),
    await change('PUT', '/ai-provider', MODEL),
    await change('DELETE', '/ai-provider'),
    await change('PUT', '/ai-agent', { enabled: false }),
  ].map((entry) => entry.action)
  assert.deepEqual(said, [
    'action.created',
    'action.updated',
    'action.deleted',
    'channel.added',
    'channel.updated',
    'ai_agent.enabled',
    'ai_provider.saved',
    'ai_provider.removed',
    'ai_agent.disabled',
  ])
  const stored = JSON.stringify(await db.selectFrom('audit_log').selectAll().execute())
  for (const secret of ['top-secret', 'key-in-path']) assert.ok(!stored.includes(secret), secret)
})

test('published instructions of the AI agent are in the log', async () => {
  const guidance = { ...DEFAULT_GUIDANCE, instructions: 'Be brief.' }
  const { body, status, text } = await ada.call('PUT', '/ai-guidance/draft', { guidance, revision: 0 })
  assert.equal(status, 200, text)
  const published = await change('POST', '/ai-guidance/publish', { revision: body.revision })
  assert.deepEqual(published.changes, { version: { from: null, to: 1 } })
})

test('webhooks are in the log with what happened to them, without any secret', async () => {
  allowOutbound('http://hooks.example:80')
  const endpoint = {
    name: 'CRM',
    url: 'http://hooks.example/key-in-path',
    headers: [{ name: 'authorization', value: 'Bearer top-secret' }],
  }
  const created = await change('POST', '/webhook-endpoints', endpoint)
  assert.deepEqual(created.changes.host, { to: 'hooks.example' })
  const path = `/webhook-endpoints/${created.body.webhookEndpoint.id}`
  const updated = await change('PATCH', path, { eventTypes: ['message.*'] })
  assert.deepEqual(updated.changes, { eventTypes: { from: null, to: ['message.*'] } })
  const rotated = await change('POST', `${path}/rotate-secret`, { overlapHours: 0 })
  const replayed = await change('POST', `${path}/replay`, { from: 1 })
  assert.deepEqual(replayed.changes, { from: { to: 1 }, state: { to: 'all' }, count: { to: 0 } })
  const said = [
    created,
    updated,
    rotated,
    replayed,
    await change('POST', `${path}/pause`),
    await change('POST', `${path}/enable`, { backlog: 'send' }),
    await change('POST', `${path}/disable`),
    await change('DELETE', path),
  ].map(({ action }) => action)
  assert.deepEqual(
    said,
    ['created', 'updated', 'rotated', 'replayed', 'paused', 'enabled', 'disabled', 'deleted'].map(
      (what) => `webhook.${what}`,
    ),
  )
  const stored = JSON.stringify(await entriesOf('?limit=100'))
  for (const secret of ['top-secret', 'key-in-path', created.body.secret, rotated.body.secret])
    assert.ok(!stored.includes(secret), secret)
})

test('MCP servers and their tools are in the log', async () => {
  const server = await serveMcp({ tools: [ORDER_TOOL] })
  const connected = await change('POST', '/mcp-servers', {
    name: 'Acme',
    url: server.url,
    token: 'top-secret',
  })
  const path = `/mcp-servers/${connected.body.server.id}`
  const [{ name: tool, hash }] = connected.body.tools
  const approval = {
    tool,
    hash,
    name: 'Look up',
    description: null,
    risk: 'read',
    needs: 'known',
    confirm: 'none',
  }
  const on = await change('POST', `${path}/switch-on`, approval)
  assert.deepEqual([on.changes.server, on.changes.risk], [{ to: 'Acme' }, { to: 'read' }])
  const again = await change('POST', `${path}/switch-on`, { ...approval, risk: 'write' })
  assert.deepEqual(again.changes, { risk: { from: 'read', to: 'write' } })
  const renamed = await change('PUT', path, { name: 'Acme 2', token: null })
  assert.deepEqual(renamed.changes, { name: { from: 'Acme', to: 'Acme 2' }, token: { to: 'removed' } })
  const said = [
    connected,
    on,
    again,
    renamed,
    await change('POST', `${path}/switch-off`, { tool }),
    await change('DELETE', path),
  ].map(({ action }) => action)
  assert.deepEqual(said, [
    'mcp_server.connected',
    'tool.enabled',
    'tool.updated',
    'mcp_server.updated',
    'tool.disabled',
    'mcp_server.removed',
  ])
  assert.ok(!JSON.stringify(await entriesOf('?limit=100')).includes('top-secret'))
})

test('published flows are in the log', async () => {
  const { body, text } = await ada.call('POST', '/flows', { name: 'Greeting', definition: GREETING })
  assert.ok(body.flow, text)
  const { id, draftRevision: revision } = body.flow
  const published = await change('POST', `/flows/${id}/publish`, { revision, acceptWarnings: true })
  assert.deepEqual(
    [published.action, published.changes],
    ['flow.published', { version: { from: null, to: 1 } }],
  )
})

test('a sign-in is recorded in each workspace of the person', async () => {
  const second = await make.workspace()
  await db
    .insertInto('memberships')
    .values({ workspace_id: second.id, account_id: admin.id, role: 'admin', created_at: new Date() })
    .execute()
  const { url } = await createSignInLink(ctxOf(workspace.id), { email: 'ada@example.com' })
  const secret = url.split('#')[1]
  const headers = { 'user-agent': 'Browser/2' }
  assert.equal((await callConsole(app, null, 'POST', '/sign-in', { secret }, { headers })).status, 200)
  for (const { token } of [workspace, second]) {
    const { body } = await call(token, 'GET', '/audit-log?action=sign_in.succeeded')
    const [entry] = body.entries
    assert.deepEqual(entry.actor, { type: 'agent', id: admin.id, name: 'Ada' })
    assert.equal(entry.userAgent, 'Browser/2')
    assert.deepEqual(entry.changes, { method: { to: 'link' } })
  }
})

test('the list has filters by actor, action and time, and pages', async () => {
  const all = await entriesOf('?limit=100')
  const byToken = await entriesOf(`?actor=token:${workspace.tokenId}`)
  assert.ok(byToken.length > 0 && byToken.every(({ actor }) => actor.id === workspace.tokenId))
  const third = all[2]!
  const time = encodeURIComponent(String(third.createdAt))
  const from = await entriesOf(`?after=${time}&limit=100`)
  const until = await entriesOf(`?before=${time}&limit=100`)
  assert.ok(from.some(({ id }) => id === third.id) && !until.some(({ id }) => id === third.id))
  assert.equal(from.length + until.length, all.length)
  for (const [time, every, none] of [
    ['9999-12-31T23:59:59Z', 'before', 'after'],
    ['0001-01-01T00:00:00Z', 'after', 'before'],
  ] as const) {
    assert.equal((await entriesOf(`?${every}=${time}&limit=100`)).length, all.length, time)
    assert.deepEqual(await entriesOf(`?${none}=${time}`), [], time)
  }
  const read: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await call(workspace.token, 'GET', `/audit-log?limit=2${cursor && `&cursor=${cursor}`}`)
    read.push(...body.entries.map(({ id }: Entry) => id))
    cursor = body.nextCursor
  }
  assert.deepEqual(
    read,
    all.map(({ id }) => id),
  )
})

test('a token needs audit:read, and an admin who is removed can’t read on', async () => {
  const tokenFor = (scopes: ['contacts:read'] | ['audit:read']) =>
    createToken(ctxOf(workspace.id), { name: 'T', scopes })
  assert.equal((await call((await tokenFor(['contacts:read'])).secret, 'GET', '/audit-log')).status, 403)
  assert.equal((await call((await tokenFor(['audit:read'])).secret, 'GET', '/audit-log')).status, 200)
  const other = await make.agent(workspace.id, { role: 'admin' })
  const there = await signIn(app, workspace.id, other.id)
  assert.equal((await there.call('GET', '/audit-log')).status, 200)
  await ada.call('DELETE', `/agents/${other.id}`)
  assert.equal((await there.call('GET', '/audit-log')).status, 404)
})

test('entries are deleted after 400 days, and no earlier', async () => {
  const before = await entriesOf('?limit=100')
  const newest = Date.parse(String(before[0]!.createdAt))
  const oldest = Date.parse(String(before.at(-1)!.createdAt))
  const sweepAt = (ms: number) => sweepOldRows({ db, now: () => new Date(ms), isStopping: () => false })
  await sweepAt(oldest + AUDIT_KEPT_MS)
  assert.equal((await entriesOf('?limit=100')).length, before.length)
  await sweepAt(newest + AUDIT_KEPT_MS + 1)
  assert.deepEqual(await entriesOf('?limit=100'), [])
})
