import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { callConsole, signIn } from '../../../test/console.ts'
import { countOwn } from '../../../test/statements.ts'
import { newId } from '../../platform/db/id.ts'
import { setAiAgent } from './set-ai-agent.ts'

const app = await startApp()
const { call, clock, ctxOf, database, db, make } = app
const workspace = await make.workspace()
const other = await make.workspace()
const admin = await make.agent(workspace.id, { role: 'admin', nickname: 'First Admin' })

const add = (body: unknown, token = workspace.token) => call(token, 'POST', '/agents', body)

/** A unique nickname per person, so that tests do not conflict. */
let count = 0
const fresh = () => `fresh${++count}`

test('an added agent is listed, with the workspace default role and offline', async () => {
  const { status, body } = await add({ email: ' Ann.Lee@Example.com ', nickname: ' Ann ' })
  assert.equal(status, 200)
  const { agent } = body
  assert.deepEqual(
    { ...agent, id: '', createdAt: '' },
    {
      id: '',
      email: 'ann.lee@example.com',
      nickname: 'Ann',
      role: 'agent',
      isOnline: false,
      isAway: false,
      lastSeen: agent.createdAt,
      createdAt: '',
    },
  )
  assert.deepEqual((await call(workspace.token, 'GET', `/agents/${agent.id}`)).body, { agent })
  const { role } = await db
    .selectFrom('memberships as m')
    .innerJoin('roles as r', (join) =>
      join.onRef('r.workspace_id', '=', 'm.workspace_id').onRef('r.id', '=', 'm.role_id'),
    )
    .select(['r.name as role', 'r.permissions'])
    .where('m.account_id', '=', agent.id)
    .executeTakeFirstOrThrow()
  assert.equal(role, 'Agent')
})

test('people are listed in the order they were added, the AI agent last', async () => {
  const own = await make.workspace()
  await setAiAgent(ctxOf(own.id), { isEnabled: true })
  for (const nickname of [fresh(), fresh(), fresh()])
    await add({ email: `${nickname}@example.com`, nickname, role: 'admin' }, own.token)
  const { agents } = (await call(own.token, 'GET', '/agents')).body
  assert.deepEqual(
    agents.map((agent: { nickname: string }) => agent.nickname),
    ['fresh1', 'fresh2', 'fresh3', 'AI Agent'],
  )
  const ai = agents.at(-1)
  assert.equal(ai.email, 'ai@agents.invalid')
  assert.equal(ai.role, 'ai')
  assert.equal(ai.isOnline, true)
})

test('a nickname derived from the email gets the first free number, ignoring case', async () => {
  const nicknames = []
  for (const domain of ['a', 'b', 'c'])
    nicknames.push((await add({ email: `Zoe@${domain}.example` })).body.agent.nickname)
  assert.deepEqual(nicknames, ['zoe', 'zoe2', 'zoe3'])
})

test('a nickname derived from a long email has 60 characters including its number', async () => {
  const local = 'l'.repeat(64)
  for (const [domain, expected] of [
    ['a', 'l'.repeat(60)],
    ['b', `${'l'.repeat(59)}2`],
  ])
    assert.equal((await add({ email: `${local}@${domain}.example` })).body.agent.nickname, expected)
})

test('twenty people of one local part who are added at the same moment get twenty nicknames', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => add({ email: `crowd@d${index}.example` })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body.agent.nickname)).size, 20)
})

test('one email that is added by many at the same moment is one member', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => add({ email: 'single@example.com' })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)])
  assert.ok(answers.every(({ status, body }) => status === 200 || body.error.code === 'AGENT_ALREADY_MEMBER'))
})

