// Conversations that a team gives to its people by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { makeTeam } from '../../../test/make-team.ts'
import { countStatements } from '../../../test/statements.ts'
import { handOutIn, sweepTeams } from '../../jobs/hand-out.ts'
import { createBusinessHours } from '../business-hours/business-hours.ts'
import { assignConversation } from '../conversations/assign-conversation.ts'
import { flowOf, startConducting } from '../flow-runs/testing/conducted.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import type { NewTeam } from './schema.ts'
import { setChannelTeam } from './set-channel-team.ts'
import { removeTeam } from './teams.ts'

const app = await startApp()
const { call, clock, ctxOf, db, deps, make } = app
const jobDeps = { ...deps, log: app.app.log, isStopping: () => false } as never

/** A team of people a, b and c, in the order of their turns. */
const makeWorld = async (change: Partial<NewTeam> = {}) => {
  const workspace = await make.workspace()
  const w = workspace.id
  const people = [await make.agent(w), await make.agent(w), await make.agent(w)]
  const nameOf = new Map(people.map(({ id }, at) => [id, 'abc'[at]!]))
  const team = await makeTeam(app, w, {
    memberIds: people.map(({ id }) => id),
    assignment: 'round_robin',
    ...change,
  })
  const account = await make.channelAccount(w, 'web')
  const write = async (name: string): Promise<string> => {
    const { conversationId } = await receiveMessage(ctxOf(w), {
      channel: 'web',
      channelAccountId: account,
      from: { identity: { kind: 'visitor', value: `${w} ${name}`, verified: true }, name },
      body: `Hello from ${name}`,
      externalId: null,
      sentAt: clock.now(),
    })
    return conversationId
  }
  const api = async (path: string, body?: unknown) => {
    const answer = await call(workspace.token, 'POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  let customers = 0
  /** Comes to the team; who got it. */
  const come = async (name = `Customer ${++customers}`) => {
    const id = await write(name)
    const { assignment } = await api(`/conversations/${id}/team`, { teamId: team })
    return { id, who: nameOf.get(assignment?.agentId) ?? null }
  }
  const ownerOf = async (id: string): Promise<string | null> => {
    const { agentId } = await db
      .selectFrom('conversations')
      .select('agent_id as agentId')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return nameOf.get(agentId ?? '') ?? null
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
  const caller = async (at: number) => signIn(app, w, people[at]!.id)
  const setAway = async (at: number, isAway: boolean) => {
    const answer = await (await caller(at)).call('PUT', '/away', { isAway })
    assert.deepEqual(answer.body, { isAway })
  }
  /** What the worker does with the jobs that are there. */
  const work = async (): Promise<number> => {
    const { rows } = await app.database.pool.query<{ id: string }>(
      `delete from graphile_worker._private_jobs where key = $1 returning id`,
      [`hand_out:${w}`],
    )
    for (const _ of rows) await handOutIn(jobDeps, { teamsOf: w })
    return rows.length
  }
  const stateOf = (id: string) =>
    db
      .selectFrom('conversations as c')
      .leftJoin('waits as w', (join) =>
        join.onRef('w.workspace_id', '=', 'c.workspace_id').onRef('w.id', '=', 'c.wait_id'),
      )
      .select(['c.team_id as team', 'w.team_id as waitTeam', 'w.started_at as from', 'w.due_at as due'])
      .where('c.id', '=', id)
      .executeTakeFirstOrThrow()
  /** What is recorded of a conversation, with what it says of teams. */
  const eventsOf = async (id: string) => {
    const rows = await db
      .selectFrom('events')
      .select(['type', 'data'])
      .where('conversation_id', '=', id)
      .where('type', 'in', ['conversation.created', 'conversation.team_changed', 'conversation.assigned'])
      .orderBy('id')
      .execute()
    return rows.map(({ type, data }) => [type.slice('conversation.'.length), data.teamId])
  }
  const world = { w, team, people, account, write, api, come, ownerOf, linesOf, stateOf, eventsOf }
  return { ...workspace, ...world, setAway, work, caller }
}

test('conversations go to the people of a team in turn, and the thread says why', async () => {
  const { w, come, linesOf, setAway, people, api, ownerOf, write } = await makeWorld()
  const first = await come()
  assert.deepEqual(
    [first.who, (await come()).who, (await come()).who, (await come()).who],
    ['a', 'b', 'c', 'a'],
  )
  assert.deepEqual(await linesOf(first.id), [
    'API moved this to the team Support',
    `Foyer assigned this to ${people[0]!.nickname}: next in turn in Support`,
  ])
  await setAway(1, true)
  assert.deepEqual([(await come()).who, (await come()).who], ['c', 'a'])
  await setAway(1, false)
  // Whoever was away has waited longest.
  assert.equal((await come()).who, 'b')
  // A member who takes it into their team keeps it.
  const own = await write('Own')
  await api(`/conversations/${own}/assign`, { agentId: people[0]!.id })
  const kept = await api(`/conversations/${own}/team`, { teamId: (await teamIdOf(w))! })
  assert.equal(kept.assignment.agentId, people[0]!.id)
  assert.equal(await ownerOf(own), 'a')
  const events = await db
    .selectFrom('events')
    .select('actor')
    .where('workspace_id', '=', w)
    .where('type', '=', 'conversation.assigned')
    .where('conversation_id', '=', first.id)
    .execute()
  assert.deepEqual(events, [{ actor: 'system' }])
})

const teamIdOf = async (w: string): Promise<string | undefined> =>
  (await db.selectFrom('teams').select('id').where('workspace_id', '=', w).executeTakeFirst())?.id

test('customers who write at the same moment go to different people, none of whom gets more than the limit', async () => {
  const { setAway, come, write, ownerOf } = await makeWorld({ openLimit: 3 })
  for (const at of [0, 1, 2]) await setAway(at, true)
  const names = Array.from({ length: 20 }, (_, n) => `Customer ${n}`)
  const ids: string[] = []
  for (const name of names) ids.push((await come(name)).id)
  for (const id of ids) assert.equal(await ownerOf(id), null)
  for (const at of [0, 1, 2]) await setAway(at, false)
  await Promise.all(names.map(write))
  const owners = await Promise.all(ids.map(ownerOf))
  const countOf = (who: string | null) => owners.filter((owner) => owner === who).length
  assert.deepEqual([countOf('a'), countOf('b'), countOf('c'), countOf(null)], [3, 3, 3, 11])
})

test('the least busy person is next, whatever team their conversations are of, and snoozed ones do not count', async () => {
  const { come, write, api, people, linesOf, caller } = await makeWorld({ assignment: 'least_busy' })
  for (const name of ['x', 'y'])
    await api(`/conversations/${await write(name)}/assign`, { agentId: people[0]!.id })
  const snoozed = await write('z')
  await api(`/conversations/${snoozed}/assign`, { agentId: people[1]!.id })
  const { call: console } = await caller(1)
  const until = new Date(clock.now().getTime() + 3_600_000).toISOString()
  await console('POST', '/conversations/bulk', { ids: [snoozed], action: 'snooze', until })
  assert.deepEqual([(await come()).who, (await come()).who], ['b', 'c'])
  assert.deepEqual([(await come()).who, (await come()).who], ['b', 'c'])
  const last = await come()
  assert.equal(last.who, 'a')
  assert.equal(
    (await linesOf(last.id)).at(-1),
    `Foyer assigned this to ${people[0]!.nickname}: fewest open conversations in Support (2)`,
  )
})

test('where nobody is available it waits, the longest waiting first, until somebody is back or closes one', async () => {
  const { come, ownerOf, setAway, work, api } = await makeWorld({ openLimit: 1 })
  for (const at of [1, 2]) await setAway(at, true)
  const [first, second, third] = [await come(), await come(), await come()]
  assert.deepEqual([first.who, second.who, third.who], ['a', null, null])
  await work()
  assert.equal(await ownerOf(second.id), null)
  await setAway(1, false)
  assert.equal(await work(), 1)
  assert.deepEqual([await ownerOf(second.id), await ownerOf(third.id)], ['b', null])
  await api(`/conversations/${first.id}/close`)
  await work()
  assert.equal(await ownerOf(third.id), 'a')
})

test('a person who is away keeps what they have, unless the team gives it to the next when the customer writes', async () => {
  const keeping = await makeWorld()
  const kept = await keeping.come('Kept')
  await keeping.setAway(0, true)
  await keeping.write('Kept')
  assert.equal(await keeping.ownerOf(kept.id), 'a')
  const { come, write, ownerOf, setAway, linesOf, people } = await makeWorld({ reassignsAway: true })
  const { id } = await come('Moved')
  await setAway(0, true)
  await write('Moved')
  assert.equal(await ownerOf(id), 'b')
  assert.equal(
    (await linesOf(id)).at(-1),
    `Foyer assigned this to ${people[1]!.nickname}: ${people[0]!.nickname} is away, next in turn in Support`,
  )
  for (const at of [1, 2]) await setAway(at, true)
  await write('Moved')
  assert.equal(await ownerOf(id), null)
  assert.equal(
    (await linesOf(id)).at(-1),
    `Foyer unassigned this conversation: ${people[1]!.nickname} is away`,
  )
})

test('outside of a team’s hours nobody is given anything, and what waits is handed out when they begin', async () => {
  const { w, api, team, ownerOf, write } = await makeWorld()
  const { now } = clock
  // A Saturday.
  clock.now = () => new Date('2026-11-28T12:00:00.000Z')
  try {
    const day = [{ from: '09:00', to: '17:00' }]
    const { id: hoursId } = await createBusinessHours(ctxOf(w), {
      name: 'Office',
      isDefault: true,
      timeZone: 'Europe/Berlin',
      weekly: { mon: day, tue: day, wed: day, thu: day, fri: day },
      exceptions: [],
    })
    await db.updateTable('teams').set({ hours_id: hoursId }).where('id', '=', team).execute()
    await db.updateTable('workspaces').set({ team_revision: 100 }).where('id', '=', w).execute()
    const id = await write('Weekend')
    await api(`/conversations/${id}/team`, { teamId: team })
    await sweepTeams(jobDeps)
    assert.equal(await ownerOf(id), null)
    clock.now = () => new Date('2026-11-30T08:01:00.000Z')
    await sweepTeams(jobDeps)
    assert.equal(await ownerOf(id), 'a')
  } finally {
    clock.now = now
  }
})

test('what customers begin on a channel comes to its team, is assigned and has the team’s time from the first message', async () => {
  const world = await makeWorld({ firstAnswerMinutes: 7 })
  const { w, team, account: channelId, write, ownerOf, linesOf, stateOf, eventsOf, people, api } = world
  const before = await write('Before')
  await api(`/conversations/${before}/close`)
  let newcomers = 0
  const countOpening = () =>
    countStatements(app.database, async () => {
      await write(`Newcomer ${++newcomers}`)
      return { status: 200, text: '' }
    })
  const statements = await countOpening()
  await setChannelTeam(ctxOf(w), { channelId, teamId: team })
  const id = await write('New')
  assert.equal(await ownerOf(id), 'a')
  const state = await stateOf(id)
  assert.deepEqual([state.team, state.waitTeam], [team, team])
  assert.equal(Date.parse(state.due!) - Date.parse(state.from!), 7 * 60_000)
  assert.deepEqual(await eventsOf(id), [
    ['created', team],
    ['assigned', team],
  ])
  assert.deepEqual(await linesOf(id), [
    `Foyer assigned this to ${people[0]!.nickname}: next in turn in Support`,
  ])
  // Customers who come back to a conversation without a team.
  await write('Before')
  assert.deepEqual([await ownerOf(before), (await stateOf(before)).waitTeam], ['b', team])
  assert.deepEqual((await eventsOf(before)).slice(1), [
    ['team_changed', team],
    ['assigned', team],
  ])
  // One that has a team keeps it, and so does its person.
  const other = await makeTeam(app, w, { name: 'Other', memberIds: [people[2]!.id] })
  await api(`/conversations/${id}/team`, { teamId: other })
  await api(`/conversations/${id}/close`)
  await write('New')
  assert.equal((await stateOf(id)).team, other)
  // What people begin is theirs.
  const written = await api('/conversations', { channel: 'web', email: 'ada@example.com' })
  assert.equal((await stateOf(written.conversation.id)).team, null)
  // At the same moment, and with nobody chosen twice in a row.
  const ids = await Promise.all(['1', '2', '3'].map(write))
  assert.deepEqual((await Promise.all(ids.map(ownerOf))).sort(), ['a', 'b', 'c'])
  // Knowing the team takes no statement: what is more is for choosing somebody.
  await db.updateTable('teams').set({ assignment: 'off' }).where('id', '=', team).execute()
  await db.updateTable('workspaces').set({ team_revision: 200 }).where('id', '=', w).execute()
  assert.equal(await countOpening(), statements)
  await removeTeam(ctxOf(w), team)
  assert.deepEqual(await stateOf(await write('Late')), { team: null, waitTeam: null, from: null, due: null })
})

test('nothing is given away while a flow talks with the customer, and its hand-over goes to the team’s next at once', async () => {
  const { place } = startConducting(app)
  const here = await place()
  const { workspaceId, flow, says, conversationId, channelAccountId: channelId } = here
  const agent = await make.agent(workspaceId)
  const team = await makeTeam(app, workspaceId, { memberIds: [agent.id], assignment: 'round_robin' })
  const ask = { type: 'ask', answer: 'text', text: 'Which order?' } as const
  await flow(flowOf([ask, { ...ask, text: 'Which size?' }, { type: 'people' }]))
  await setChannelTeam(ctxOf(workspaceId), { channelId, teamId: team })
  await says('Hello')
  const owner = async () =>
    await db
      .selectFrom('conversations')
      .select(['agent_id', 'team_id'])
      .where('id', '=', conversationId())
      .executeTakeFirst()
  await says('AB-1')
  await sweepTeams(jobDeps)
  assert.deepEqual(await owner(), { agent_id: null, team_id: team })
  await says('XL')
  assert.deepEqual(await owner(), { agent_id: agent.id, team_id: team })
})

test('a flow’s step moves a conversation to a team, whose next gets it in the same transaction unless somebody may keep it', async () => {
  const { place } = startConducting(app)
  const { workspaceId, flow, ctx } = await place()
  const agent = await make.agent(workspaceId)
  const member = await make.agent(workspaceId)
  const outsider = await make.agent(workspaceId)
  const team = await makeTeam(app, workspaceId, {
    memberIds: [agent.id, member.id],
    assignment: 'round_robin',
  })
  const steps = {
    handed: { type: 'people', teamId: team },
    moved: { type: 'assign', to: 'nobody', teamId: team },
    given: { type: 'assign', to: outsider.id, teamId: team },
  }
  for (const [word, step] of Object.entries(steps))
    await flow(
      flowOf([step as never], {
        kind: 'background',
        triggers: [{ on: 'message', words: [word], evenIfAssigned: true }],
      }),
    )
  const cases = [
    ['handed', null, agent.id],
    // A member keeps what they have, anybody else doesn't.
    ['handed', agent.id, agent.id],
    ['handed', outsider.id, member.id],
    ['moved', outsider.id, agent.id],
    ['given', agent.id, outsider.id],
  ] as const
  for (const [word, before, after] of cases) {
    const { says } = await place({ workspaceId })
    const { conversationId } = await says('Hello')
    if (before) await assignConversation(ctx, { conversationId, agentId: before })
    await says(word)
    const now = await db
      .selectFrom('conversations')
      .select(['agent_id as agent', 'team_id as team'])
      .where('id', '=', conversationId)
      .executeTakeFirst()
    assert.deepEqual(now, { agent: after, team }, `${word} ${before}`)
  }
})

test('the AI agent keeps what it has, and a workspace without teams pays nothing', async () => {
  const { w, come, ownerOf, setAway, api, write } = await makeWorld({ reassignsAway: true })
  for (const at of [0, 1, 2]) await setAway(at, true)
  const { id } = await come('Bot')
  await make.enableAi(w)
  await api(`/conversations/${id}/assign`, { agentId: 'ai' })
  for (const at of [0, 1, 2]) await setAway(at, false)
  await write('Bot')
  await sweepTeams(jobDeps)
  assert.equal(await ownerOf(id), null)
  const plain = await make.workspace()
  const other = await make.workspace()
  await makeTeam(app, other.id, { assignment: 'off' })
  const closing = async ({ id: workspaceId, token }: typeof plain) => {
    const ids = [0, 1].map(() => make.conversation(workspaceId))
    const [one, two] = await Promise.all(ids)
    const rest = [one!.id, two!.id]
    return countStatements(app.database, () => call(token, 'POST', `/conversations/${rest.shift()}/close`))
  }
  assert.equal(await closing(plain), await closing(other))
})
