// Who is notified of what, through a push service that decrypts what it gets, and by email.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { atTheEnd } from '../../../test/at-the-end.ts'
import { callConsole, makeMember, signIn, startSession } from '../../../test/console.ts'
import { makeFlowRun } from '../../../test/make-flow.ts'
import { makeTeam } from '../../../test/make-team.ts'
import { until } from '../../../test/until.ts'
import { sendDigests } from '../../jobs/send-digests.ts'
import { kill, startKillable } from '../../jobs/testing/killable.ts'
import { startWorker } from '../../jobs/worker.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { makeEphemeral } from '../../platform/live/ephemeral.ts'
import type { Mail } from '../../platform/mail.ts'
import { assignConversation } from '../conversations/assign-conversation.ts'
import type { Signal } from '../conversations/signals.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import { DEFAULT_SETTINGS } from './settings.ts'
import { startPushService } from './testing/push-service.ts'

const mails: Mail[] = []
let isRejected = false
const mail = {
  send: async (one: Mail): Promise<void> => {
    if (isRejected) throw new Error('the mail server rejected an email')
    mails.push(one)
  },
  onlyWorkspaceId: null,
  close: async () => {},
}
const ephemeral = makeEphemeral<Signal>()
const app = await startApp({ worker: true, mail, deps: { ephemeral, console: { sendsMail: true } } })
const { db, make, ctxOf, clock } = app
const workspace = await make.workspace({ name: 'Acme' })
const w = workspace.id
const web = await make.channelAccount(w)
let pushKey = ''
const service = await startPushService(() => pushKey)

/** A signed-in person of the workspace whose browser gets notifications. */
const makePerson = async (name: string, { role = 'agent' as 'agent' | 'admin', sees = true } = {}) => {
  const { id } =
    role === 'admin'
      ? await make.agent(w, { role, nickname: name })
      : await makeMember(app, w, sees ? ['see_all_conversations', 'assign_conversations'] : [])
  await db.updateTable('accounts').set({ nickname: name }).where('id', '=', id).execute()
  const person = await signIn(app, w, id)
  const own = (method: 'GET' | 'PUT' | 'POST', path: string, body?: unknown) =>
    callConsole(app, person.secret, method, `/notifications${path}`, body)
  const answer = await own('GET', '')
  pushKey = answer.body.pushKey
  const subscription = service.subscribe(name)
  assert.equal((await own('PUT', '/subscription', subscription)).status, 200)
  return { ...person, own, subscription, name }
}

let count = 0
const writes = async (visitor: string, body: string) => {
  const { conversationId } = await receiveMessage(
    { ...ctxOf(w), actor: { type: 'customer', contactId: null } },
    {
      channel: 'web',
      channelAccountId: web,
      from: { identity: { kind: 'visitor', value: visitor, verified: true }, name: `Visitor ${visitor}` },
      body,
      externalId: `n${count++}`,
      sentAt: clock.now(),
    },
  )
  return conversationId
}

/** Everything that happened so far is decided and sent. */
const settled = async (): Promise<void> => {
  await until(async () => {
    const { last } = await db
      .selectFrom('events')
      .select((eb) => eb.fn.max('id').as('last'))
      .executeTakeFirstOrThrow()
    const { max_id } = await db.selectFrom('feed_relay').select('max_id').executeTakeFirstOrThrow()
    return Number(max_id) >= Number(last)
  }, 'events to be passed on')
  const rest = async () => [
    ...(await db.selectFrom('notification_inputs').select('kind').execute()),
    ...(await db.selectFrom('push_deliveries').select('tries').execute()),
  ]
  await until(async () => (await rest()).length === 0, 'notifications to be sent')
}

const ada = await makePerson('Ada', { role: 'admin' })
const bo = await makePerson('Bo')
const cy = await makePerson('Cy', { sees: false })
const assign = (by: typeof ada, conversationId: string, agentId: string) =>
  by.call('POST', `/conversations/${conversationId}/assign`, { agentId })

