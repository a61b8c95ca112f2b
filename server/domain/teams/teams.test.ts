// Teams: what they change for conversations, and for whom.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { makeMember, signIn } from '../../../test/console.ts'
import { makeTeam, PLAIN_TEAM } from '../../../test/make-team.ts'
import { countStatements } from '../../../test/statements.ts'
import { closeConversation } from '../conversations/set-conversation-status.ts'
import { receiveMessage } from '../messages/receive-messages.ts'

const app = await startApp()
const { call, clock, ctxOf, db, make } = app

const makeWorld = async () => {
  const workspace = await make.workspace()
  const w = workspace.id
  const [admin, jane, sam] = [
    await make.agent(w, { role: 'admin' }),
    await make.agent(w),
    await make.agent(w),
  ]
  const robin = await signIn(app, w, admin.id)
  const account = await make.channelAccount(w, 'web')
  let customers = 0
  const write = async (name = `Customer ${++customers}`): Promise<string> => {
    const { conversationId } = await receiveMessage(ctxOf(w), {
      channel: 'web',
      channelAccountId: account,
      from: { identity: { kind: 'visitor', value: name, verified: true }, name },
      body: `Hello from ${name}`,
      externalId: null,
      sentAt: clock.now(),
    })
    return conversationId
  }
  const api = (method: 'GET' | 'POST', path: string, body?: unknown) =>
    call(workspace.token, method, path, body)
  const move = (id: string, teamId: string | null) => api('POST', `/conversations/${id}/team`, { teamId })
  const show = async (id: string) => (await api('GET', `/conversations/${id}`)).body.conversation
  const listed = async (query: string): Promise<string[]> => {
    const { status, body, text } = await api('GET', `/conversations?${query}`)
    assert.equal(status, 200, text)
    return body.conversations.map(({ id }: { id: string }) => id)
  }
  const linesOf = async (id: string): Promise<string[]> => {
    const rows = await db
      .selectFrom('messages')
      .select('body')
      .where('conversation_id', '=', id)
      .where('sender_type', '=', 'system')
      .orderBy('id')
      .execute()
    return rows.map(({ body }) => body)
  }
  return { ...workspace, w, admin, jane, sam, robin, write, api, move, show, listed, linesOf }
}

test('an admin creates, changes and removes teams, whose names are unique and whose members are people', async () => {
  const { w, jane, robin, api } = await makeWorld()
  const create = (change: object) => robin.call('POST', '/managed-teams', { ...PLAIN_TEAM, ...change })
  const made = await create({ name: 'Süpport', color: '#2F80ED', memberIds: [jane.id] })
  assert.equal(made.status, 200, made.text)
  const { id } = made.body.team
  assert.deepEqual((await api('GET', '/teams')).body.teams, [
    {
      id,
      name: 'Süpport',
      color: '#2f80ed',
      members: [{ id: jane.id, nickname: jane.nickname, isAway: false }],
      createdAt: made.body.team.createdAt,
    },
  ])
  const refused = async (change: object, field: string) => {
    const { status, body } = await create({ name: 'Other', ...change })
    assert.equal(status, 400)
    assert.deepEqual(
      body.error.details.map((one: { field: string }) => one.field),
      [field],
    )
  }
  await refused({ name: 'SÜPPORT' }, 'name')
  await refused({ name: 'x'.repeat(61) }, 'name')
  await refused({ color: 'blue' }, 'color')
  await refused({ memberIds: [await make.enableAi(w)] }, 'memberIds')
  await refused({ openLimit: 0 }, 'openLimit')
  await refused({ firstAnswerMinutes: 43_201 }, 'firstAnswerMinutes')
  const changed = await robin.call('PUT', `/managed-teams/${id}`, {
    ...PLAIN_TEAM,
    name: 'Sales',
    openLimit: 5,
  })
  assert.deepEqual(
    [changed.body.team.name, changed.body.team.members, changed.body.team.openLimit],
    ['Sales', [], 5],
  )
  assert.equal((await robin.call('DELETE', `/managed-teams/${id}`)).status, 200)
  assert.equal((await robin.call('PUT', `/managed-teams/${id}`, PLAIN_TEAM)).status, 404)
  assert.deepEqual((await api('GET', '/teams')).body.teams, [])
  assert.equal((await create({ name: 'Sales' })).status, 200)
  const log = await robin.call('GET', '/audit-log?limit=3')
  assert.deepEqual(
    log.body.entries.map(({ action }: { action: string }) => action),
    ['team.created', 'team.removed', 'team.updated'],
  )
})

