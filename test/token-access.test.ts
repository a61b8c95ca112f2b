// Tokens with limits, over the table of all operations: each needs exactly the scope that it declares, and a token that is
// limited to channels finds nothing of the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken } from '../server/domain/tokens/tokens.ts'
import { TOOLS } from '../server/mcp/catalogue.ts'
import { newId } from '../server/platform/db/id.ts'
import { type ChannelName, SCOPES, type Scope } from '../server/platform/db/tables.ts'
import { openapiDocument } from '../server/platform/http/openapi.ts'
import { startApp } from './app.ts'
import { makeWorld, OPERATIONS, type World } from './operations.ts'

type Route = { method: string | string[]; url: string; config?: { scope?: string; isPublic?: boolean } }
const routes: Route[] = []
const app = await startApp({
  deps: { decorate: (instance) => void instance.addHook('onRoute', (route) => void routes.push(route)) },
})
const world = await makeWorld(app, 'mine')

const tokenFor = async (
  { workspace }: World,
  access: { scopes?: readonly Scope[]; channels?: readonly ChannelName[] },
): Promise<string> => (await createToken(app.ctxOf(workspace.id), { name: 'Limited', ...access })).secret

const document = openapiDocument(app.app) as unknown as {
  paths: Record<string, Record<string, { operationId: string; security?: { token: string[] }[] }>>
}
const scopeOf = new Map(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, security }) => [operationId, security?.[0]?.token[0] as Scope | undefined]),
)

test('every route of the API declares a scope', () => {
  const inApi = routes.filter(({ url, config }) => url.startsWith('/api/v1/') && !config?.isPublic)
  assert.ok(inApi.length > Object.keys(OPERATIONS).length / 2)
  const undeclared = inApi
    .filter(({ url, config }) => !url.endsWith('/*') && config?.scope === undefined)
    .map(({ method, url }) => `${method} ${url}`)
  assert.deepEqual(undeclared, [])
})

test('every scope opens a route or a tool', () => {
  const opened = new Set([...scopeOf.values(), ...TOOLS.flatMap(({ scopes }) => scopes)])
  assert.deepEqual(
    SCOPES.filter((scope) => !opened.has(scope)),
    [],
  )
})

for (const [operationId, { success, alsoScopes = [] }] of Object.entries(OPERATIONS)) {
  const scope = scopeOf.get(operationId)
  if (!scope) continue

  test(`${operationId} is refused without ${scope}, and changes nothing`, async () => {
    const token = await tokenFor(world, {
      scopes: SCOPES.filter((one) => !one.startsWith(scope.split(':')[0]!)),
    })
    const { method, path, body } = success(world)
    const refused = await app.call(token, method, path, body)
    assert.equal(refused.status, 403)
    assert.equal(refused.body.error.code, 'INSUFFICIENT_SCOPE')
    assert.deepEqual(refused.body.error.details, [{ field: 'scope', message: `needs ${scope}` }])
  })

  test(`${operationId} needs nothing but ${[scope, ...alsoScopes].join(', ')}`, async () => {
    const own = await makeWorld(app, `scope-${operationId.toLowerCase()}`)
    const { method, path, body } = success(own)
    // A first message is a message, and a new admin could create tokens.
    const { message: _, ...rest } = (body ?? {}) as Record<string, unknown>
    const given = rest.role === 'admin' ? { ...rest, role: 'agent' } : rest
    const token = await tokenFor(own, { scopes: [scope, ...alsoScopes] })
    const isPlain = typeof body === 'object' && !(body instanceof FormData)
    const { status, text } = await app.call(token, method, path, isPlain ? given : body)
    assert.equal(status, 200, text)
  })
}

/** What a token without their channels must not learn of. */
const hiddenIds = ({ contact, conversation, onTelegram, onWhatsapp, runId, attachmentId }: World) =>
  new Set([contact.id, conversation.id, onTelegram.id, onWhatsapp.id, runId, attachmentId])

for (const [operationId, { success, withId = {}, foreign = {} }] of Object.entries(OPERATIONS)) {
  for (const [place, call] of Object.entries(withId)) {
    const id = foreign[place]!(world)
    if (!hiddenIds(world).has(id)) continue
    test(`${operationId}: in ${place}, an id on another channel answers in the same bytes as one of nothing`, async () => {
      const token = await tokenFor(world, { channels: ['sms'] })
      const ask = (id: string) => {
        const { method, path, body } = call(world, id)
        return app.call(token, method, path, body)
      }
      const hidden = await ask(id)
      const nothing = await ask(newId())
      assert.equal(hidden.text, nothing.text)
      assert.equal(hidden.status, nothing.status)
    })
  }

  test(`${operationId} shows nothing of other channels`, async () => {
    const token = await tokenFor(world, { channels: ['sms'] })
    const { method, path, body } = success(world)
    const { status, text } = await app.call(token, method, path.replace(/[?&]q=[^&]*/, ''), body)
    // A response may say what the request said.
    const asked = JSON.stringify(body ?? null)
    if (status === 200)
      for (const id of hiddenIds(world))
        assert.ok(asked.includes(id) || !text.includes(id), `${id} is in the response: ${text}`)
  })
}