test('a message in a person’s own conversation reaches their browser, encrypted and signed', async () => {
  const conversationId = await writes('mia', 'Is anybody there?')
  await settled()
  const title = 'Visitor mia (unassigned)'
  assert.deepEqual(service.received.map(({ name, payload }) => [name, payload.kind, payload.title]).sort(), [
    ['Ada', 'unassigned', title],
    ['Bo', 'unassigned', title],
  ])
  await writes('mia', 'Hello?')
  await settled()
  assert.equal((await assign(bo, conversationId, bo.accountId)).status, 200)
  await settled()
  assert.equal(
    service.received.length,
    2,
    'an unassigned conversation is announced once, and nobody hears of their own act',
  )
  await writes('mia', 'It’s about my order.')
  await settled()
  const { headers, payload } = service.received[2]!
  assert.deepEqual([service.received.length, service.received[2]!.name], [3, 'Bo'])
  const { id, sentAt, ...shown } = payload
  assert.deepEqual(shown, {
    kind: 'message',
    title: 'Visitor mia',
    body: 'It’s about my order.',
    tag: `${w} ${conversationId}`,
    path: `/w/${w}/inbox/${conversationId}`,
    conversationId,
  })
  assert.ok(id && sentAt)
  assert.deepEqual(
    [headers['content-encoding'], headers.ttl, headers.urgency, headers.topic],
    ['aes128gcm', '14400', 'high', conversationId],
  )
  ephemeral.publish({
    type: 'agent.at',
    workspaceId: w,
    conversationId,
    agent: { id: bo.accountId, nickname: 'Bo' },
    state: 'viewing',
  })
  await writes('mia', 'Number 7.')
  await settled()
  assert.equal(service.received.length, 3, 'whoever looks at the conversation isn’t notified of it')
})

test('an assignment and a mention notify whom they concern, once, and only who may see the conversation', async () => {
  const conversationId = await writes('noor', 'Hi')
  await settled()
  const before = service.received.length
  const note = (mentionedIds: string[], body: string) =>
    ada.call('POST', '/notes', { body, conversationId, mentionedIds })
  const blind = await note([cy.accountId], '@Cy please')
  assert.deepEqual([blind.status, blind.body.error.code], [400, 'VALIDATION_ERROR'])
  assert.match(blind.text, /Cy, who can’t see this conversation/)
  const { people } = (await ada.call('GET', `/conversations/${conversationId}/mentionable`)).body
  assert.deepEqual(
    people.map(({ nickname, canSee }: { nickname: string; canSee: boolean }) => [nickname, canSee]),
    [
      ['Ada', true],
      ['Bo', true],
      ['Cy', false],
    ],
  )
  const added = await note([bo.accountId, ada.accountId], 'Ask @Bo, not @Bob; I am @Ada. @Bo!')
  assert.equal(added.status, 200, added.text)
  await settled()
  assert.deepEqual(service.to('Bo').at(-1)!.title, 'Ada mentioned you')
  assert.equal(service.received.length, before + 1, 'Ada isn’t told what she wrote')
  const timeline = async () => {
    const { entries } = (await bo.call('GET', `/conversations/${conversationId}/timeline`)).body
    return entries.find(({ kind }: { kind: string }) => kind === 'note').note
  }
  const ranges = (await timeline()).mentions.map(
    ({ position, length }: { position: number; length: number }) => [position, length],
  )
  assert.deepEqual(ranges, [
    [4, 3],
    [24, 4],
    [30, 3],
  ])
  const noteId = added.body.note.id
  const change = (by: typeof ada, body: object) => by.call('PATCH', `/notes/${noteId}`, body)
  assert.equal((await change(bo, { body: 'Mine' })).status, 403)
  await change(ada, { body: 'Ask @Bo again', mentionedIds: [bo.accountId] })
  const edited = await timeline()
  assert.deepEqual(
    [edited.body, edited.mentions.length, edited.editedAt !== null],
    ['Ask @Bo again', 1, true],
  )
  await assign(ada, conversationId, cy.accountId)
  await settled()
  assert.equal(service.received.length, before + 2, 'a changed note notifies nobody twice')
  assert.deepEqual(
    service.to('Cy').map(({ body }) => body),
    ['Ada assigned this conversation to you'],
  )
  await change(ada, { body: '@Cy look', mentionedIds: [cy.accountId] })
  await settled()
  assert.equal(service.to('Cy').at(-1)!.kind, 'mentioned')
  assert.equal((await ada.call('DELETE', `/notes/${noteId}`)).status, 200)
  assert.equal((await bo.call('DELETE', `/notes/${noteId}`)).status, 404)
})