test('a nickname that differs in case or form only is taken', async () => {
  await add({ email: 'nick@example.com', nickname: 'Ångström' })
  for (const nickname of ['ångström', 'ÅNGSTRÖM', 'A\u030angstro\u0308m']) {
    const { status, body } = await add({ email: 'nick2@example.com', nickname })
    assert.equal(status, 409)
    assert.equal(body.error.code, 'NICKNAME_TAKEN')
  }
  const account = await db
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', 'nick2@example.com')
    .execute()
  assert.deepEqual(account, [])
})

test('an existing account keeps its nickname in a second workspace and has a separate role there', async () => {
  const first = (await add({ email: 'two@example.com', nickname: 'Two Homes', role: 'admin' })).body.agent
  const second = (await add({ email: 'TWO@example.com', nickname: 'Another' }, other.token)).body.agent
  assert.equal(second.id, first.id)
  assert.equal(second.nickname, 'Two Homes')
  assert.equal(second.role, 'agent')
  assert.equal((await call(workspace.token, 'GET', `/agents/${first.id}`)).body.agent.role, 'admin')
})

test('adding a member again is 409, whatever the case of the email', async () => {
  await add({ email: 'twice@example.com' })
  const { status, body } = await add({ email: 'Twice@Example.com', role: 'admin' })
  assert.equal(status, 409)
  assert.equal(body.error.code, 'AGENT_ALREADY_MEMBER')
})

test('the AI agent cannot be added by its email', async () => {
  const { status, body } = await add({ email: 'AI@agents.invalid' })
  assert.equal(status, 400)
  assert.equal(body.error.code, 'AGENT_MANAGED')
})

test('every invalid field is named', async () => {
  const cases: [unknown, string[]][] = [
    [{}, ['email']],
    [{ email: 'no address' }, ['email']],
    [{ email: `${'a'.repeat(250)}@b.co` }, ['email']],
    [{ email: 'a@b.co', nickname: 'n'.repeat(61), role: 'owner' }, ['nickname', 'role']],
    [{ email: 'a@b.co', nickname: '  ' }, ['nickname']],
    [{ email: 5, nickname: null, role: 'ai' }, ['email', 'nickname', 'role']],
  ]
  for (const [body, fields] of cases) {
    const answer = await add(body)
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'VALIDATION_ERROR')
    assert.deepEqual(answer.body.error.details.map(({ field }: { field: string }) => field).sort(), fields)
  }
  assert.equal((await add({ email: 'emoji@example.com', nickname: '🙂'.repeat(60) })).status, 200)
})

test('a change of nickname and role shows, and a change to the same value succeeds', async () => {
  const { agent } = (await add({ email: `${fresh()}@example.com` })).body
  const change = { nickname: 'Renamed', role: 'admin' }
  for (const _ of [1, 2]) {
    const { status, body } = await call(workspace.token, 'PATCH', `/agents/${agent.id}`, change)
    assert.equal(status, 200)
    assert.deepEqual(body, { agent: { ...agent, ...change } })
  }
  const cased = await call(workspace.token, 'PATCH', `/agents/${agent.id}`, { nickname: 'RENAMED' })
  assert.equal(cased.body.agent.nickname, 'RENAMED')
})

test('a change with a taken nickname does not change the role either', async () => {
  const { agent } = (await add({ email: `${fresh()}@example.com` })).body
  const { status, body } = await call(workspace.token, 'PATCH', `/agents/${agent.id}`, {
    nickname: 'first admin',
    role: 'admin',
  })
  assert.equal(status, 409)
  assert.equal(body.error.code, 'NICKNAME_TAKEN')
  assert.deepEqual((await call(workspace.token, 'GET', `/agents/${agent.id}`)).body, { agent })
})

test('a change needs a nickname or a role', async () => {
  const { agent } = (await add({ email: `${fresh()}@example.com` })).body
  for (const body of [{}, { email: 'x@example.com' }]) {
    const answer = await call(workspace.token, 'PATCH', `/agents/${agent.id}`, body)
    assert.equal(answer.status, 400)
    assert.deepEqual(
      answer.body.error.details.map(({ field }: { field: string }) => field),
      ['nickname', 'role'],
    )
  }
  for (const body of [{ nickname: '' }, { nickname: 'n'.repeat(61) }, { role: 'ai' }, { role: null }])
    assert.equal((await call(workspace.token, 'PATCH', `/agents/${agent.id}`, body)).status, 400)
})