test('a token for one channel sees a contact with several as if that channel were all', async () => {
  const here = await makeWorld(app, 'several')
  const { contact, onTelegram, conversation } = here
  const token = await tokenFor(here, { channels: ['telegram'] })
  const { body } = await app.call(token, 'GET', `/contacts/${contact.id}`)
  assert.deepEqual(body.contact.channels, ['telegram'])
  assert.equal(body.contact.conversationCount, 1)
  for (const path of ['/contacts', '/contacts?sort=created', '/contacts?search=several']) {
    const { body } = await app.call(token, 'GET', path)
    assert.deepEqual(
      body.contacts.map((row: Record<string, unknown>) => [row.id, row.conversationId, row.channels]),
      [[contact.id, onTelegram.id, ['telegram']]],
    )
  }
  const list = await app.call(token, 'GET', '/contacts')
  assert.equal(list.body.total, 1)
  assert.deepEqual(list.body.facets.channels, [{ platform: 'telegram', count: 1 }])
  for (const query of ['', '?sort=created', '?status=open', `?contactId=${contact.id}`, '?q=several']) {
    const { body } = await app.call(token, 'GET', `/conversations${query}`)
    assert.deepEqual(
      body.conversations.map(({ id }: { id: string }) => id),
      [onTelegram.id],
      query,
    )
  }
  const both = await tokenFor(here, { channels: ['telegram', 'web'] })
  const two = await app.call(both, 'GET', '/conversations?sort=created')
  assert.deepEqual(
    two.body.conversations.map(({ id }: { id: string }) => id),
    [onTelegram.id, conversation.id],
  )
  assert.equal((await app.call(both, 'GET', '/conversations?channel=sms')).body.conversations.length, 0)
  assert.equal((await app.call(both, 'GET', '/conversations?channel=whatsapp')).body.conversations.length, 0)
})

test('a token for one channel lists the messages of that channel', async () => {
  const here = await makeWorld(app, 'messages')
  const sent = await app.make.message(here.workspace.id, here.onTelegram, { body: 'On Telegram' })
  const token = await tokenFor(here, { channels: ['telegram'] })
  const { body } = await app.call(token, 'GET', '/messages?direction=all')
  assert.deepEqual(
    body.messages.map(({ id }: { id: string }) => id),
    [sent.id],
  )
  const { body: all } = await app.call(here.workspace.token, 'GET', '/messages?direction=all')
  assert.equal(all.messages.length, 2)
})

test('groups are counted and listed without the members of other channels', async () => {
  const here = await makeWorld(app, 'grouped')
  const groupOf = async (channels: ChannelName[]) =>
    (await app.call(await tokenFor(here, { channels }), 'GET', '/contact-groups')).body.groups[0]
  assert.equal((await groupOf(['sms'])).memberCount, 0)
  const shown = await groupOf(['telegram'])
  assert.deepEqual([shown.memberCount, shown.whatsappCount], [1, 0])
  assert.deepEqual(shown.members[0].channels, ['telegram'])
})

test('what names another channel is refused, and what is about another channel', async () => {
  const token = await tokenFor(world, { channels: ['sms', 'telegram'] })
  const refused = [
    await app.call(token, 'POST', '/conversations', { email: 'new@example.com', channel: 'web' }),
    await app.call(token, 'GET', '/whatsapp/templates'),
    await app.call(token, 'GET', `/broadcasts/${world.broadcastId}`),
  ]
  for (const { status, body } of refused) {
    assert.equal(status, 403)
    assert.equal(body.error.code, 'INSUFFICIENT_SCOPE')
    assert.match(
      body.error.details[0].message,
      /^needs access to (web|whatsapp); this token has telegram, sms$/,
    )
  }
})

test('a first message needs messages:send, and a new admin full access', async () => {
  const here = await makeWorld(app, 'first')
  const token = await tokenFor(here, { scopes: ['conversations:write', 'agents:write'] })
  const first = { email: 'first@example.com', channel: 'web', message: 'Hello' }
  const withMessage = await app.call(token, 'POST', '/conversations', first)
  assert.deepEqual(withMessage.body.error.details, [{ field: 'scope', message: 'needs messages:send' }])
  const admins = [
    await app.call(token, 'POST', '/agents', { email: 'boss@example.com', role: 'admin' }),
    await app.call(token, 'PATCH', `/agents/${here.agent.id}`, { role: 'admin' }),
  ]
  for (const { status, body } of admins) {
    assert.equal(status, 403)
    assert.deepEqual(body.error.details, [{ field: 'scope', message: 'needs full' }])
  }
  assert.equal(
    (await app.call(token, 'POST', '/conversations', { ...first, message: undefined })).status,
    200,
  )
})

test('limited tokens have their own idempotency keys', async () => {
  const here = await makeWorld(app, 'keys')
  const path = `/conversations/${here.conversation.id}/close`
  const headers = { 'idempotency-key': 'same-key' }
  assert.equal((await app.call(here.workspace.token, 'POST', path, undefined, { headers })).status, 200)
  const token = await tokenFor(here, { channels: ['sms'] })
  assert.equal((await app.call(token, 'POST', path, undefined, { headers })).status, 404)
})