test('what a flow or the AI agent handles is announced when it is left to people', async () => {
  await make.enableAi(w)
  const conversationId = await writes('otto', 'Hi')
  await settled()
  await ada.call('POST', `/conversations/${conversationId}/messages`, { body: 'Hello' })
  await settled()
  const toBo = async (happens: Promise<unknown>): Promise<number> => {
    const before = service.to('Bo').length
    await happens
    await settled()
    return service.to('Bo').length - before
  }
  const { contact_id: contactId } = await db
    .selectFrom('conversations')
    .select('contact_id')
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  const flow = { id: 'cflow', name: 'Greeting', version: 1 }
  const runId = await makeFlowRun(app, w, flow, { id: conversationId, contactId })
  const run = db.updateTable('flow_runs').where('id', '=', runId)
  await run.set({ is_dialog: true, waiting_for: 'reply' }).execute()
  assert.equal(await toBo(writes('otto', 'To the flow')), 0)
  await run.set({ status: 'completed', waiting_for: null }).execute()
  const data = { runId, flowId: flow.id, flowName: flow.name, status: 'completed' as const }
  const ends = () =>
    inTransaction(ctxOf(w), (ctx) => record(ctx, { type: 'flow_run.updated', conversationId, data }))
  assert.equal(await toBo(ends()), 1)
  const assignAi = ada.call('POST', `/conversations/${conversationId}/assign`, { agentId: 'ai' })
  assert.equal(await toBo(assignAi), 0)
  assert.equal(await toBo(writes('otto', 'To the AI agent')), 0)
})

test('many conversations that are assigned at once are one notification', async () => {
  const ids = await Promise.all(
    Array.from(
      { length: 5 },
      async (_, index) => (await make.conversation(w, { subject: `Bulk ${index}` })).id,
    ),
  )
  const before = service.to('Cy').length
  await inTransaction(ctxOf(w), async (ctx) => {
    for (const conversationId of ids) await assignConversation(ctx, { conversationId, agentId: cy.accountId })
  })
  await settled()
  assert.deepEqual(
    service
      .to('Cy')
      .slice(before)
      .map(({ body, path }) => [body, path]),
    [['Automation assigned 5 conversations to you', `/w/${w}/inbox`]],
  )
})

