import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { callConsole, makeMember, signIn } from '../../test/console.ts'
import { until } from '../../test/until.ts'
import { addNote } from '../domain/notes/add-note.ts'
import { openEvents } from '../inbound/web/testing/visitor.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { makeEventStreams } from '../platform/http/sse.ts'
import { TABS_PER_SESSION_MAX } from './streams.ts'

const eventStreams = makeEventStreams()
const app = await startApp({ stream: true, deps: { eventStreams } })
const { db, make } = app
let base = ''
before(async () => {
  base = await app.app.listen({ port: 0, host: '127.0.0.1' })
})

const workspace = await make.workspace()
const w = workspace.id
const admin = await signIn(app, w, (await make.agent(w, { role: 'admin', nickname: 'Robin' })).id)

/** A tab of the console that is caught up. */
const openTab = async (secret: string, lastEventId?: string, workspaceId = w) => {
  const tab = await openEvents(
    `${base}/console/api/workspaces/${workspaceId}/events`,
    { cookie: `foyer_session=${secret}` },
    lastEventId,
  )
  if (tab.status === 200 && lastEventId === undefined) await tab.next('hello')
  return tab
}

const note = (conversationId: string, body = 'n') =>
  addNote({ ...app.ctxOf(w) } satisfies Ctx, { conversationId, body })
const newAgent = async (permissions: string[] = []) =>
  signIn(app, w, (permissions.length > 0 ? await makeMember(app, w, permissions) : await make.agent(w)).id)

/** A marker event that every stream receives: what should come before it has come, or never will. */
const mark = async (): Promise<string> => {
  const { id } = await make.agent(w)
  const answer = await admin.call('PATCH', `/agents/${id}`, { role: 'admin' })
  assert.equal(answer.status, 200)
  return id
}
const sees = (id: string) => (event: { data: { data: { agentId?: string } } }) =>
  event.data.data.agentId === id

test('a tab receives the events of its workspace, with their subjects, and none of another', async () => {
  const { id: conversationId, contactId } = await make.conversation(w)
  const tab = await openTab(admin.secret)
  assert.equal(tab.headers['content-type'], 'text/event-stream; charset=utf-8')
  const elsewhere = await make.workspace()
  const stranger = await make.conversation(elsewhere.id)
  await addNote(app.ctxOf(elsewhere.id), { conversationId: stranger.id, body: 'x' })
  const { id: noteId } = await note(conversationId)
  const { data, id } = await tab.next('note.created')
  assert.deepEqual(data, { type: 'note.created', conversationId, contactId, data: { noteId } })
  assert.ok(id)
  assert.ok(!tab.text().includes(stranger.id))
  tab.close()
})

test('only signed-in members can open a stream', async () => {
  const other = await make.workspace()
  const stranger = await signIn(app, other.id, (await make.agent(other.id)).id)
  assert.equal((await openTab(stranger.secret)).status, 404)
  assert.equal((await openTab('A'.repeat(43))).status, 401)
})

test('a restricted agent receives events about their own conversations, including gaining and losing one, and no others', async () => {
  const agent = await newAgent()
  const own = await make.conversation(w, { agentId: agent.accountId })
  const hidden = await make.conversation(w)
  const coming = await make.conversation(w)
  const tab = await openTab(agent.secret)
  const wide = await openTab((await newAgent(['see_all_conversations'])).secret)

  await note(hidden.id)
  const { id: ownNote } = await note(own.id)
  await admin.call('PATCH', `/contacts/${hidden.contactId}`, { name: 'Hidden' })
  await admin.call('PATCH', `/contacts/${own.contactId}`, { name: 'Own' })
  await admin.call('POST', `/conversations/${coming.id}/assign`, { agentId: agent.accountId })
  await note(coming.id)
  await admin.call('POST', `/conversations/${own.id}/unassign`)
  await note(own.id)
  const end = await mark()
  await tab.next('agent.updated', sees(end))
  await wide.next('agent.updated', sees(end))

  const heard = tab
    .events()
    .flatMap(({ event, data }) =>
      data.type === 'hello' ? [] : [[event, data.conversationId ?? data.contactId]],
    )
  assert.deepEqual(heard, [
    ['note.created', own.id],
    ['contact.updated', own.contactId],
    ['conversation.assigned', coming.id],
    ['note.created', coming.id],
    ['conversation.assigned', own.id],
    ['agent.updated', null],
  ])
  assert.ok(tab.text().includes(ownNote))
  assert.equal(tab.text().includes(hidden.id), false)
  assert.equal(wide.events().filter(({ event }) => event === 'note.created').length, 4)
  tab.close()
  wide.close()
})

