// The first five minutes: what the demo prints is true and works as it stands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, serve, temporaryDirectory, until } from './foyer.ts'

const env = { DATA_DIR: temporaryDirectory(), DEMO: 'on', RATE_LIMITS: 'on' }
let secret = ''
/** Of the stories that it begins with. */
const CUSTOMERS = 7

/** The greeting comes after the line that says it serves. */
const greetingOf = (foyer: { output: () => string }) =>
  until('the greeting', () => foyer.output().includes('Ctrl-C') && foyer.output())

test('the first start shows a token once, with a curl line that answers conversations', async () => {
  const foyer = await serve(env)
  const output = await greetingOf(foyer)
  const curl = /curl -s -H '(Authorization: Bearer (foyer_[\w-]{43}))' (http\S+)$/m.exec(output)
  assert.ok(curl, output)
  const [, header, token, url] = curl as unknown as [string, string, string, string]
  secret = token
  assert.equal(output.split(secret).length, 3, 'on its own line and in the curl line')
  const [name, value] = header.split(': ') as [string, string]
  const response = await fetch(url, { headers: { [name]: value } })
  assert.equal(response.status, 200)
  const { conversations } = (await response.json()) as { conversations: { status: string }[] }
  assert.equal(conversations.length, CUSTOMERS)
  assert.equal(conversations.filter(({ status }) => status === 'closed').length, 1)

  for (const page of ['/demo', '/sandbox', '/docs', '/docs/', '/api/v1/openapi.json', '/widget.js']) {
    const { status } = await call(foyer.url, null, 'GET', page)
    assert.equal(status, 200, page)
  }
  const { body } = await call(foyer.url, secret, 'GET', '/api/v1/contacts')
  assert.equal(body.total, CUSTOMERS)
  for (const contact of body.contacts) assert.equal(contact.conversationCount, 1)

  const link = /^ +(http\S+)\/sign-in#([\w-]{43})$/m.exec(output)
  assert.ok(link, output)
  const signIn = () =>
    fetch(`${link[1]}/console/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-foyer-console': '1' },
      body: JSON.stringify({ secret: link[2] }),
    })
  const signedIn = await signIn()
  const session = (await signedIn.json()) as { isDemo: boolean; workspaces: { role: string }[] }
  assert.deepEqual([session.isDemo, session.workspaces[0]?.role], [true, 'admin'])
  assert.equal((await signIn()).status, 401)
  assert.equal((await foyer.stop('SIGINT')).code, 0)
})

test('a later start keeps the demo, shows no token, and says how to make another', async () => {
  const foyer = await serve(env)
  const output = await greetingOf(foyer)
  assert.doesNotMatch(output, /foyer_[\w-]{20}/)
  assert.match(output, /\.\/foyer token create --workspace c\w{24} --name '/)
  assert.match(output, /\/sign-in#[\w-]{43}$/m)
  const { body } = await call(foyer.url, secret, 'GET', '/api/v1/conversations')
  assert.equal(body.conversations.length, CUSTOMERS)
  assert.equal((await call(foyer.url, null, 'GET', '/demo')).status, 200)
  await foyer.stop()
})

test('with DEMO=off there is no demo page, and every line is JSON', async () => {
  const foyer = await serve({ ...env, DEMO: 'off' })
  for (const page of ['/demo', '/sandbox', '/sandbox/', '/sandbox/control/state'])
    assert.equal((await call(foyer.url, null, 'GET', page)).status, 404, page)
  await foyer.stop()
  for (const line of foyer.output().trim().split('\n')) JSON.parse(line)
})
