// When the AI agent speaks without being asked by anybody: by channel, hours and customers, and after flows.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { makeTeam } from '../../../test/make-team.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { moveToTeam } from '../conversations/assign-team.ts'
import { MESSAGES_IN_A_ROW_MAX } from '../flow-runs/plan-ai.ts'
import { flowOf } from '../flow-runs/testing/conducted.ts'
import type { AiSettingsBody } from './schema.ts'
import { setAiStopped, updateAiSettings } from './settings.ts'
import { startAssisting } from './testing/assisted.ts'
import { closeBusiness } from './testing/set-up.ts'

const app = await startApp()
const { db, make } = app
const { place, settle, pass, thinker, conductor } = startAssisting(app)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})
const MINUTE_MS = 60_000

type Web = NonNullable<NonNullable<AiSettingsBody['speaking']>['web']>

const speaking = async (web: Web, options: { channel?: ChannelName } = {}) => {
  const there = await place(options)
  await updateAiSettings(there.ctx, { speaking: { web } })
  const hasAi = async () => (await there.agentId()) !== null
  /** The customer's first message. */
  const opens = async (body = 'How much is shipping?') => {
    await there.says(body)
    await settle()
    return hasAi()
  }
  const drafts = () =>
    db
      .selectFrom('ai_turns')
      .select(['state', 'revision', 'asked_by'])
      .where('workspace_id', '=', there.workspaceId)
      .where('kind', '=', 'draft')
      .execute()
  return { ...there, hasAi, opens, drafts }
}

test('it takes new conversations where it is set to, says so once, and answers', async () => {
  const { opens, thread, lines, asks } = await speaking({ mode: 'new' })
  assert.equal(await opens(), true)
  assert.match((await thread()).at(-1)!, /Shipping is free/)
  assert.deepEqual(
    (await lines()).map((line) => line.replace(/to .*:/, 'to X:')),
    ['Foyer assigned this to X: new conversation'],
  )
  assert.match(await asks('Do you wrap gifts?'), /We wrap gifts/)
})

test('elsewhere it waits to be assigned', async () => {
  for (const web of [
    {},
    { mode: 'assigned' },
    { mode: 'silent' },
    { mode: 'never' },
    { mode: 'drafts' },
  ] as Web[])
    assert.equal(await (await speaking(web)).opens(), false, JSON.stringify(web))
  const elsewhere = await speaking({ mode: 'new' }, { channel: 'telegram' })
  assert.equal(await elsewhere.opens(), false, 'another channel')
  const others = await speaking({ mode: 'new', audience: { countries: ['DE'] } })
  assert.equal(await others.opens(), false, 'other customers')
})

test('out of hours it takes new conversations only while the business is closed, and keeps them', async () => {
  const { opens, workspaceId, send, says, hasAi } = await speaking({ mode: 'new_closed' })
  assert.equal(await opens(), false, 'always open')
  await send('POST', '/close')
  await closeBusiness(app, workspaceId)
  await says('How much is shipping?')
  assert.equal(await hasAi(), true)
})

test('a conversation that is reopened is a new one, one that a person has is not', async () => {
  const { opens, says, send, hasAi, workspaceId, agentId } = await speaking({ mode: 'new' })
  assert.equal(await opens('I want to talk to a human'), false)
  await says('How much is shipping?')
  assert.equal(await hasAi(), false, 'it was handed over')
  await send('POST', '/close')
  await says('How much is shipping?')
  assert.equal(await hasAi(), true)
  const anna = await make.agent(workspaceId)
  await send('POST', '/assign', { agentId: anna.id })
  await send('POST', '/close')
  await says('Hello again')
  assert.equal(await agentId(), anna.id)
})

test('a flow that a new conversation starts goes before it', async () => {
  const { flow, opens, thread } = await speaking({ mode: 'new' })
  await flow(flowOf([{ type: 'ask', answer: 'text', text: 'Which order?' }]))
  assert.equal(await opens(), false)
  assert.equal((await thread()).at(-1), 'automation: Which order?')
})

