import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { configureOutbound } from '../../channels/protocol/outbound.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { OUTBOUND_ALLOW } from '../../test/outbound.ts'
import { costOf } from '../domain/ai/provider/cost-of.ts'
import { findProvider } from '../domain/ai/provider/find-provider.ts'
import { checkProvider, saveProvider } from '../domain/ai/provider/save-provider.ts'
import { makeSeal } from '../platform/seal.ts'

const KEY = 'sk-secret-4f9d2c81e7a6b350'
const sandbox = await startSandbox({ modelKey: KEY })
after(() => sandbox.stop())

/** Names and the addresses that they resolve to here. */
const NAMES: Record<string, string> = {
  'api.model.example': '93.184.215.14',
  'other.model.example': '93.184.215.15',
  'inside.model.example': '10.0.0.7',
  'listed.model.example': '10.0.0.8',
  localhost: '127.0.0.1',
}
const app = await startApp()
const { make, db } = app
beforeEach(() =>
  configureOutbound({
    allow: [...OUTBOUND_ALLOW, { host: 'listed.model.example', port: 11_434 }],
    resolve: (host, _, done) => {
      const address = NAMES[host]
      if (address) done(null, [{ address, family: 4 }])
      else done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])
    },
  }),
)

const BODY = { kind: 'chat_completions', baseUrl: 'https://api.model.example/v1', model: 'm-1' } as const

const fresh = async () => {
  const workspace = await make.workspace()
  const admin = await make.agent(workspace.id, { role: 'admin' })
  const ada = await signIn(app, workspace.id, admin.id)
  const save = (change: object = {}) => ada.call('PUT', '/ai-provider', { ...BODY, ...change })
  const ctx = app.ctxOf(workspace.id)
  return { ...ada, workspaceId: workspace.id, save, ctx, find: () => findProvider(ctx) }
}

test('a provider is saved for one workspace, with defaults, and its key is never returned', async () => {
  const ada = await fresh()
  const other = await fresh()
  assert.deepEqual((await ada.call('GET', '/ai-provider')).body, { provider: null })
  assert.equal(await ada.find(), null)
  const saved = await ada.save({ key: ` ${KEY} `, baseUrl: 'https://API.model.example/v1/' })
  const expected = {
    isEnabled: true,
    kind: 'chat_completions',
    baseUrl: 'https://api.model.example/v1',
    key: 'stored',
    model: 'm-1',
    embeddingModel: null,
    currency: 'USD',
    prices: null,
    check: null,
  }
  const { updatedAt, ...provider } = saved.body.provider
  assert.deepEqual([provider, saved.body.isKeyDropped], [expected, false])
  const shown = await ada.call('GET', '/ai-provider')
  assert.deepEqual(shown.body.provider, saved.body.provider)
  assert.ok(!`${saved.text}${shown.text}`.includes(KEY))
  const { key } = await db
    .selectFrom('ai_providers')
    .select('key')
    .where('workspace_id', '=', ada.workspaceId)
    .executeTakeFirstOrThrow()
  assert.ok(key && !key.includes(KEY))
  assert.deepEqual(await ada.find(), {
    kind: 'chat_completions',
    account: { baseUrl: 'https://api.model.example/v1', key: KEY, model: 'm-1', abilities: null },
    embeddingModel: null,
    currency: 'USD',
    prices: null,
    updatedAt: saved.body.provider.updatedAt,
  })
  assert.deepEqual((await other.call('GET', '/ai-provider')).body, { provider: null })
  assert.equal(await other.find(), null)
})

