// What became of the episodes in which the AI agent took part.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import type { Actor } from '../../platform/ctx/actor.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { PAUSED_MS } from '../automation/interrupt.ts'
import { sendMessage } from '../messages/send-message.ts'
import { REOPENED_DAYS, SILENT_HOURS, saveOutcomes } from './outcome-queries.ts'
import { updateAiSettings } from './settings.ts'
import { startAssisting } from './testing/assisted.ts'

const app = await startApp()
const { conductor, pass, place: assistedPlace, settle, thinker } = startAssisting(app)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})
const { db, make } = app

const SILENT_MS = SILENT_HOURS * 3_600_000
const HELPED = 'Yes, that helped'
type Place = Awaited<ReturnType<typeof place>>

const place = async (options: Parameters<typeof assistedPlace>[0] = {}) => {
  const there = await assistedPlace(options)
  const outcomes = () =>
    db
      .selectFrom('ai_outcomes')
      .selectAll()
      .where('workspace_id', '=', there.workspaceId)
      .orderBy('first_id')
      .execute()
  const anna = await make.agent(there.workspaceId)
  const person: Actor = { type: 'agent', accountId: anna.id, role: 'admin', permissions: [] }
  return {
    ...there,
    outcomes,
    /** The agent gets the conversation with the question in it, and replies. */
    begins: async (question = 'How much is shipping?') => {
      await there.writes(question)
      await there.assign()
      await settle()
    },
    close: async () => {
      await there.send('POST', '/close')
      await conductor.conductDue()
    },
    replies: async (body: string) => {
      await sendMessage({ ...there.ctx, actor: person }, { conversationId: there.conversationId(), body })
      await conductor.conductDue()
    },
    tap: async (title: string) => {
      await there.taps(title)
      await settle()
    },
  }
}

const last = async ({ outcomes }: Place): Promise<Tables['ai_outcomes'] & object> =>
  (await outcomes()).at(-1)! as never

test('"Yes, that helped" stands under an answer as a button; a tap or its title confirms, and nothing is said', async () => {
  for (const confirm of ['tap', 'title', 'thanks'] as const) {
    const there = await place({ channel: 'telegram' })
    await there.begins()
    const before = await there.thread()
    if (confirm === 'tap') await there.tap(HELPED)
    else await there.asks(confirm === 'title' ? 'yes, that helped' : 'Thank you!')
    assert.equal((await there.thread()).length, before.length + 1)
    const { confirmed_by, is_assumed, turns, answered } = await last(there)
    assert.deepEqual([confirmed_by, is_assumed], [confirm === 'thanks' ? 'thanks' : 'tap', false])
    assert.deepEqual([turns, answered], [2, 1])
    assert.equal((await there.agentId()) !== null, true, 'it keeps the conversation')
  }
})

test('channels that would show the button as numbered text get none, nor do questions', async () => {
  for (const channel of ['sms', 'email'] as const) {
    const there = await place({ channel })
    await there.begins()
    assert.doesNotMatch((await there.thread()).at(-1)!, /helped|99/)
  }
  const there = await place()
  await there.begins('Do you repair bicycles?')
  const asked = (await there.shown()).find(({ sender }) => sender.role === 'ai')!
  assert.ok(!asked.metadata.choices.options.some(({ id }: { id: string }) => id === 'helped'))
})

test('a tap on "Yes, that helped" after another question leaves the question to be answered', async () => {
  const there = await place()
  await there.begins()
  await there.writes('Do you wrap gifts?')
  await there.taps(HELPED)
  await settle()
  assert.match((await there.thread()).at(-1)!, /tissue/)
  assert.equal((await last(there)).confirmed_by, null)
})

test('an answer is assumed to have helped once it is closed or silent, unless somebody else wrote or a question is open', async () => {
  const ends = {
    closed: async (there: Place) => there.close(),
    silent: async () => pass(SILENT_MS),
    withPerson: async (there: Place) => {
      await there.replies('Anna here.')
      await there.close()
    },
    open: async (there: Place) => {
      await there.writes('And to Norway?')
      await there.close()
    },
  }
  for (const [how, end] of Object.entries(ends)) {
    const there = await place()
    await there.begins()
    assert.deepEqual([(await last(there)).ended_at, (await last(there)).is_assumed], [null, false])
    await end(there)
    const { ended_at, is_assumed, confirmed_by } = await last(there)
    assert.ok(ended_at, how)
    assert.deepEqual([is_assumed, confirmed_by], [how === 'closed' || how === 'silent', null], how)
  }
})