test('a reconnecting tab receives what it missed and may see, once and in order', async () => {
  const agent = await newAgent()
  const own = await make.conversation(w, { agentId: agent.accountId })
  const hidden = await make.conversation(w)
  const first = await openTab(agent.secret)
  await note(own.id, 'first')
  await first.next('note.created')
  const last = first.lastId()
  first.close()
  const ids: string[] = []
  for (let n = 0; n < 5; n++) {
    await note(hidden.id)
    ids.push((await note(own.id)).id)
  }
  // While it catches up, more happens.
  const [again] = await Promise.all([
    openTab(agent.secret, last),
    ...Array.from({ length: 20 }, async () => {
      ids.push((await note(own.id)).id)
    }),
  ])
  const end = await mark()
  await again!.next('agent.updated', sees(end))
  const heard = again!.events().filter(({ event }) => event === 'note.created')
  assert.deepEqual(heard.map(({ data }) => data.data.noteId).sort(), ids.sort())
  const cursors = again!.events().flatMap(({ id }) => id ?? [])
  assert.deepEqual(cursors, [...cursors].sort())
  assert.equal(new Set(cursors).size, cursors.length)
  assert.ok(!again!.text().includes(hidden.id))
  assert.equal(
    again!.events().some(({ event }) => event === 'reset' || event === 'hello'),
    false,
  )
  again!.close()
})

test('a tab that was away too long, or sends no event id, must reload and gets a place to resume from', async () => {
  const { id: conversationId } = await make.conversation(w)
  for (const unknown of ['nonsense', '0'.repeat(33)]) {
    const tab = await openTab(admin.secret, unknown)
    const reset = await tab.next('reset')
    assert.match(String(reset.id), /^[0-9a-z]{33}$/)
    tab.close()
    const { id: noteId } = await note(conversationId)
    const again = await openTab(admin.secret, String(reset.id))
    assert.equal((await again.next('note.created')).data.data.noteId, noteId)
    again.close()
  }
  const tab = await openTab(admin.secret)
  const last = tab.lastId()!
  tab.close()
  await db
    .insertInto('events')
    .values(
      Array.from({ length: 501 }, () => ({
        workspace_id: w,
        type: 'note.created',
        conversation_id: conversationId,
        data: JSON.stringify({ noteId: 'x' }),
        created_at: new Date(),
      })),
    )
    .execute()
  const late = await openTab(admin.secret, last)
  await late.next('reset')
  assert.equal(late.events().filter(({ event }) => event === 'note.created').length, 0)
  late.close()
})

test('after the database is restored, open streams end and tabs reload', async () => {
  const { id: conversationId } = await make.conversation(w)
  const tab = await openTab(admin.secret)
  await note(conversationId)
  await tab.next('note.created')
  await db.updateTable('event_epoch').set({ system_identifier: 'another' }).execute()
  await until(() => tab.isEnded(), 'the tab to end')
  const again = await openTab(admin.secret, tab.lastId()!)
  await again.next('reset')
  const { id: noteId } = await note(conversationId)
  assert.equal((await again.next('note.created')).data.data.noteId, noteId)
  again.close()
})