test('a key that is left out is kept, unless the host, port or protocol changes: then it is dropped', async () => {
  const ada = await fresh()
  const key = async () => (await ada.find())?.account.key
  await ada.save({ key: KEY })
  await ada.save({ model: 'm-2', baseUrl: 'https://api.model.example/v2' })
  assert.equal(await key(), KEY)
  for (const baseUrl of [
    'https://other.model.example/v1',
    'https://api.model.example:8443/v1',
    'http://listed.model.example:11434/v1',
    'https://api.model.example.',
  ]) {
    await ada.save({ key: KEY })
    const { body, text } = await ada.save({ baseUrl })
    assert.deepEqual([body.provider?.key, body.isKeyDropped], ['none', true], text)
    assert.equal(await key(), null)
  }
  await ada.save({ key: KEY })
  const given = await ada.save({ key: 'sk-another', baseUrl: 'https://other.model.example/v1' })
  assert.equal(given.body.isKeyDropped, false)
  assert.equal(await key(), 'sk-another')
  const removed = await ada.save({ key: null, baseUrl: 'https://other.model.example/v1' })
  assert.deepEqual([removed.body.provider.key, removed.body.isKeyDropped], ['none', false])
})

test('a key copied to another workspace’s row, or to another host, is worthless', async () => {
  const ada = await fresh()
  const other = await fresh()
  await ada.save({ key: KEY })
  await other.save({ key: 'sk-theirs' })
  const row = await db
    .selectFrom('ai_providers')
    .select('key')
    .where('workspace_id', '=', ada.workspaceId)
    .executeTakeFirstOrThrow()
  const put = (change: object) =>
    db.updateTable('ai_providers').set(change).where('workspace_id', '=', other.workspaceId).execute()
  await put({ key: row.key })
  assert.equal(await other.find(), null)
  await other.save({ key: 'sk-theirs' })
  await put({ base_url: 'https://other.model.example/v1' })
  assert.equal(await other.find(), null)
})

test('with another SECRET_KEY there is no provider, and the settings say that the key must be entered again', async () => {
  const ada = await fresh()
  await ada.save({ key: KEY })
  const ctx = { ...ada.ctx, seal: makeSeal('another secret key, after the first was lost') }
  assert.equal(await findProvider(ctx), null)
  const { steps, key } = await checkProvider(ctx).then(({ check, key }) => ({ steps: check?.steps, key }))
  assert.deepEqual([key, steps?.map(({ name, ok }) => [name, ok])], ['unreadable', [['Key', false]]])
  await saveProvider(ctx, { ...BODY, key: 'sk-new' })
  assert.equal((await findProvider(ctx))?.account.key, 'sk-new')
})

test('no base URL leads inside, and none is without TLS, except where the operator allows it', async () => {
  const ada = await fresh()
  for (const baseUrl of [
    'https://10.0.0.1/v1',
    'https://169.254.169.254/latest',
    'https://[::1]/v1',
    'https://[::ffff:10.0.0.1]/v1',
    'https://[64:ff9b::a00:1]/v1',
    'https://0x0a000001/v1',
    'https://167772161/v1',
    'https://012.0.0.1/v1',
    'https://inside.model.example/v1',
    'https://listed.model.example/v1',
    'http://api.model.example/v1',
    'http://inside.model.example:11434/v1',
    'http://unknown.model.example/v1',
    'https://user:pass@api.model.example/v1',
    'https://api.model.example:25/v1',
    'ftp://api.model.example/v1',
    'file:///etc/passwd',
    'api.model.example',
    'https://',
  ]) {
    const { status, body } = await ada.save({ baseUrl })
    assert.equal(status, 400, baseUrl)
    assert.deepEqual(
      body.error.details.map(({ field }: { field: string }) => field),
      ['baseUrl'],
      baseUrl,
    )
  }
  for (const baseUrl of [
    'http://127.0.0.1:11434/v1',
    'http://localhost:11434/v1',
    'http://listed.model.example:11434/v1',
    'https://unknown.model.example/v1',
  ])
    assert.equal((await ada.save({ baseUrl })).status, 200, baseUrl)
})