test('each of 50 assignments in quick succession is told, whatever else goes on', async () => {
  const COUNT = 50
  const ids: string[] = []
  for (let at = 0; at < COUNT; at++) ids.push(await writes(`quick${at}`, 'Hello'))
  await settled()
  const told = async () => {
    const { rows } = await sql<{ id: string; count: number }>`
      select id, conversation_count as count from notifications
      where workspace_id = ${w} and account_id = ${bo.accountId} and kind = 'assigned'`.execute(db)
    return rows
  }
  const before = new Set((await told()).map(({ id }) => id))
  for (const [at, id] of ids.entries()) {
    // A browser that is gone said so a moment ago.
    if (at % 5 === 0)
      ephemeral.publish({
        type: 'agent.at',
        workspaceId: w,
        conversationId: id,
        agent: { id: bo.accountId, nickname: 'Bo' },
        state: 'viewing',
      })
    const meanwhile = [
      writes(`quick${at}`, 'Are you there?'),
      writes(`other${at % 7}`, 'Somebody else'),
      ada.call('POST', `/conversations/${ids[(at + 25) % COUNT]}/notes`, { body: 'Noted' }),
      bo.call('POST', `/conversations/${ids[Math.max(0, at - 3)]}/read`),
    ]
    assert.equal((await assign(ada, id, bo.accountId)).status, 200)
    await Promise.all(meanwhile)
  }
  await settled()
  const fresh = (await told()).filter(({ id }) => !before.has(id))
  assert.equal(
    fresh.reduce((sum, { count }) => sum + count, 0),
    COUNT,
  )
  const pushed = new Set(service.to('Bo').map(({ id }) => id))
  assert.deepEqual(
    fresh.filter(({ id }) => !pushed.has(id)),
    [],
  )
})

test('paused, outside of their hours or switched off, nothing disturbs a person', async () => {
  const conversationId = await writes('pia', 'Hi')
  await assign(ada, conversationId, bo.accountId)
  await settled()
  const reaches = async (): Promise<boolean> => {
    const before = service.to('Bo').length
    await writes('pia', 'More')
    await settled()
    return service.to('Bo').length > before
  }
  assert.ok(await reaches())
  const until = new Date(clock.now().getTime() + 3_600_000).toISOString()
  assert.equal((await bo.own('PUT', '/pause', { until })).status, 200)
  assert.equal((await bo.own('GET', '')).body.pausedUntil, until)
  assert.equal(await reaches(), false)
  await bo.own('PUT', '/pause', { until: null })
  const never = { timeZone: 'Europe/Berlin', weekly: {} }
  await bo.own('PUT', '', { ...DEFAULT_SETTINGS, hours: never })
  assert.equal(await reaches(), false)
  const desktop = { ...DEFAULT_SETTINGS.desktop, message: false }
  await bo.own('PUT', '', { ...DEFAULT_SETTINGS, desktop })
  assert.equal(await reaches(), false)
  await bo.own('PUT', '', { ...DEFAULT_SETTINGS, showText: false })
  assert.ok(await reaches())
  assert.equal(service.to('Bo').at(-1)!.body, 'New message')
  await bo.own('PUT', '', DEFAULT_SETTINGS)
  const refused = await bo.own('PUT', '', { ...DEFAULT_SETTINGS, hours: { timeZone: 'Mars', weekly: {} } })
  assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'hours.timeZone'])
})

test('a push service that hangs holds up no other, one that fails is asked again, and who has gone is forgotten', async () => {
  const hanging = await startPushService(() => pushKey)
  hanging.behave(() => undefined)
  const dee = await makePerson('Dee')
  await dee.own('PUT', '/subscription', hanging.subscribe('Dee-elsewhere'))
  const conversationId = await writes('rosa', 'Hi')
  await assign(ada, conversationId, dee.accountId)
  let failures = 1
  service.behave(() => (failures-- > 0 ? 503 : 201))
  await until(() => hanging.received.length > 0 && service.to('Dee').length >= 2, 'both to be tried')
  service.behave(({ name }) => (name === 'Dee' ? 410 : 201))
  await writes('rosa', 'Gone?')
  const left = () =>
    db.selectFrom('push_subscriptions').select('endpoint').where('account_id', '=', dee.accountId).execute()
  await until(async () => (await left()).length === 1, 'the browser to be forgotten')
  service.behave(() => 201)
  await db.deleteFrom('sessions').where('account_id', '=', dee.accountId).execute()
  assert.deepEqual(await left(), [], 'a browser is forgotten with its sign-in')
  await settled()
})