test('a customer who is back within a week takes it back, whether it was confirmed or assumed; later they don’t', async () => {
  for (const days of [1, REOPENED_DAYS + 1])
    for (const isConfirmed of [true, false]) {
      const there = await place()
      await there.begins()
      if (isConfirmed) await there.tap(HELPED)
      await there.close()
      await pass(days * 24 * 3_600_000)
      await there.asks('Do you wrap gifts?')
      const [first, second] = await there.outcomes()
      const isBack = days === 1
      assert.equal(first!.reopened_at !== null, isBack)
      assert.deepEqual(
        [first!.confirmed_by, first!.is_assumed],
        [isConfirmed && !isBack ? 'tap' : null, !isConfirmed && !isBack],
      )
      assert.deepEqual([second!.started_by, second!.answered], ['reopened', 1])
    }
})

test('a message after three days of silence begins an episode of its own', async () => {
  const there = await place()
  await there.begins()
  await pass(SILENT_MS - 60_000)
  await there.asks('Do you wrap gifts?')
  assert.equal((await there.outcomes()).length, 1)
  await pass(SILENT_MS + 60_000)
  await there.asks('How long do I have to return something?')
  const [first, second] = await there.outcomes()
  assert.deepEqual([first!.answered, first!.is_assumed, first!.reopened_at !== null], [2, false, true])
  assert.deepEqual([second!.started_by, second!.answered], ['silence', 1])
})

test('a hand-over has its reason and time, and is no resolution even if the customer thanks later', async () => {
  const there = await place()
  await there.begins()
  await pass(60_000)
  await there.asks('I want to talk to a person')
  await there.writes('Thanks')
  await there.close()
  const { hand_over_reason, hand_over_ms, first_reply_ms, ...row } = await last(there)
  assert.equal(hand_over_reason, 'asked')
  assert.ok(Number(hand_over_ms) >= 60_000 && Number(first_reply_ms) < 60_000)
  assert.deepEqual([row.is_assumed, row.confirmed_by, row.answered], [false, null, 1])
})

test('giving it back after a hand-over begins another episode, once the agent has something to do', async () => {
  const there = await place({ items: [] })
  await there.begins()
  assert.equal((await last(there)).hand_over_reason, 'no_knowledge')
  await there.assign()
  assert.equal((await there.outcomes()).length, 1, 'nothing was asked')
  await pass(PAUSED_MS)
  await there.asks('Where is my parcel?')
  assert.deepEqual(
    (await there.outcomes()).map(({ started_by, hand_over_reason }) => [started_by, hand_over_reason]),
    [
      ['assigned', 'no_knowledge'],
      ['assigned', 'no_knowledge'],
    ],
  )
})

test('a conversation that the agent takes by itself is one episode, and its first answer is no result yet', async () => {
  const there = await place()
  await updateAiSettings(there.ctx, { speaking: { web: { mode: 'new' } } })
  await there.says('How much is shipping?')
  await settle()
  await there.asks('Do you wrap gifts?')
  const [outcome, ...others] = await there.outcomes()
  assert.deepEqual(
    [outcome?.started_by, outcome?.turns, outcome?.answered, outcome?.is_assumed, others],
    ['assigned', 2, 2, false, []],
  )
  const handedOver = await place()
  await updateAiSettings(handedOver.ctx, { speaking: { web: { mode: 'new' } } })
  await handedOver.says('I want to talk to a person')
  await settle()
  assert.deepEqual(
    (await handedOver.outcomes()).map((row) => [row.started_by, row.turns, row.hand_over_reason]),
    [['assigned', 1, 'asked']],
  )
})

test('conversations that people have alone get no row', async () => {
  const there = await place()
  await there.says('How much is shipping?')
  await there.replies('It is free.')
  await there.close()
  assert.deepEqual(await there.outcomes(), [])
})

test('computed again from the rows in one statement, every outcome is the same', async () => {
  const places: Place[] = []
  const begin = async (items?: []) => {
    const there = await place(items && { items })
    places.push(there)
    await there.begins()
    return there
  }
  await (await begin()).tap(HELPED)
  const back = await begin()
  await back.close()
  await back.asks('Do you wrap gifts?')
  await back.asks('Thanks')
  await (await begin()).asks('I want to talk to a person')
  await (await begin([])).assign()
  await (await begin()).replies('Anna here.')
  await pass(SILENT_MS)
  await back.asks('How much is shipping?')
  await pass(SILENT_MS)
  for (const there of places) {
    const stored = await there.outcomes()
    assert.ok(stored.length > 0)
    await db.deleteFrom('ai_outcomes').where('workspace_id', '=', there.workspaceId).execute()
    await saveOutcomes(there.ctx, [there.conversationId()])
    assert.deepEqual(await there.outcomes(), stored)
    // Again over what is stored.
    await saveOutcomes(there.ctx, [there.conversationId()])
    assert.deepEqual(await there.outcomes(), stored)
  }
  assert.equal(places.length, 5)
})
