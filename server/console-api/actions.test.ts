// Actions as admins define and try them, against a real server that stands for a shop.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { ACTIONS_MAX, type NewAction } from '../domain/actions/schema.ts'
import { newId } from '../platform/db/id.ts'
import { makeSeal } from '../platform/seal.ts'

const app = await startApp()
const { ctxOf, database, db, make } = app

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let answer: Answer = () => {}
const asked: { url?: string; method?: string; headers: IncomingMessage['headers']; body: string }[] = []
const shop = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { url, method, headers } = request
  asked.push({
    ...(url && { url }),
    ...(method && { method }),
    headers,
    body: Buffer.concat(chunks).toString(),
  })
  answer(request, response)
})
shop.listen(0, '127.0.0.1')
await once(shop, 'listening')
after(() => {
  shop.closeAllConnections()
  shop.close()
})
const base = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`

const json =
  (body: unknown, status = 200): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const fresh = async () => {
  const workspace = await make.workspace()
  const admin = await make.agent(workspace.id, { role: 'admin' })
  return { workspace, ada: await signIn(app, workspace.id, admin.id) }
}
const other = await fresh()

const NUMBER = { name: 'number', type: 'string', isRequired: true, maxLength: 40 } as const
const LOOK_UP: NewAction = {
  name: 'Look up an order',
  method: 'GET',
  url: `${base}/orders/{{number}}`,
  headers: [{ name: 'X-Api-Key', value: 'very secret' }],
  parameters: [NUMBER],
  keep: [{ name: 'status', path: 'order.status' }],
  timeoutMs: 1_000,
  isRepeatable: true,
  risk: 'read',
  needs: 'none',
  confirm: 'none',
}

type Caller = Awaited<ReturnType<typeof signIn>>

const create = async (caller: Caller, change: Partial<NewAction> = {}) => {
  const { status, body, text } = await caller.call('POST', '/actions', { ...LOOK_UP, ...change })
  assert.equal(status, 200, text)
  return body.action
}
const tryIt = async (caller: Caller, id: string, parameters: object = { number: 'A-1' }) => {
  const { status, body, text } = await caller.call('POST', `/actions/${id}/try`, { parameters })
  assert.equal(status, 200, text)
  return body
}
const refused = async (caller: Caller, change: object): Promise<string[]> => {
  const { status, body, text } = await caller.call('POST', '/actions', { ...LOOK_UP, ...change })
  assert.equal(status, 400, text)
  return body.error.details.map(({ field, message }: Record<string, string>) => `${field}: ${message}`)
}

test('an action is called with its headers, values and key, and keeps only what it names', async () => {
  const { ada } = await fresh()
  const { id, ...action } = await create(ada)
  const { headers: _, ...given } = LOOK_UP
  assert.deepEqual(action, { ...given, headerNames: ['x-api-key'] })
  asked.length = 0
  answer = json({ order: { status: 'sent', address: 'private' } })
  const { durationMs, preview, ...tried } = await tryIt(ada, id, { number: 'A 1' })
  assert.deepEqual(tried, { outcome: 'done', status: 200, kept: { status: 'sent' }, problem: null })
  assert.ok(Number.isInteger(durationMs))
  assert.equal(preview, '{"order":{"status":"sent","address":"private"}}')
  const [{ url, method, headers, body }] = asked as [(typeof asked)[0]]
  assert.deepEqual(
    [method, url, headers['x-api-key'], headers.accept, body],
    ['GET', '/orders/A%201', 'very secret', 'application/json', ''],
  )
  assert.match(String(headers['idempotency-key']), /^try\.c/)
})

test('what the address doesn’t use goes into the query of a GET or DELETE, and into the JSON body of the others', async () => {
  const { ada } = await fresh()
  const parameters = [
    NUMBER,
    { name: 'count', type: 'number' as const, isRequired: false },
    { name: 'gift', type: 'boolean' as const, isRequired: false },
  ]
  answer = json({}, 201)
  const got: unknown[] = []
  for (const method of ['GET', 'DELETE', 'POST', 'PUT', 'PATCH'] as const) {
    asked.length = 0
    const { id } = await create(ada, { name: method, method, parameters, keep: [] })
    assert.equal(
      (await tryIt(ada, id, { number: 'A', count: '2', gift: true, unknown: 'x' })).outcome,
      'done',
    )
    got.push([asked[0]!.method, asked[0]!.url, asked[0]!.body])
  }
  assert.deepEqual(got, [
    ['GET', '/orders/A?count=2&gift=true', ''],
    ['DELETE', '/orders/A?count=2&gift=true', ''],
    ...['POST', 'PUT', 'PATCH'].map((method) => [method, '/orders/A', '{"count":2,"gift":true}']),
  ])
})

test('each status means one thing to a flow', async () => {
  const { ada } = await fresh()
  const { id } = await create(ada)
  for (const [status, outcome] of [
    [404, 'notFound'],
    [410, 'notFound'],
    [400, 'refused'],
    [401, 'refused'],
    [422, 'refused'],
    [408, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [302, 'failed'],
  ] as const) {
    answer = json({}, status)
    const tried = await tryIt(ada, id)
    assert.deepEqual([tried.outcome, tried.status, tried.kept], [outcome, status, null])
    assert.match(tried.problem.message, new RegExp(`${status}`))
  }
})

test('a response that can’t be kept fails with its reason in words', async () => {
  const { ada } = await fresh()
  const { id } = await create(ada)
  const html: Answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')
  const cases: [Answer, RegExp][] = [
    [(_, response) => response.writeHead(204).end(), /no body/],
    [html, /text\/html, not JSON/],
    [json('x'.repeat(70_000)), /larger than 64 KiB/],
    [json({ order: { status: 'x'.repeat(9_000) } }), /larger than 8 KiB/],
    [(_, response) => response.end(Buffer.from([0xff])), /UTF-8/],
    [(_, response) => response.end(`${'['.repeat(500)}${']'.repeat(500)}`), /nested too deeply/],
    [(_, response) => response.destroy(), /closed the connection/],
  ]
  for (const [how, words] of cases) {
    answer = how
    const tried = await tryIt(ada, id)
    assert.equal(tried.outcome, 'failed')
    assert.match(tried.problem.message, words)
  }
  // Nothing to keep: then the status alone counts.
  const blind = await create(ada, { name: 'Blind', keep: [] })
  answer = html
  assert.equal((await tryIt(ada, blind.id)).outcome, 'done')
})

test('a connection that breaks after the request leaves a call that must not be repeated unknown', async () => {
  const { ada } = await fresh()
  const { id } = await create(ada, { method: 'POST', isRepeatable: false })
  answer = (_, response) => response.destroy()
  assert.equal((await tryIt(ada, id)).outcome, 'unknown')
  const unreachable = await create(ada, {
    name: 'Gone',
    isRepeatable: false,
    url: 'http://127.0.0.1:1025/{{number}}',
  })
  assert.equal((await tryIt(ada, unreachable.id)).outcome, 'failed')
})

test('values that don’t fit are refused by name before anything is sent', async () => {
  const { ada } = await fresh()
  const { id } = await create(ada)
  asked.length = 0
  for (const [number, words] of [
    [undefined, 'number is missing.'],
    ['x'.repeat(41), 'number has more than 40 characters.'],
    ['../admin', 'The value of number can’t be part of the address: it is empty or contains a slash.'],
    ['..', 'A value would change the path of the address.'],
  ]) {
    const tried = await tryIt(ada, id, { number })
    assert.deepEqual([tried.outcome, tried.problem.message], ['refused', words])
  }
  assert.deepEqual(asked, [])
})

test('an inner address is refused with its reason, and never shown', async () => {
  const { ada } = await fresh()
  for (const [index, url] of [
    'https://169.254.169.254/latest/{{number}}',
    'https://[::1]/{{number}}',
    'https://10.0.0.1/{{number}}',
    'http://93.184.215.14/{{number}}',
  ].entries()) {
    const { id } = await create(ada, { name: `Inner ${index}`, url })
    const tried = await tryIt(ada, id)
    assert.deepEqual(
      [tried.outcome, tried.status, tried.problem.code],
      ['failed', null, 'ADDRESS_NOT_ALLOWED'],
    )
  }
})

test('headers are sealed, stay when they are not entered again, and never go to another host', async () => {
  const { ada, workspace } = await fresh()
  const { id } = await create(ada)
  const row = await db.selectFrom('actions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  assert.ok(!row.headers!.includes('very secret'))
  const shown = await ada.call('GET', `/actions/${id}`)
  assert.ok(!shown.text.includes('very secret'))

  const change = (given: object) => ada.call('PUT', `/actions/${id}`, { ...LOOK_UP, ...given })
  const kept = { headers: [{ name: 'x-api-key' }] }
  assert.equal((await change({ ...kept, url: `${base}/v2/{{number}}` })).status, 200)
  asked.length = 0
  answer = json({})
  await tryIt(ada, id)
  assert.deepEqual([asked[0]!.url, asked[0]!.headers['x-api-key']], ['/v2/A-1', 'very secret'])

  for (const url of [
    'https://evil.example/{{number}}',
    base.replace('http:', 'https:'),
    'http://127.0.0.1:1026/',
  ]) {
    const moved = await change({ ...kept, url, parameters: [NUMBER] })
    assert.equal(moved.status, 400, url)
    assert.match(moved.text, /the value of x-api-key must be entered/)
  }
  assert.equal((await change({ headers: [] })).body.action.headerNames.length, 0)
  assert.match((await change(kept)).text, /must be entered/)

  // After SECRET_KEY has changed.
  await change({})
  const sealed = makeSeal('another secret key of at least 32 characters').seal('{}', {
    workspaceId: workspace.id,
    id,
  })
  await db.updateTable('actions').set({ headers: sealed }).where('id', '=', id).execute()
  assert.equal((await tryIt(ada, id)).problem.code, 'SECRETS_UNREADABLE')
})

test('what is wrong with an action is told field by field', async () => {
  const { ada } = await fresh()
  assert.match((await refused(ada, { url: 'https://{{host}}/' })).join(), /^url: must look like/)
  assert.deepEqual(await refused(ada, { parameters: [] }), [
    'url: has {{number}}, which is not one of the parameters',
  ])
  assert.deepEqual(await refused(ada, { parameters: [{ ...NUMBER, isRequired: false }] }), [
    'url: has {{number}} in its path, so that parameter must be required',
  ])
  const mail = { ...NUMBER, fromContact: { is: 'email' } }
  assert.deepEqual(await refused(ada, { parameters: [mail] }), [
    'needs: must be at least a known customer, because a value comes from the contact',
  ])
  for (const [fromContact, says] of [
    [{ is: 'field' }, 'needs the name of a custom field'],
    [{ is: 'email', field: 'x' }, 'takes no custom field'],
  ] as const)
    assert.deepEqual(await refused(ada, { needs: 'known', parameters: [{ ...NUMBER, fromContact }] }), [
      `parameters[0]: number ${says}`,
    ])
  assert.deepEqual(await refused(ada, { parameters: [NUMBER, NUMBER] }), [
    'parameters[1]: number is listed twice',
  ])
  assert.deepEqual(
    await refused(ada, { parameters: [NUMBER, { name: 'size', type: 'enum', isRequired: true }] }),
    ['parameters[1]: size needs at least one option'],
  )
  assert.match(
    (await refused(ada, { parameters: [NUMBER, { ...NUMBER, name: 'constructor' }] })).join(),
    /constructor is a reserved name/,
  )
  for (const path of ['a..b', '.a', 'a.', Array(11).fill('a').join('.')])
    assert.match(
      (await refused(ada, { keep: [{ name: 'x', path }] })).join(),
      /^keep\[0\]: .*separated by dots/,
    )
  for (const name of [
    'Host',
    'content-length',
    'Transfer-Encoding',
    'idempotency-key',
    'proxy-authorization',
  ])
    assert.match((await refused(ada, { headers: [{ name, value: 'x' }] })).join(), /is set by Foyer/)
  for (const name of ['a b', 'a:b', 'ä', 'a\r\nb'])
    assert.match((await refused(ada, { headers: [{ name, value: 'x' }] })).join(), /can’t be the name/)
  for (const value of ['a\r\nx-admin: 1', 'a\nb', '', 'ä'])
    assert.match((await refused(ada, { headers: [{ name: 'x-key', value }] })).join(), /printable ASCII/)
  for (const timeoutMs of [499, 10_001]) assert.equal((await refused(ada, { timeoutMs })).length, 1)
  await create(ada)
  assert.deepEqual(await refused(ada, { name: 'LOOK UP AN ORDER' }), ['name: is the name of another action'])
  for (let n = 1; n < ACTIONS_MAX; n++) await create(ada, { name: `No. ${n}` })
  assert.deepEqual(await refused(ada, { name: 'One more' }), [
    `name: the workspace already has ${ACTIONS_MAX} actions`,
  ])
})

test('members see names and parameters, but neither addresses nor the names of headers', async () => {
  const { workspace, ada } = await fresh()
  const { id } = await create(ada)
  const member = await signIn(
    app,
    workspace.id,
    (await makeMember(app, workspace.id, ['manage_automation'])).id,
  )
  const { body } = await member.call('GET', '/actions')
  assert.deepEqual(body, {
    actions: [
      {
        id,
        name: LOOK_UP.name,
        method: 'GET',
        host: base.slice('http://'.length),
        parameters: LOOK_UP.parameters,
        keep: LOOK_UP.keep,
        risk: 'read',
        tool: null,
      },
    ],
  })
})

test('an action that a live flow calls is not deleted, and the answer names the flow', async () => {
  const { workspace, ada } = await fresh()
  const { id } = await create(ada)
  const flowId = newId()
  const at = new Date()
  await db
    .insertInto('flows')
    .values({
      workspace_id: workspace.id,
      id: flowId,
      name: 'Order status',
      name_key: 'order status',
      kind: 'dialog',
      state: 'live',
      live_version: 1,
      position: 1,
      draft: '{}',
      updated_by: 'system',
      created_at: at,
      updated_at: at,
    })
    .execute()
  await db
    .insertInto('flow_versions')
    .values({
      workspace_id: workspace.id,
      flow_id: flowId,
      version: 1,
      definition: JSON.stringify({ blocks: [{ steps: [{ id: 's1', type: 'call', actionId: id }] }] }),
      hash: Buffer.alloc(32),
      published_by: 'system',
      published_at: at,
    })
    .execute()
  const kept = await ada.call('DELETE', `/actions/${id}`)
  assert.equal(kept.status, 400)
  assert.match(kept.text, /“Order status”/)
  await db.updateTable('flows').set({ state: 'archived' }).where('id', '=', flowId).execute()
  assert.equal((await ada.call('DELETE', `/actions/${id}`)).status, 200)
  assert.equal((await ada.call('GET', `/actions/${id}`)).status, 404)
})

test('another workspace’s action is not found, and not called', async () => {
  const { ada } = await fresh()
  const { id } = await create(other.ada)
  asked.length = 0
  const calls = [
    ['GET', ''],
    ['PUT', '', LOOK_UP],
    ['DELETE', ''],
    ['POST', '/try', { parameters: { number: 'A' } }],
  ] as const
  for (const [method, path, body] of calls) {
    const foreign = await ada.call(method, `/actions/${id}${path}`, body)
    const missing = await ada.call(method, `/actions/${newId()}${path}`, body)
    assert.deepEqual([foreign.status, foreign.text], [404, missing.text])
  }
  assert.deepEqual(asked, [])
  assert.equal(ctxOf(other.workspace.id).workspaceId, other.workspace.id)
  const { rows } = await database.pool.query('select count(*)::int as count from actions where id = $1', [id])
  assert.equal(rows[0].count, 1)
})