test('a conversation has a team besides a person, who keeps it only in their own team', async () => {
  const { w, jane, sam, write, api, move, show, linesOf } = await makeWorld()
  const support = await makeTeam(app, w, { memberIds: [jane.id] })
  const sales = await makeTeam(app, w, { name: 'Sales', memberIds: [sam.id] })
  const id = await write()
  assert.deepEqual((await move(id, support)).body, {
    success: true,
    conversationId: id,
    team: { id: support, name: 'Support' },
    assignment: null,
    answerDueAt: null,
  })
  const assigned = await api('POST', `/conversations/${id}/assign`, { agentId: jane.id })
  assert.deepEqual(assigned.body.team, { id: support, name: 'Support' })
  const { team, assignment } = await show(id)
  assert.deepEqual([team, assignment.agentId], [{ id: support, name: 'Support' }, jane.id])
  // Nothing changes.
  assert.equal((await move(id, support)).body.assignment.agentId, jane.id)
  assert.equal((await move(id, sales)).body.assignment, null)
  const both = await api('POST', `/conversations/${id}/assign`, { agentId: jane.id, teamId: support })
  assert.deepEqual([both.body.assignment.agentId, both.body.team.name], [jane.id, 'Support'])
  // Without a team, they keep it.
  assert.equal((await move(id, null)).body.assignment.agentId, jane.id)
  assert.deepEqual((await show(id)).team, null)
  assert.deepEqual(await linesOf(id), [
    'API moved this to the team Support',
    `API assigned this to ${jane.nickname}`,
    'API moved this to the team Sales',
    'API unassigned this conversation: not in Sales',
    'API moved this to the team Support',
    `API assigned this to ${jane.nickname}`,
    'API removed this from the team Support',
  ])
  const events = await db
    .selectFrom('events')
    .select(['type', 'data'])
    .where('workspace_id', '=', w)
    .where('type', 'in', ['conversation.assigned', 'conversation.team_changed'])
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.map(({ type, data }) => [type.split('.')[1], (data as { teamId: string | null }).teamId]),
    [
      ['team_changed', support],
      ['assigned', support],
      ['team_changed', sales],
      ['assigned', sales],
      ['team_changed', support],
      ['assigned', support],
      ['team_changed', null],
    ],
  )
})

test('lists show one team, or those of the person, in every order and with every other filter', async () => {
  const { w, admin, jane, robin, write, api, move, listed, token } = await makeWorld()
  const support = await makeTeam(app, w, { memberIds: [admin.id] })
  const sales = await makeTeam(app, w, { name: 'Sales' })
  const [first, second, third, none] = [await write(), await write(), await write(), await write()]
  await move(first, support)
  await move(second, support)
  await move(third, sales)
  await api('POST', `/conversations/${second}/assign`, { agentId: jane.id })
  for (const sort of ['updated', 'created']) {
    assert.deepEqual(await listed(`teamId=${support}&sort=${sort}`), [second, first])
    assert.deepEqual(await listed(`teamId=${support}&sort=${sort}&status=unassigned`), [first])
    assert.deepEqual(await listed(`teamId=${support}&sort=${sort}&agentId=${jane.id}`), [second])
    assert.deepEqual(await listed(`teamId=${support}&sort=${sort}&channel=email`), [])
  }
  assert.deepEqual(await listed(`teamId=${support}&q=Customer`), [second, first])
  assert.deepEqual(await listed(`teamId=${support}&unread=true`), [second, first])
  const inbox = async (query: string): Promise<string[]> => {
    const { body, text } = await robin.call('GET', `/conversations?${query}`)
    assert.ok(body.conversations, text)
    return body.conversations.map(({ id }: { id: string }) => id)
  }
  for (const sort of ['inbox', 'updated', 'created'])
    for (const which of [`teamId=${support}`, 'ownTeams=true'])
      for (const status of ['open', 'all'])
        assert.deepEqual(await inbox(`${which}&status=${status}&sort=${sort}&snoozed=false`), [second, first])
  assert.deepEqual(await inbox('ownTeams=true&sort=waiting'), [first, second])
  assert.deepEqual(await inbox('ownTeams=true&status=unassigned'), [first])
  assert.deepEqual(await inbox('ownTeams=true&status=closed'), [])
  assert.deepEqual(await inbox('ownTeams=true&unread=true'), [second, first])
  assert.deepEqual(await inbox('ownTeams=true&q=Customer'), [second, first])
  const page = await robin.call('GET', '/conversations?ownTeams=true&limit=1')
  assert.deepEqual(await inbox(`ownTeams=true&limit=1&cursor=${page.body.nextCursor}`), [first])
  assert.equal((await robin.call('GET', `/listed-count?teamId=${sales}`)).body.count, 1)
  assert.ok(!(await inbox('ownTeams=true')).includes(none))
  assert.equal(
    await countStatements(app.database, () => call(token, 'GET', `/conversations?teamId=${support}`)),
    await countStatements(app.database, () => call(token, 'GET', '/conversations')),
  )
})