test('a browser can’t subscribe with an inner address, or in the name of another', async () => {
  const { subscription } = ada
  for (const endpoint of [
    'https://10.0.0.7/push',
    'http://10.0.0.7/push',
    'https://user@push.example/',
    'nothing',
  ]) {
    const answer = await ada.own('PUT', '/subscription', { ...subscription, endpoint })
    assert.deepEqual([answer.status, answer.body.error.details[0].field], [400, 'endpoint'], endpoint)
  }
  const keys = { p256dh: 'short', auth: subscription.keys.auth }
  assert.equal((await ada.own('PUT', '/subscription', { ...subscription, keys })).status, 400)
  const ended = await ada.own('POST', '/subscription/end', { endpoint: bo.subscription.endpoint })
  assert.equal(ended.status, 200)
  const all = await db.selectFrom('push_subscriptions').select('endpoint').execute()
  assert.ok(all.some(({ endpoint }) => endpoint === bo.subscription.endpoint))
  assert.equal((await callConsole(app, null, 'GET', '/notifications')).status, 401)
  const stranger = await startSession(app, (await make.agent((await make.workspace()).id)).id)
  assert.deepEqual(
    (await callConsole(app, stranger, 'GET', '/notifications')).body.settings,
    DEFAULT_SETTINGS,
  )
})

const digest = async (minutesLater: number) => {
  const now = () => new Date(clock.now().getTime() + minutesLater * 60_000)
  await sendDigests({
    ...ctxOf(w),
    ...app.deps,
    log: app.app.log,
    mail,
    now,
    isStopping: () => false,
  } as never)
  return mails.splice(0)
}

test('what nobody reacted to is emailed once, to whoever wasn’t online', async () => {
  await db.updateTable('notifications').set({ email_due_at: null }).execute()
  const answered = await writes('sam', 'Answered')
  const waiting = await writes('tess', 'I’m waiting')
  await settled()
  for (const id of [answered, waiting]) await assign(ada, id, bo.accountId)
  await writes('sam', 'Again')
  await writes('tess', 'Still waiting')
  await settled()
  await ada.call('POST', `/conversations/${answered}/messages`, { body: 'Here' })
  await db.updateTable('accounts').set({ last_seen_at: null }).where('id', '=', bo.accountId).execute()
  assert.deepEqual(await digest(14), [])
  isRejected = true
  assert.deepEqual(await digest(16), [])
  isRejected = false
  const [one, ...none] = await digest(30)
  assert.deepEqual([none, one!.to], [[], bo.accountId && (await emailOf(bo.accountId))])
  assert.equal(one!.subject, 'Acme: a conversation is waiting for you')
  assert.ok(
    one!.text.includes(
      `Visitor tess: new message\n> Still waiting\nhttp://foyer.test/w/${w}/inbox/${waiting}`,
    ),
    one!.text,
  )
  assert.ok(!one!.text.includes('sam'))
  assert.equal(one!.unsubscribeUrl, `http://foyer.test/w/${w}/notifications`)
  assert.deepEqual(await digest(60), [])
  await writes('tess', 'Hello?')
  await settled()
  await db.updateTable('accounts').set({ last_seen_at: clock.now() }).where('id', '=', bo.accountId).execute()
  assert.deepEqual(await digest(60), [], 'who was online has seen it')
})