test('the AI agent can be read, and neither changed nor removed, under both of its names', async () => {
  const own = await make.workspace()
  await make.agent(own.id, { role: 'admin' })
  const { ai } = await setAiAgent(ctxOf(own.id), { isEnabled: true })
  for (const id of ['ai', ai.id]) {
    assert.equal((await call(own.token, 'GET', `/agents/${id}`)).body.agent.id, ai.id)
    for (const answer of [
      await call(own.token, 'PATCH', `/agents/${id}`, { nickname: 'HAL' }),
      await call(own.token, 'DELETE', `/agents/${id}`),
    ]) {
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.code, 'AGENT_MANAGED')
    }
  }
  await setAiAgent(ctxOf(own.id), { isEnabled: false })
  for (const id of ['ai', ai.id]) assert.equal((await call(own.token, 'GET', `/agents/${id}`)).status, 404)
})

test('an agent of another workspace gets the same response, byte for byte, as one that does not exist', async () => {
  const foreign = await make.agent(other.id, { role: 'admin' })
  const requests = (id: string) =>
    Promise.all([
      call(workspace.token, 'GET', `/agents/${id}`),
      call(workspace.token, 'PATCH', `/agents/${id}`, { role: 'agent' }),
      call(workspace.token, 'DELETE', `/agents/${id}`),
    ])
  const theirs = await requests(foreign.id)
  for (const nobodys of [await requests(newId()), await requests('%00'), await requests('AI')])
    for (const [index, answer] of nobodys.entries()) {
      assert.equal(answer.status, 404)
      assert.equal(answer.body.error.code, 'AGENT_NOT_FOUND')
      assert.equal(answer.text, theirs[index]!.text)
    }
  assert.equal((await call(other.token, 'GET', `/agents/${foreign.id}`)).body.agent.role, 'admin')
})

test('a removed agent is gone, and the same id when added again', async () => {
  const { agent } = (await add({ email: 'back@example.com', role: 'admin' })).body
  const removal = await call(workspace.token, 'DELETE', `/agents/${agent.id}`)
  assert.deepEqual(removal.body, { success: true })
  for (const method of ['GET', 'DELETE'] as const)
    assert.equal(
      (await call(workspace.token, method, `/agents/${agent.id}`)).body.error.code,
      'AGENT_NOT_FOUND',
    )
  const listed = (await call(workspace.token, 'GET', '/agents')).body.agents
  assert.ok(listed.every(({ id }: { id: string }) => id !== agent.id))
  const again = (await add({ email: 'back@example.com', nickname: 'Ignored' })).body.agent
  assert.deepEqual(again, { ...agent, role: 'agent' })
})

test('an agent seen within the last minute is online', async () => {
  const person = await make.agent(workspace.id)
  const seenAt = clock.now()
  await db.updateTable('accounts').set({ last_seen_at: seenAt }).where('id', '=', person.id).execute()
  const real = clock.now
  try {
    for (const [seconds, isOnline] of [
      [0, true],
      [60, true],
      [61, false],
    ] as const) {
      clock.now = () => new Date(seenAt.getTime() + seconds * 1000)
      const { agent } = (await call(workspace.token, 'GET', `/agents/${person.id}`)).body
      assert.equal(agent.isOnline, isOnline)
      assert.equal(agent.lastSeen, seenAt.toISOString())
    }
  } finally {
    clock.now = real
  }
})