test('a restricted agent sees nothing of their team but what is assigned to them', async () => {
  const { w, write, move, api } = await makeWorld()
  const restricted = await makeMember(app, w, [])
  const caller = await signIn(app, w, restricted.id)
  const team = await makeTeam(app, w, { memberIds: [restricted.id] })
  const [own, other] = [await write(), await write()]
  await move(own, team)
  await move(other, team)
  await api('POST', `/conversations/${own}/assign`, { agentId: restricted.id })
  for (const query of ['ownTeams=true', `teamId=${team}`, `teamId=${team}&status=unassigned`, 'sort=due'])
    assert.ok(!(await caller.call('GET', `/conversations?${query}`)).text.includes(other), query)
  assert.equal((await caller.call('GET', '/conversations?ownTeams=true')).body.conversations[0].id, own)
  assert.equal((await caller.call('GET', `/conversations/${other}`)).status, 404)
  assert.equal((await caller.call('POST', `/conversations/${other}/team`, { teamId: null })).status, 404)
  // Their own they may hand over.
  assert.equal((await caller.call('POST', `/conversations/${own}/team`, { teamId: null })).status, 200)
})

test('a removed team is gone from open conversations, and from closed ones when they are reopened', async () => {
  const { w, jane, robin, write, api, move, show, linesOf } = await makeWorld()
  const team = await makeTeam(app, w, { memberIds: [jane.id] })
  const [open, closed, elsewhere] = [await write(), await write(), await write()]
  await move(open, team)
  await move(closed, team)
  await api('POST', `/conversations/${open}/assign`, { agentId: jane.id })
  await closeConversation(ctxOf(w), closed)
  const { body } = await robin.call('DELETE', `/managed-teams/${team}`)
  assert.deepEqual(body, { success: true, conversationCount: 1 })
  const { team: after, assignment } = await show(open)
  assert.deepEqual([after, assignment.agentId], [null, jane.id])
  assert.equal(
    (await linesOf(open)).at(-1),
    `${(await robin.call('GET', '/agents')).body.agents[0].nickname} removed the team Support`,
  )
  assert.deepEqual((await show(closed)).team, { id: team, name: 'Support' })
  await api('POST', `/conversations/${closed}/reopen`)
  assert.equal((await show(closed)).team, null)
  const refused = await move(elsewhere, team)
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'INVALID_TEAM'])
})

test('hours that a team uses stay, and a member who is removed leaves their teams', async () => {
  const { w, jane, robin, api } = await makeWorld()
  const hours = await robin.call('POST', '/business-hours', {
    ...{ name: 'Office', timeZone: 'Europe/Berlin', weekly: {}, exceptions: [], isDefault: false },
  })
  const hoursId = hours.body.businessHours.id
  await makeTeam(app, w, { memberIds: [jane.id], hoursId })
  const refused = await robin.call('DELETE', `/business-hours/${hoursId}`)
  assert.match(refused.text, /the team “Support”/)
  assert.equal((await api('GET', '/teams')).body.teams[0].members.length, 1)
  assert.equal((await robin.call('DELETE', `/agents/${jane.id}`)).status, 200)
  assert.deepEqual((await api('GET', '/teams')).body.teams[0].members, [])
})
