import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { callConsole, signIn, startSession } from '../../test/console.ts'
import { until } from '../../test/until.ts'
import { createSignInLink } from '../domain/accounts/create-sign-in-link.ts'
import type { OwnSession } from '../domain/accounts/schema.ts'
import { openEvents } from '../inbound/web/testing/visitor.ts'
import { newId } from '../platform/db/id.ts'
import { makeEventStreams } from '../platform/http/sse.ts'

const app = await startApp({ stream: true, deps: { eventStreams: makeEventStreams() } })
const { db, make, clock } = app
const base = await app.app.listen({ port: 0, host: '127.0.0.1' })
const { id: w } = await make.workspace()
const { id: elsewhere } = await make.workspace()
const admin = await signIn(app, w, (await make.agent(w, { role: 'admin' })).id)

const isIn = async (secret: string): Promise<boolean> =>
  (await callConsole(app, secret, 'GET', '/session')).status === 200
const opens = async (secret: string, workspaceId: string): Promise<boolean> =>
  (await callConsole(app, secret, 'GET', `/workspaces/${workspaceId}/conversations`)).status === 200
const listOf = async (secret: string): Promise<OwnSession[]> =>
  (await callConsole(app, secret, 'GET', '/sessions')).body.sessions
const entriesOf = (workspaceId: string, action: 'sign_in.ended' | 'member.signed_out', targetId: string) =>
  db
    .selectFrom('audit_log')
    .select(['actor', 'changes'])
    .where('workspace_id', '=', workspaceId)
    .where('action', '=', action)
    .where('target_id', '=', targetId)
    .execute()
const openTab = async (secret: string, workspaceId = w) => {
  const cookie = `foyer_session=${secret}`
  const tab = await openEvents(`${base}/console/api/workspaces/${workspaceId}/events`, { cookie })
  await tab.next('hello')
  return tab
}
const join = (workspaceId: string, accountId: string) =>
  db
    .insertInto('memberships')
    .values({ workspace_id: workspaceId, account_id: accountId, role: 'agent', created_at: clock.now() })
    .execute()

test('a person sees where they are signed in, and how, without what is stored of the secret', async () => {
  const { id, email } = await make.agent(w)
  const before = await startSession(app, id)
  await startSession(app, (await make.agent(w)).id)
  const { url } = await createSignInLink(
    { db, now: clock.now, newId: () => newId(), publicUrl: 'http://foyer.test' },
    { email },
  )
  const answer = await callConsole(
    app,
    null,
    'POST',
    '/sign-in',
    { secret: url.split('#')[1] },
    {
      headers: { 'user-agent': 'x'.repeat(5_000) },
      remoteAddress: '203.0.113.7',
    },
  )
  assert.equal(answer.status, 200, answer.text)
  const [current, older, ...none] = await listOf(
    /=([\w-]{43});/.exec(String(answer.headers['set-cookie']))![1]!,
  )
  assert.deepEqual(none, [])
  const { id: name, signedInAt, lastSeenAt, ...rest } = current!
  assert.deepEqual(rest, {
    isCurrent: true,
    method: 'link',
    secondFactor: null,
    address: '203.0.113.7',
    userAgent: 'x'.repeat(300),
  })
  assert.ok(Date.parse(lastSeenAt) >= Date.parse(signedInAt))
  assert.deepEqual([older!.isCurrent, older!.method, older!.address], [false, null, null])
  const hashes = await db.selectFrom('sessions').select('hash').where('account_id', '=', id).execute()
  for (const { hash } of hashes) assert.ok(!hash.toString('hex').includes(name.slice(1)))
  assert.ok(await isIn(before))
})

test('ending one sign-in ends it and its streams, and nothing else', async () => {
  const { id } = await make.agent(w)
  const [own, other] = [await startSession(app, id), await startSession(app, id)]
  const [ownTab, otherTab] = [await openTab(own), await openTab(other)]
  const { id: name } = (await listOf(own)).find(({ isCurrent }) => !isCurrent)!
  assert.match(name, /^c[0-9a-f]{24}$/)
  // Of somebody else, even an admin, it is not there.
  for (const path of [`/sessions/${name}`, `/sessions/c${'0'.repeat(24)}`, '/sessions/x']) {
    const refused = await callConsole(app, admin.secret, 'DELETE', path)
    assert.deepEqual([refused.status, refused.body.error.code], [404, 'SIGN_IN_NOT_FOUND'])
  }
  assert.equal((await callConsole(app, null, 'DELETE', `/sessions/${name}`)).status, 401)
  const twice = await Promise.all([1, 2].map(() => callConsole(app, own, 'DELETE', `/sessions/${name}`)))
  assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 404])
  await until(() => otherTab.isEnded(), 'the stream of the ended sign-in to end')
  assert.deepEqual([await isIn(own), await isIn(other), ownTab.isEnded()], [true, false, false])
  ownTab.close()
  assert.deepEqual(await entriesOf(w, 'sign_in.ended', id), [
    { actor: `agent:${id}`, changes: { ended: { to: 1 } } },
  ])
})

test('ending all others keeps the one that asks, and is recorded in each workspace if there were any', async () => {
  const { id } = await make.agent(w)
  await join(elsewhere, id)
  const [own, second, third] = await Promise.all([1, 2, 3].map(() => startSession(app, id)))
  const end = () => callConsole(app, own!, 'POST', '/sessions/end-others')
  assert.deepEqual([(await end()).body, (await end()).body], [{ ended: 2 }, { ended: 0 }])
  assert.deepEqual([await isIn(own!), await isIn(second!), await isIn(third!)], [true, false, false])
  assert.ok(await isIn(admin.secret))
  const entries = [{ actor: `agent:${id}`, changes: { ended: { to: 2 } } }]
  for (const workspace of [w, elsewhere])
    assert.deepEqual(await entriesOf(workspace, 'sign_in.ended', id), entries)
})

test('an admin ends a member’s sign-ins here, and another workspace keeps those of someone it shares', async () => {
  const [only, shared] = [await make.agent(w), await make.agent(w)]
  await join(elsewhere, shared.id)
  const [onlyHere, both] = [await startSession(app, only.id), await startSession(app, shared.id)]
  const [here, there] = [await openTab(both), await openTab(both, elsewhere)]
  for (const { id } of [only, shared]) {
    assert.equal((await admin.call('POST', `/members/${id}/sign-out`)).status, 200)
    assert.deepEqual(await entriesOf(w, 'member.signed_out', id), [
      { actor: `agent:${admin.accountId}`, changes: {} },
    ])
    // As every process hears of it.
    app.app.recheckConsole(id)
  }
  await until(() => here.isEnded(), 'the stream of this workspace to end')
  assert.deepEqual(
    [await isIn(onlyHere), await opens(both, w), await opens(both, elsewhere)],
    [false, false, true],
  )
  assert.equal(there.isEnded(), false)
  there.close()
  assert.deepEqual(await entriesOf(elsewhere, 'member.signed_out', shared.id), [])
  clock.now = () => new Date(Date.now() + 1_000)
  assert.ok(await opens(await startSession(app, shared.id), w), 'a new sign-in opens it again')
})

test('an admin can’t end sign-ins of another workspace’s members', async () => {
  const stranger = await make.agent(elsewhere)
  const secret = await startSession(app, stranger.id)
  const answer = await admin.call('POST', `/members/${stranger.id}/sign-out`)
  assert.deepEqual([answer.status, answer.body.error.code], [404, 'AGENT_NOT_FOUND'])
  assert.ok(await opens(secret, elsewhere))
})