test('the last admin is neither demoted nor removed', async () => {
  const own = await make.workspace()
  const last = await make.agent(own.id, { role: 'admin' })
  await make.agent(own.id)
  for (const answer of [
    await call(own.token, 'PATCH', `/agents/${last.id}`, { role: 'agent', nickname: 'Somebody else' }),
    await call(own.token, 'DELETE', `/agents/${last.id}`),
  ]) {
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'LAST_ADMIN')
  }
  const { agent } = (await call(own.token, 'GET', `/agents/${last.id}`)).body
  assert.equal(agent.role, 'admin')
  assert.equal(agent.nickname, last.nickname)
})

test('two admins who lose the role at the same moment leave one, in every one of forty rounds', async () => {
  for (let round = 0; round < 40; round++) {
    const own = await make.workspace()
    const admins = [await make.agent(own.id, { role: 'admin' }), await make.agent(own.id, { role: 'admin' })]
    const answers = await Promise.all(
      admins.map(({ id }, index) =>
        (round + index) % 3 === 0
          ? call(own.token, 'DELETE', `/agents/${id}`)
          : call(own.token, 'PATCH', `/agents/${id}`, { role: 'agent' }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    assert.equal(answers.find(({ status }) => status === 400)?.body.error.code, 'LAST_ADMIN')
    const { agents } = (await call(own.token, 'GET', '/agents')).body
    assert.equal(agents.filter(({ role }: { role: string }) => role === 'admin').length, 1)
  }
})

test("a removed agent's open conversations become unassigned in their threads, and closed ones keep their history", async () => {
  const person = await make.agent(workspace.id)
  const contact = await make.contact(workspace.id)
  const mailbox = await make.channelAccount(workspace.id, 'email')
  const at = new Date(clock.now().getTime() - 3_600_000)
  const options = {
    agentId: person.id,
    contactId: contact.id,
    channel: 'email' as const,
    channelAccountId: mailbox,
    at,
  }
  const open = [
    await make.conversation(workspace.id, options),
    await make.conversation(workspace.id, options),
  ]
  const closed = await make.conversation(workspace.id, { ...options, status: 'closed' })
  const elsewhere = await make.conversation(workspace.id, { agentId: admin.id })

  assert.equal((await call(workspace.token, 'DELETE', `/agents/${person.id}`)).status, 200)

  const conversation = (id: string) =>
    db
      .selectFrom('conversations')
      .select(['agent_id', 'assigned_at', 'updated_at', 'status'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const entries = (id: string) =>
    db.selectFrom('messages').select(['sender_type', 'metadata']).where('conversation_id', '=', id).execute()
  for (const { id } of open) {
    const row = await conversation(id)
    assert.equal(row.agent_id, null)
    assert.equal(row.assigned_at, null)
    assert.ok(Date.parse(row.updated_at) > at.getTime())
    assert.deepEqual(await entries(id), [
      {
        sender_type: 'system',
        metadata: { event: 'unassigned', agentId: person.id, by: `api:${workspace.tokenId}` },
      },
    ])
    const events = await db
      .selectFrom('events')
      .select(['type', 'data'])
      .where('conversation_id', '=', id)
      .execute()
    assert.deepEqual(events, [
      {
        type: 'conversation.assigned',
        data: { conversationId: id, agentId: null, previousAgentId: person.id, teamId: null },
      },
    ])
  }
  assert.equal((await conversation(closed.id)).agent_id, person.id)
  assert.deepEqual(await entries(closed.id), [])
  assert.equal((await conversation(elsewhere.id)).agent_id, admin.id)
  const row = await db
    .selectFrom('contacts')
    .select(['assigned_agent_id', 'latest_conversation_id', 'open_count'])
    .where('id', '=', contact.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(row, {
    assigned_agent_id: null,
    latest_conversation_id: open
      .map(({ id }) => id)
      .sort()
      .at(-1),
    open_count: 2,
  })
})

test('removing an agent takes as many statements for thirty conversations as for one', async () => {
  const counts = []
  for (const conversations of [1, 30]) {
    const person = await make.agent(workspace.id)
    for (let i = 0; i < conversations; i++) await make.conversation(workspace.id, { agentId: person.id })
    const before = database.statements.length
    assert.equal((await call(workspace.token, 'DELETE', `/agents/${person.id}`)).status, 200)
    counts.push(countOwn(database.statements.slice(before)))
  }
  assert.equal(counts[0], counts[1])
})

test('the AI agent loses its open conversations when it is switched off, and switching is idempotent', async () => {
  const own = await make.workspace()
  const ctx = ctxOf(own.id)
  for (const isEnabled of [true, true]) await setAiAgent(ctx, { isEnabled })
  const { ai } = await setAiAgent(ctx, { isEnabled: true })
  const { id } = await make.conversation(own.id, { agentId: ai.id })
  for (const isEnabled of [false, false]) await setAiAgent(ctx, { isEnabled })
  const row = await db.selectFrom('conversations').select('agent_id').where('id', '=', id).executeTakeFirst()
  assert.equal(row?.agent_id, null)
  const events = await db
    .selectFrom('events')
    .select('type')
    .where('workspace_id', '=', own.id)
    .where('type', 'like', 'agent.%')
    .orderBy('tx')
    .execute()
  assert.deepEqual(
    events.map(({ type }) => type),
    ['agent.added', 'agent.removed'],
  )
  await setAiAgent(ctx, { isEnabled: true })
  assert.equal((await call(own.token, 'GET', '/agents/ai')).status, 200)
})

test('a conversation that is assigned while its agent is removed never stays with them', async () => {
  for (let round = 0; round < 15; round++) {
    const person = await make.agent(workspace.id)
    const { id } = await make.conversation(workspace.id)
    const [assigned, removed] = await Promise.all([
      call(workspace.token, 'POST', `/conversations/${id}/assign`, { agentId: person.id }),
      call(workspace.token, 'DELETE', `/agents/${person.id}`),
    ])
    assert.equal(removed.status, 200)
    assert.ok(assigned.status === 200 || assigned.body.error.code === 'INVALID_AGENT')
    const row = await db
      .selectFrom('conversations')
      .select('agent_id')
      .where('id', '=', id)
      .executeTakeFirst()
    assert.equal(row?.agent_id, null)
  }
})

test('only the person, or the one workspace that gave them the account, changes a nickname', async () => {
  const own = await make.workspace()
  const home = await make.workspace()
  const { agent } = (await add({ email: 'shared@example.com', nickname: 'Shared Person' }, home.token)).body
  const renaming = (secret: string, nickname: string) =>
    call(secret, 'PATCH', `/agents/${agent.id}`, { nickname })
  assert.equal((await renaming(home.token, 'Shared Once')).status, 200)
  await add({ email: 'shared@example.com' }, own.token)
  for (const secret of [own.token, home.token]) {
    const { status, body } = await renaming(secret, 'Hijacked')
    assert.deepEqual([status, body.error.code], [403, 'FORBIDDEN'])
    const role = await call(secret, 'PATCH', `/agents/${agent.id}`, {
      role: 'admin',
      nickname: 'Shared Once',
    })
    assert.deepEqual([role.status, role.body.agent.role], [200, 'admin'])
  }
  const { call: asThemselves } = await signIn(app, own.id, agent.id)
  const renamed = await asThemselves('PATCH', '/membership', { nickname: 'Shared Twice' })
  assert.deepEqual([renamed.status, renamed.body.agent.nickname], [200, 'Shared Twice'])
})

test('a name that could be mistaken for the API, the system, the AI agent or a member is refused', async () => {
  const own = await make.workspace()
  await make.agent(own.id, { nickname: 'Paula Moore' })
  const honest = await make.agent(own.id)
  for (const nickname of [
    'API',
    'api',
    'A P I',
    'АРІ',
    'ＡＰＩ',
    'AP1',
    'System',
    'Ѕуѕtеm',
    'Sуstem',
    'AI Agent',
    'Al-Agent',
    'AI  Аgent',
    'Paula Мооrе',
    'PauIa Moore',
    'Paula M00re',
    'Paula\u200b Moore',
    'Paula Moore\u2060',
    '\u202eerooM aluaP',
    'Páula Moore',
    '\u3164',
  ]) {
    const answers = [
      await call(own.token, 'PATCH', `/agents/${honest.id}`, { nickname }),
      await add({ email: `x${newId()}@example.com`, nickname }, own.token),
    ]
    for (const { status, body } of answers)
      assert.deepEqual([status, body.error?.details?.[0]?.field], [400, 'nickname'], nickname)
  }
  for (const nickname of ['Apia', 'Paul', 'Łukasz', 'Зоя', '田中さん', 'नेहा', '👩\u200d💻 Kim', 'Alan'])
    assert.equal((await call(own.token, 'PATCH', `/agents/${honest.id}`, { nickname })).status, 200, nickname)
  const generated = await add({ email: 'api@somewhere.example' }, own.token)
  assert.notEqual(generated.body.agent.nickname, 'api')
})

test('a person added to another workspace sees who added them and can leave; the last admin cannot', async () => {
  const home = await make.workspace({ name: 'Home' })
  const person = await make.agent(home.id)
  const elsewhere = await make.workspace({ name: 'Elsewhere' })
  const boss = await make.agent(elsewhere.id, { role: 'admin', nickname: fresh() })
  const { call: asBoss } = await signIn(app, elsewhere.id, boss.id)
  await asBoss('POST', '/agents', { email: person.email })
  const { secret, call: asPerson } = await signIn(app, elsewhere.id, person.id)
  const told = async () =>
    (await callConsole(app, secret, 'GET', '/session')).body.workspaces.map(
      ({ name, isNew, addedBy }: { name: string; isNew: boolean; addedBy: string | null }) => [
        name,
        isNew,
        addedBy,
      ],
    )
  assert.deepEqual(await told(), [
    ['Elsewhere', true, boss.nickname],
    ['Home', false, null],
  ])
  assert.equal((await asPerson('POST', '/membership/seen')).status, 200)
  assert.equal((await told())[0][1], false)
  assert.equal((await asPerson('DELETE', '/membership')).status, 200)
  assert.deepEqual(await told(), [['Home', false, null]])
  assert.equal((await asPerson('GET', '/agents')).status, 404)
  const stuck = await asBoss('DELETE', '/membership')
  assert.deepEqual([stuck.status, stuck.body.error.code], [400, 'LAST_ADMIN'])
})

test('the sessions of a removed member lose access to the workspace and keep it to others', async () => {
  const here = await make.workspace()
  const there = await make.workspace()
  await make.agent(here.id, { role: 'admin' })
  const person = await make.agent(here.id)
  await add({ email: person.email }, there.token)
  const old = await signIn(app, here.id, person.id)
  await call(here.token, 'DELETE', `/agents/${person.id}`)
  const back = await add({ email: person.email }, here.token)
  assert.deepEqual([back.status, back.body.agent.id], [200, person.id])
  assert.equal((await old.call('GET', '/agents')).status, 404)
  const session = await callConsole(app, old.secret, 'GET', '/session')
  assert.deepEqual(
    session.body.workspaces.map(({ id }: { id: string }) => id),
    [there.id],
  )
  const renewed = await signIn(app, here.id, person.id)
  assert.equal((await renewed.call('GET', '/agents')).status, 200)
  // Without another workspace, the session itself ends.
  const only = await make.agent(here.id)
  const gone = await signIn(app, here.id, only.id)
  await call(here.token, 'DELETE', `/agents/${only.id}`)
  await add({ email: only.email }, here.token)
  assert.equal((await callConsole(app, gone.secret, 'GET', '/session')).status, 401)
})