test('after a silence of the team it takes what nobody has, once', async () => {
  const { opens, hasAi, thread, says, agentId } = await speaking({ mode: 'silent', afterMinutes: 10 })
  assert.equal(await opens(), false)
  await pass(5 * MINUTE_MS)
  assert.equal(await hasAi(), false)
  await pass(5 * MINUTE_MS)
  assert.equal(await hasAi(), true)
  await settle()
  assert.match((await thread()).at(-1)!, /Shipping is free/)
  await says('human please')
  assert.equal(await agentId(), null)
  await pass(60 * MINUTE_MS)
  assert.equal(await hasAi(), false, 'people have it now')
})

test('a reply, a person or a stop in time keeps it away', async () => {
  const replied = await speaking({ mode: 'silent', afterMinutes: 10 })
  await replied.opens()
  await replied.send('POST', '/messages', { body: 'One moment.' })
  const assigned = await speaking({ mode: 'silent', afterMinutes: 10 })
  await assigned.opens()
  const anna = await make.agent(assigned.workspaceId)
  await assigned.send('POST', '/assign', { agentId: anna.id })
  const stopped = await speaking({ mode: 'silent', afterMinutes: 10 })
  await stopped.opens()
  await setAiStopped(stopped.ctx, { isStopped: true })
  await pass(30 * MINUTE_MS)
  await settle()
  assert.equal(await replied.agentId(), null)
  assert.equal(await assigned.agentId(), anna.id)
  assert.equal(await stopped.agentId(), null)
  assert.deepEqual(await stopped.thread(), ['customer: How much is shipping?'])
})

test('drafts are wanted for what waits for a person, one for all that is written in a row', async () => {
  const { says, drafts, send, workspaceId } = await speaking({ mode: 'drafts' })
  await says('How much is shipping?')
  const anna = await make.agent(workspaceId)
  await send('POST', '/assign', { agentId: anna.id })
  await says('And gifts?')
  assert.deepEqual(await drafts(), [{ state: 'waiting', revision: 2, asked_by: null }])
  const other = await speaking({ mode: 'assigned' })
  await other.says('How much is shipping?')
  assert.deepEqual(await other.drafts(), [])
})

test('a hand-over gives the conversation to the person, or the team and its next, and the customer the tag of the settings, as far as they exist', async () => {
  const owns = { assignment: 'round_robin' as const }
  for (const [to, from] of [
    ['person', null],
    ['both', null],
    ['team', null],
    ['team', 'own'],
    ['nobody', null],
  ] as const) {
    const { ctx, workspaceId, writes, assign, says, agentId, conversationId } = await place()
    const anna = await make.agent(workspaceId)
    const tagId = await make.tag(workspaceId)
    const exists = to !== 'nobody'
    const ben = await make.agent(workspaceId)
    const teamId = await makeTeam(app, workspaceId, { ...owns, memberIds: [ben.id] })
    const ownTeam = await makeTeam(app, workspaceId, { name: 'Own' })
    const handOver = {
      agentId: to === 'team' ? null : exists ? anna.id : 'gone',
      teamId: to === 'person' ? null : exists ? teamId : 'gone',
      tagId: exists ? tagId : 'gone',
    }
    await updateAiSettings(ctx, { handOver })
    // A client that knows of no teams changes nothing of it.
    await updateAiSettings(ctx, { handOver: { agentId: handOver.agentId, tagId: handOver.tagId } })
    await writes('Hello')
    if (from) await moveToTeam(ctx, { conversationId: conversationId(), teamId: ownTeam })
    await assign()
    await settle()
    await says('I want to talk to a human')
    const owner = to === 'team' ? (from ? null : ben.id) : exists ? anna.id : null
    assert.equal(await agentId(), owner, to)
    const { team } = await db
      .selectFrom('conversations')
      .select('team_id as team')
      .where('id', '=', conversationId())
      .executeTakeFirstOrThrow()
    assert.equal(team, from ? ownTeam : to === 'both' || to === 'team' ? teamId : null, to)
    const tags = await db
      .selectFrom('contact_tags')
      .select('tag_id as id')
      .where('workspace_id', '=', workspaceId)
      .execute()
    assert.deepEqual(tags, exists ? [{ id: tagId }] : [])
  }
})

const TOPICS =
  'parking gift-cards repairs engraving warranty colours invoices newsletter careers catalogues deposits samples'.split(
    ' ',
  )