test('notifications and emails are in the language that a person chose, or last had the console in', async () => {
  const eve = await makePerson('Eve')
  const prefer = async (language: string, isChosen: boolean) =>
    (await callConsole(app, eve.secret, 'PUT', '/session/language', { language, isChosen })).body
  const told = async () => {
    service.received.splice(0)
    const id = await writes(`uma${count}`, 'Bonjour')
    await assign(ada, id, eve.accountId)
    await settled()
    return service.received.filter(({ name, payload }) => name === 'Eve' && payload.kind === 'assigned')
  }
  assert.equal((await told())[0]!.payload.body, 'Ada assigned this conversation to you')
  await prefer('fr', false)
  assert.equal((await told())[0]!.payload.body, 'Ada vous a attribué cette conversation')
  await prefer('de', true)
  const { account } = await prefer('es', false)
  assert.deepEqual(account.language, { language: 'de', isChosen: true }, 'a choice stays')
  assert.equal((await prefer('it', true)).error.code, 'VALIDATION_ERROR')
  assert.equal((await told())[0]!.payload.body, 'Ada hat Ihnen diese Konversation zugewiesen')
  await db.updateTable('accounts').set({ last_seen_at: null }).where('id', '=', eve.accountId).execute()
  const address = await emailOf(eve.accountId)
  const own = (await digest(60)).filter(({ to }) => to === address)
  assert.deepEqual(
    own.map(({ subject }) => subject),
    ['Acme: 3 Konversationen warten auf Sie'],
  )
  assert.match(own[0]!.text, /Visitor uma\d+: Ada hat sie Ihnen zugewiesen/)
  await db
    .updateTable('accounts')
    .set({ last_seen_at: clock.now() })
    .where('id', '=', eve.accountId)
    .execute()
})

const emailOf = async (id: string) =>
  (await db.selectFrom('accounts').select('email').where('id', '=', id).executeTakeFirstOrThrow()).email

test('a worker that is killed loses no notification', async () => {
  await app.worker!.stop()
  const conversationId = await writes('uma', 'Hi')
  await assign(ada, conversationId, bo.accountId)
  const worker = await startKillable(app.database.connectionString)
  const texts = () => service.to('Bo').map(({ body }) => body)
  let isHeld = true
  // What is being sent while the worker dies has no outcome.
  service.behave(() => (isHeld ? undefined : 201))
  await writes('uma', 'First')
  await until(() => texts().includes('First'), 'the first to be sent')
  await writes('uma', 'Second')
  await kill(worker)
  isHeld = false
  await db.updateTable('push_deliveries').set({ not_before: clock.now() }).execute()
  const next = await startWorker({
    connectionString: app.database.connectionString,
    deps: { ...app.deps, log: app.app.log },
    pollMs: 50,
  })
  atTheEnd(() => next.stop())
  await settled()
  assert.deepEqual([texts().filter((text) => text === 'First').length, texts().at(-1)], [2, 'Second'])
  const ids = service
    .to('Bo')
    .filter(({ body }) => body === 'First')
    .map(({ id }) => id)
  assert.equal(ids[0], ids[1], 'a browser recognizes what it has shown')
})

test('what waits in a team is told to its members only, and what is overdue to whoever has it or to them', async () => {
  const dee = await makePerson('Dee')
  const team = await makeTeam(app, w, { name: 'Night shift', memberIds: [dee.accountId] })
  const conversationId = await writes('zoe', 'At night')
  await settled()
  const before = service.received.length
  const heard = () => service.received.slice(before).map(({ name, payload }) => [name, payload.kind])
  assert.equal(
    (await ada.call('POST', `/conversations/${conversationId}/team`, { teamId: team })).status,
    200,
  )
  await db.deleteFrom('notifications').where('conversation_id', '=', conversationId).execute()
  await writes('zoe', 'Still there')
  await settled()
  assert.deepEqual(heard(), [['Dee', 'team']])
  const overdue = (agentId: string | null) =>
    inTransaction(ctxOf(w), (ctx) =>
      record(
        { ...ctx, actor: { type: 'system' } },
        {
          type: 'conversation.answer_overdue',
          conversationId,
          data: { conversationId, agentId, teamId: team, answer: 'first', dueAt: clock.now().toISOString() },
        },
      ),
    )
  await overdue(null)
  await settled()
  assert.deepEqual(heard().slice(1), [['Dee', 'overdue']])
  await assign(ada, conversationId, ada.accountId)
  await settled()
  await overdue(ada.accountId)
  await settled()
  assert.deepEqual(heard().slice(2), [['Ada', 'overdue']])
})