test('a check has the model do something, stores what it can, and is void once the settings change', async () => {
  const ada = await fresh()
  const local = { baseUrl: `${sandbox.url}/v1`, model: 'sandbox-facts' }
  assert.equal((await ada.call('POST', '/ai-provider/check')).status, 404)
  await ada.save({ ...local, key: 'sk-wrong-4f9d2c81e7a6b350' })
  const refused = (await ada.call('POST', '/ai-provider/check')).body.provider
  assert.equal(refused.check.isUsable, false)
  assert.deepEqual(
    refused.check.steps.map(({ ok }: { ok: boolean }) => ok),
    [false],
  )
  const renewed = await ada.save({ ...local, key: KEY })
  assert.equal(renewed.body.provider.check, null)
  const { body, text } = await ada.call('POST', '/ai-provider/check')
  assert.equal(body.provider.check.isUsable, true, text)
  assert.ok(body.provider.check.steps.length >= 4 && !text.includes(KEY))
  assert.equal((await ada.find())?.account.abilities?.tools, true)
  const priced = await ada.save({ ...local, prices: { input: 1, cached: 1, output: 1 } })
  assert.deepEqual(priced.body.provider.check, body.provider.check)
  const renamed = await ada.save({ ...local, model: 'sandbox-script' })
  assert.equal(renamed.body.provider.check, null)
  assert.equal((await ada.find())?.account.abilities, null)
})

test('neither saving nor checking logs the key', async () => {
  const ada = await fresh()
  const lines: unknown[] = []
  const write = (...line: unknown[]) => lines.push(line)
  const log = { ...app.app.log, info: write, warn: write, error: write, debug: write, trace: write }
  const ctx = { ...ada.ctx, log: log as typeof ada.ctx.log }
  await saveProvider(ctx, { ...BODY, baseUrl: `${sandbox.url}/v1`, model: 'sandbox-facts', key: KEY })
  await checkProvider(ctx)
  assert.ok(lines.length > 0)
  assert.ok(!JSON.stringify(lines).includes(KEY))
})

test('off or removed, there is no provider; the settings of one that is off stay', async () => {
  const ada = await fresh()
  await ada.save({ key: KEY, isEnabled: false })
  assert.equal(await ada.find(), null)
  assert.equal((await ada.call('GET', '/ai-provider')).body.provider.key, 'stored')
  await ada.save()
  assert.equal((await ada.find())?.account.key, KEY)
  assert.deepEqual((await ada.call('DELETE', '/ai-provider')).body, { success: true })
  assert.equal(await ada.find(), null)
  assert.equal((await ada.call('DELETE', '/ai-provider')).status, 404)
})

test('values beyond the limits are refused by name', async () => {
  const ada = await fresh()
  for (const [field, change] of [
    ['kind', { kind: 'smoke_signals' }],
    ['baseUrl', { baseUrl: `https://api.model.example/${'x'.repeat(500)}` }],
    ['key', { key: 'two words' }],
    ['key', { key: 'line\nbreak' }],
    ['key', { key: 'k'.repeat(4_001) }],
    ['key', { key: '' }],
    ['model', { model: ' ' }],
    ['currency', { currency: 'usd' }],
    ['prices.output', { prices: { input: 1, cached: 1 } }],
    ['prices.input', { prices: { input: -1, cached: 1, output: 1 } }],
    ['prices.input', { prices: { input: 1.5, cached: 1, output: 1 } }],
  ] as const) {
    const { status, body, text } = await ada.save(change)
    assert.equal(status, 400, text)
    assert.equal(body.error.details[0].field, field)
  }
})

test('a request costs what was cached at its price, and the rest at theirs', () => {
  const prices = { input: 2_500_000, cached: 250_000, output: 10_000_000 }
  const usage = { inputTokens: 3_000, cachedTokens: 1_000, outputTokens: 200 }
  // 2,000 × $2.50 + 1,000 × $0.25 + 200 × $10, per million, in millionths.
  assert.equal(costOf(usage, prices), 5_000 + 250 + 2_000)
  assert.equal(costOf({ ...usage, cachedTokens: 5_000 }, prices), 750 + 2_000)
  assert.equal(costOf(usage, null), 0)
})
