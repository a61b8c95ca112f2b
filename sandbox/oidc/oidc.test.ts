// The identity provider as its client sees it: what a well-behaved one refuses.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { startSandbox } from '../sandbox.ts'

const CALLBACK = 'http://shop.example/callback'
const sandbox = await startSandbox({ oidc: { redirectUri: CALLBACK }, controlKey: 'key' })
after(() => sandbox.stop())
const { control, url } = sandbox
const personId = control.addPerson({ name: 'Ana <b>', email: 'ana@shop.example' })!.id
const verifier = randomBytes(32).toString('base64url')

const authorize = (changes: Record<string, string> = {}) =>
  fetch(
    `${url}/oidc/authorize?${new URLSearchParams({
      client_id: 'foyer',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid email',
      state: 'state',
      nonce: 'nonce',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    })}`,
    { redirect: 'manual' },
  )

const decide = async (page: string): Promise<URL> => {
  const request = /name="request" value="([\w-]+)"/.exec(page)![1]!
  const answer = await fetch(`${url}/oidc/authorize`, {
    method: 'POST',
    body: new URLSearchParams({ request, person: personId }),
    redirect: 'manual',
  })
  return new URL(answer.headers.get('location')!)
}
const newCode = async (): Promise<string> =>
  (await decide(await (await authorize()).text())).searchParams.get('code')!

const exchange = async (code: string, changes: Record<string, string> = {}, secret?: string) => {
  const answer = await fetch(`${url}/oidc/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`foyer:${secret ?? 'sandbox-client-secret'}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      ...changes,
    }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}

test('a code is sent to the registered address only, and other mistakes are told there', async () => {
  const strange: Record<string, string>[] = [{ client_id: 'x' }, { redirect_uri: 'https://evil.example/' }]
  for (const changes of strange) {
    const answer = await authorize(changes)
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null])
  }
  for (const [changes, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'email' }, 'invalid_scope'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
  ] as const) {
    const to = new URL((await authorize(changes)).headers.get('location')!)
    assert.equal(to.origin + to.pathname, CALLBACK)
    assert.deepEqual([to.searchParams.get('error'), to.searchParams.get('state')], [error, 'state'])
  }
  const page = await (await authorize()).text()
  assert.ok(page.includes('Ana &#60;b&#62;') && !page.includes('Ana <b>'))
})

test('a code works once, for its client, address and PKCE verifier', async () => {
  const code = await newCode()
  const { status, body } = await exchange(code)
  assert.equal(status, 200)
  assert.deepEqual((await exchange(code)).body, { error: 'invalid_grant' })
  const wrong: Record<string, string>[] = [
    { redirect_uri: 'http://shop.example/other' },
    { code_verifier: randomBytes(32).toString('base64url') },
    { code_verifier: '' },
  ]
  for (const changes of wrong)
    assert.deepEqual((await exchange(await newCode(), changes)).body, { error: 'invalid_grant' })
  assert.deepEqual(await exchange(await newCode(), {}, 'wrong'), {
    status: 401,
    body: { error: 'invalid_client' },
  })
  const me = await fetch(`${url}/oidc/userinfo`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  })
  assert.equal(((await me.json()) as { email: string }).email, 'ana@shop.example')
  assert.equal((await fetch(`${url}/oidc/userinfo`)).status, 401)
})

test('its keys can be rotated and its faults set over HTTP', async () => {
  const call = (method: string, path: string, body?: unknown) =>
    fetch(`${url}/control/oidc${path}`, {
      method,
      headers: { 'x-sandbox-key': 'key' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const kids = async () =>
    ((await (await fetch(`${url}/oidc/jwks`)).json()) as { keys: { kid: string }[] }).keys.map(
      ({ kid }) => kid,
    )
  assert.deepEqual(await kids(), ['sandbox-0'])
  for (let rotation = 1; rotation <= 2; rotation++)
    assert.equal((await call('POST', '/rotate', {})).status, 200)
  assert.deepEqual(await kids(), ['sandbox-2', 'sandbox-1'])
  assert.equal((await call('POST', '/faults', { kind: 'server-error', at: 'jwks' })).status, 200)
  assert.equal((await fetch(`${url}/oidc/jwks`)).status, 503)
  assert.equal((await call('POST', '/faults', { kind: 'unheard-of' })).status, 400)
  await call('POST', '/faults', { kind: 'drop', at: 'jwks', times: null })
  assert.equal((await call('DELETE', '/faults')).status, 200)
  assert.equal((await fetch(`${url}/oidc/jwks`)).status, 200)
  const patch = { email: 'other@shop.example', emailVerified: false }
  assert.equal((await call('PATCH', `/accounts/${personId}`, patch)).status, 200)
  assert.equal((await call('PATCH', '/accounts/nobody', patch)).status, 404)
  assert.equal(((await (await call('GET', '')).json()) as { issuer: string }).issuer, `${url}/oidc`)
})
