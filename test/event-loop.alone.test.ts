// One process answers everybody, so no request may hold it up. Every route gets the worst bodies that its limit lets
// through, and the time is read that nothing else could have run in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { newId } from '../server/platform/db/id.ts'
import { startApp } from './app.ts'
import { makeBlockingCheck } from './blocking.ts'
import { signIn } from './console.ts'
import { makeWorld } from './operations.ts'
import { type Schema, WORST_PATHS, worstBodies, worstHeaders } from './worst-bodies.ts'

type Route = { method: string; url: string; body: Schema | undefined; bodyLimit: number }

const routes: Route[] = []
const collect = (app: FastifyInstance): void => {
  app.addHook('onRoute', ({ method, url, schema, config, bodyLimit = 1024 * 1024 }) => {
    if (config?.isStream || config?.body === 'streamed') return
    for (const name of [method].flat())
      routes.push({ method: name, url, body: schema?.body as Schema | undefined, bodyLimit })
  })
}

const app = await startApp({ deps: { decorate: collect } })
const world = await makeWorld(app, 'loop')
const workspaceId = world.workspace.id
const { secret } = await signIn(app, workspaceId, world.admin.id)
const visitor = await app.app.inject({ method: 'POST', url: `/widget/${world.web}/session`, payload: {} })
const visitorToken: string = visitor.json().token

const IDS: Record<string, string> = {
  workspaceId,
  channelId: world.web,
  conversationId: world.conversation.id,
  contactId: world.contact.id,
  agentId: world.agent.id,
}
const urlOf = (route: string): string =>
  route.replaceAll(/:(\w+)/g, (_, name: string) => IDS[name] ?? newId()).replace('*', 'x')

const headersFor = (url: string): Record<string, string> => {
  if (url.startsWith('/api/')) return { authorization: `Bearer ${world.workspace.token}` }
  if (url.startsWith('/widget/')) return { authorization: `Bearer ${visitorToken}` }
  return { cookie: `foyer_session=${secret}`, 'x-foyer-console': '1' }
}

const { check, assertNothingSlow } = makeBlockingCheck(app)

test('no body, however it is made, holds the process up for more than 50 ms, on any route, let in or not', async () => {
  const seen = new Set<Schema>()
  const send = async ({ method, url, bodyLimit }: Route, schema: Schema | undefined) => {
    const path = urlOf(url)
    for (const { name, text } of worstBodies(schema, bodyLimit))
      await check(`${method} ${url}: ${name}`, {
        method: method as 'POST',
        url: path,
        payload: text,
        headers: { ...headersFor(path), 'content-type': 'application/json' },
      })
  }
  // Reading a body is the same for all routes of an area.
  const areas = [
    '/api/v1/conversations/:conversationId/close',
    '/console/api/workspaces/:workspaceId/conversations/:conversationId/close',
    '/widget/:channelId/messages',
    '/console/api/sign-out',
  ]
  for (const area of areas) {
    const route = routes.find(({ method, url }) => method === 'POST' && url === area)
    assert.ok(route, area)
    await send(route, undefined)
  }
  for (const route of routes) {
    const { method, body } = route
    // The API and the console share their shapes.
    if (!body || seen.has(body) || !['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) continue
    seen.add(body)
    await send(route, body)
  }
  assert.ok(seen.size > 20, String(seen.size))
  assertNothingSlow()
})

test('no body holds the process up that comes from nobody', async () => {
  const urls = ['/api/v1/broadcasts', '/console/api/sign-in', `/widget/${world.web}/session`, '/nothing']
  for (const url of [
    ...urls,
    `/webhooks/whatsapp/${world.whatsapp}`,
    `/console/api/workspaces/${workspaceId}/notes`,
  ])
    for (const { name, text } of worstBodies(undefined))
      await check(`POST ${url}: ${name}`, {
        method: 'POST',
        url,
        payload: text,
        headers: {
          'content-type': 'application/json',
          'x-foyer-console': '1',
          'x-hub-signature-256': 'sha256=00',
        },
      })
  assertNothingSlow()
})

const PLACES = [
  '/',
  '/docs',
  '/docs/try',
  '/docs/static/swagger-ui.css',
  '/widget.js',
  '/api/v1/me',
  '/api/v1/contacts',
  '/api/v1/openapi.json',
  '/console/api/session',
  `/console/api/workspaces/${workspaceId}/contacts`,
  `/files/${newId()}`,
  `/webhooks/sms/${newId()}`,
]

test('no header holds the process up for more than 50 ms', async () => {
  // What is made at the first call is no header's fault.
  for (const url of PLACES) await app.app.inject({ url, headers: headersFor(url) })
  for (const url of PLACES)
    for (const { name, headers } of worstHeaders())
      await check(`GET ${url} with ${name}`, { url, headers: { ...headersFor(url), ...headers } })
  assertNothingSlow()
})

test('no path and no query holds the process up for more than 50 ms', async () => {
  const starts = [
    '/a',
    '/assets/',
    '/api/v1/contacts/',
    '/files/',
    '/sandbox/',
    '/webhooks/sms/',
    '/widget/',
    '/docs/',
    '/docs/static/',
  ]
  const queries = [
    '/api/v1/contacts?search=',
    '/api/v1/conversations?q=',
    '/api/v1/messages?cursor=',
    `/console/api/workspaces/${workspaceId}/conversations?q=`,
    '/?',
  ]
  for (const start of [...starts, ...queries])
    for (const end of WORST_PATHS)
      await check(`GET ${start}${end.slice(0, 10)}…`, {
        url: `${start}${end}`,
        headers: { ...headersFor(start), accept: 'text/html' },
      })
  assertNothingSlow()
})