test('a stream ends as soon as its session does, in any process, and others continue', async () => {
  const agent = await newAgent(['see_all_conversations'])
  const second = await signIn(app, w, agent.accountId)
  const [one, two] = [await openTab(agent.secret), await openTab(second.secret)]
  assert.equal((await callConsole(app, agent.secret, 'POST', '/sign-out', {})).status, 200)
  await until(() => one.isEnded(), 'the stream of the session to end')
  assert.equal(two.isEnded(), false)
  // As another process would hear of it.
  await db.deleteFrom('sessions').where('account_id', '=', agent.accountId).execute()
  app.app.recheckConsole(agent.accountId)
  await until(() => two.isEnded(), 'the other stream to end')
})

test('a removed member receives no more events, not even those of the same transaction', async () => {
  const agent = await newAgent(['see_all_conversations'])
  const { id: conversationId } = await make.conversation(w)
  const tab = await openTab(agent.secret)
  assert.equal((await admin.call('DELETE', `/agents/${agent.accountId}`)).status, 200)
  await note(conversationId, 'secret')
  await until(() => tab.isEnded(), 'the stream of the removed member to end')
  assert.equal(
    tab.events().some(({ event }) => event === 'note.created'),
    false,
  )
  assert.equal((await openTab(agent.secret)).status, 404)
})

test('a changed role applies to open streams', async () => {
  const agent = await newAgent(['see_all_conversations'])
  const { id: conversationId } = await make.conversation(w)
  const tab = await openTab(agent.secret)
  await note(conversationId)
  await tab.next('note.created')
  // Back to the default role, which sees nothing of this.
  await admin.call('PATCH', `/agents/${agent.accountId}`, { role: 'admin' })
  await admin.call('PATCH', `/agents/${agent.accountId}`, { role: 'agent' })
  await note(conversationId)
  const end = await mark()
  await tab.next('agent.updated', sees(end))
  assert.equal(tab.events().filter(({ event }) => event === 'note.created').length, 1)
  tab.close()
})

test('agents see which colleagues are in a conversation, if they may see the conversation', async () => {
  const { id: conversationId } = await make.conversation(w)
  const [ada, ben] = [await newAgent(['see_all_conversations']), await newAgent(['see_all_conversations'])]
  const restricted = await newAgent()
  const [tabOfAda, tabOfBen, hidden] = [
    await openTab(ada.secret),
    await openTab(ben.secret),
    await openTab(restricted.secret),
  ]
  const be = (who: typeof ada, state: string) =>
    who.call('POST', `/conversations/${conversationId}/presence`, { state })
  const agentsOf = async (tab: typeof tabOfAda) => {
    const { data } = await tab.next('presence')
    assert.equal(data.conversationId, conversationId)
    return data.data.agents.map(({ id, state }: { id: string; state: string }) => [id, state])
  }
  await be(ada, 'viewing')
  assert.deepEqual(await agentsOf(tabOfBen), [[ada.accountId, 'viewing']])
  assert.deepEqual(await agentsOf(tabOfAda), [])
  await be(ben, 'viewing')
  assert.deepEqual(await agentsOf(tabOfAda), [[ben.accountId, 'viewing']])
  await agentsOf(tabOfBen)
  await be(ada, 'typing')
  assert.deepEqual(await agentsOf(tabOfBen), [[ada.accountId, 'typing']])
  // Closing the tab is leaving.
  tabOfAda.close()
  assert.deepEqual(await agentsOf(tabOfBen), [])
  assert.equal((await be(restricted, 'viewing')).status, 404)
  const end = await mark()
  await hidden.next('agent.updated', sees(end))
  assert.equal(
    hidden.events().some(({ event }) => event === 'presence'),
    false,
  )
  tabOfBen.close()
  hidden.close()
})

test('an open tab keeps its agent online, and too many tabs of one session are refused', async () => {
  const agent = await newAgent()
  const tabs = []
  for (let n = 0; n < TABS_PER_SESSION_MAX; n++) tabs.push(await openTab(agent.secret))
  assert.equal((await openTab(agent.secret)).status, 429)
  const { body } = await app.call(workspace.token, 'GET', `/agents/${agent.accountId}`)
  assert.equal(body.agent.isOnline, true)
  for (const tab of tabs) tab.close()
  await until(async () => (await openTab(agent.secret)).status === 200, 'a closed tab to make room')
})