const questions = TOPICS.map((topic) => `What about ${topic}?`)
const items = TOPICS.map((topic, at) => ({
  title: topic,
  body: `Answer ${at}.`,
  phrasings: [questions[at]!],
}))

test('after twelve messages in a row without a person or a tap it hands over', async () => {
  const { writes, assign, asks, agentId, lines } = await place({ items })
  await writes('Hello')
  await assign()
  await settle()
  for (const question of questions.slice(0, MESSAGES_IN_A_ROW_MAX - 1)) {
    // Nobody types this fast.
    await pass(20_000)
    await asks(question)
  }
  assert.notEqual(await agentId(), null)
  await asks(questions.at(-1)!)
  assert.equal(await agentId(), null)
  assert.ok((await lines()).some((line) => /many times in a row/.test(line)))
})

test('a customer who writes as fast as a program hears once that a person will reply', async () => {
  const { writes, assign, asks, agentId, thread, lines } = await place({ items })
  await writes('Hello')
  await assign()
  await settle()
  for (const question of questions.slice(0, 8)) await asks(question)
  const comes = 'agent: Someone from our team will reply here.'
  assert.deepEqual(
    (await thread()).slice(-6).filter((line) => line === comes),
    [comes],
  )
  assert.match((await lines()).join('\n'), /Automation paused: the other side appears to be a program/)
  assert.equal(await agentId(), null)
})

const AUTOMATIC = { metadata: { automatic: 'reply', autoReply: true } }

test('automatic mail gets no reply: neither after a silence, nor on assignment, nor beside a question', async () => {
  const silent = await place({ channel: 'email' })
  await updateAiSettings(silent.ctx, { speaking: { email: { mode: 'silent', afterMinutes: 10 } } })
  await silent.flow(
    flowOf([{ type: 'send', text: 'Sorry that you have to wait.' }], {
      triggers: [{ on: 'team_silent', after: 'PT10M' }],
    }),
  )
  await silent.says('I am out of the office. How much is shipping?', AUTOMATIC)
  await pass(30 * MINUTE_MS)
  await settle()
  assert.equal(await silent.agentId(), null, 'after a silence')
  assert.equal((await silent.thread()).length, 1, 'nor of a flow')

  const assigned = await place({ channel: 'email' })
  await assigned.writes('I am out of the office. How much is shipping?', AUTOMATIC)
  await assigned.assign()
  await settle()
  assert.deepEqual(await assigned.turns(), [])
  assert.equal((await assigned.thread()).length, 1, 'on assignment')
  assert.match(await assigned.asks('Do you wrap gifts?'), /^agent: .*We wrap gifts/s)
  const requests = await assigned.turns()
  assert.equal(requests.at(-1)!.question, 'Do you wrap gifts?')
  await assigned.says('I am out of the office. How much is shipping?', AUTOMATIC)
  await settle()
  assert.equal((await assigned.thread()).length, 4, 'after its own reply')
})

test('what was asked before an automatic mail, or thought of when one came, is still answered', async () => {
  const before = await place({ channel: 'email' })
  await before.writes('How much is shipping?')
  await before.writes('I am out of the office.', AUTOMATIC)
  await before.assign()
  await settle()
  assert.match((await before.thread()).at(-1)!, /^agent: .*Shipping is free/s)

  const during = await place({ channel: 'email' })
  await during.writes('How much is shipping?')
  await during.assign()
  await thinker.thinkDue()
  await during.writes('I am out of the office.', AUTOMATIC)
  await settle()
  assert.match((await during.thread()).at(-1)!, /^agent: .*Shipping is free/s)
})

test('a reminder of a flow is nothing that the customer asked: a person has replied', async () => {
  const there = await place()
  await there.flow(
    flowOf([{ type: 'send', text: 'Are you still there?' }], {
      triggers: [{ on: 'customer_silent', after: 'PT10M' }],
    }),
  )
  await there.says('How much is shipping?')
  await pass(1_000)
  await there.send('POST', '/messages', { body: 'Free from 50 euros.' })
  await pass(11 * MINUTE_MS)
  assert.equal((await there.thread()).at(-1), 'automation: Are you still there?')
  await there.assign()
  await settle()
  assert.equal((await there.thread()).at(-1), 'automation: Are you still there?')
})
