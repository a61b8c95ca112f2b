// Taps that come when they aren't expected: late, twice, during a call, on what another flow shows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { createAction } from '../actions/save-action.ts'
import { addInputs } from '../automation/inputs.ts'
import { startRun } from './start-run.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { clock, db } = app
const { conductor, place, pass } = startConducting(app)
clock.now = () => new Date(Date.UTC(2026, 10, 23, 10))
const HOUR_MS = 3_600_000

const ask = (text: string, more: object = {}) => ({ type: 'ask', answer: 'text', text, ...more }) as const
const options = (...titles: string[]) => titles.map((title) => ({ id: title.toLowerCase(), title }))
const MENU = {
  type: 'ask',
  answer: 'choice',
  text: 'What about?',
  store: 'run.topic',
  options: options('Orders', 'Returns'),
} as const
type Place = Awaited<ReturnType<typeof place>>

const said = async ({ thread }: Place): Promise<string[]> =>
  (await thread()).filter((line) => line.startsWith('automation')).map((line) => line.slice(12))
const ends = async ({ runs }: Place) => (await runs()).map(({ status, end_reason }) => [status, end_reason])
const buttonOf = async ({ runs }: Place, number: number, stepId = 's1') => ({
  runId: (await runs())[0]!.id,
  stepId,
  number,
})

// Parts -------------------------------------------------------------------------------------------------------------

const withPart = async (more: object = {}) => {
  const here = await place()
  const part = await here.flow(flowOf([ask('Which order?'), ask('Which size?')], { triggers: [] }))
  await here.flow(
    flowOf(
      [
        MENU,
        { type: 'send', text: 'About {{run.topic}}.' },
        { type: 'flow', flowId: part.id, as: 'part' },
        { type: 'send', text: 'Done.' },
      ],
      more,
    ),
    { position: 2 },
  )
  await here.says('Hello')
  await here.taps('Orders')
  return { ...here, menu: (number: number) => buttonOf(here, number) }
}

test('a button of a flow does what it says while a part of it asks, and the part is over', async () => {
  const here = await withPart()
  assert.deepEqual(await said(here), [
    'What about?\n\n1. Orders\n2. Returns',
    'About orders.',
    'Which order?',
  ])
  await here.tapsOn('Returns', await here.menu(2))
  assert.deepEqual((await said(here)).slice(3), ['About returns.', 'Which order?'])
  assert.deepEqual(await ends(here), [
    ['running', null],
    ['cancelled', 'interrupted'],
    ['running', null],
  ])
  await here.says('AB-1')
  await here.says('XL')
  assert.deepEqual((await said(here)).slice(5), ['Which size?', 'Done.'])
})

test('the way to a person that a flow shows works while a part of it asks', async () => {
  const here = await withPart()
  await here.tapsOn('Talk to a person', await here.menu(0))
  assert.deepEqual(await ends(here), [
    ['completed', 'asked_for_person'],
    ['cancelled', 'interrupted'],
  ])
  assert.match((await said(here)).at(-1)!, /^Thanks\. Someone/)
  await here.says('AB-1')
  assert.equal((await said(here)).length, 4)
})

test('a button that a flow ignores is no reply to its part either', async () => {
  const here = await withPart({ oldChoices: 'ignore' })
  await here.tapsOn('Returns', await here.menu(2))
  assert.equal((await said(here)).at(-1), 'Which order?')
  await here.says('AB-1')
  assert.equal((await said(here)).at(-1), 'Which size?')
})

test('a flow that explains old buttons says so while a part of it asks, and the part goes on', async () => {
  const here = await withPart({ oldChoices: 'explain' })
  await here.tapsOn('Returns', await here.menu(2))
  assert.equal((await said(here)).length, 4)
  await here.says('AB-1')
  assert.equal((await said(here)).at(-1), 'Which size?')
})

// Calls -------------------------------------------------------------------------------------------------------------

const withCall = async (after: Parameters<typeof flowOf>[0]) => {
  const here = await place()
  const { id: actionId } = await createAction(here.ctx, {
    name: 'Look up',
    method: 'GET',
    url: 'https://shop.example/orders',
    headers: [],
    parameters: [],
    keep: [],
    timeoutMs: 1_000,
    isRepeatable: true,
    risk: 'read',
    needs: 'none',
    confirm: 'none',
  })
  await here.flow(
    flowOf([MENU, { type: 'send', text: 'About {{run.topic}}.' }, { type: 'call', actionId }, ...after]),
  )
  await here.says('Hello')
  await here.taps('Orders')
  const finish = async () => {
    const runs = (await here.runs()).filter(({ waiting_for }) => waiting_for === 'call')
    await inTransaction(here.ctx, (ctx) =>
      addInputs(
        ctx,
        runs.map(({ id, wake_token }) => ({
          kind: 'call',
          conversationId: here.conversationId(),
          runId: id,
          data: { token: wake_token!, outcome: 'done', kept: null },
        })),
      ),
    )
    await conductor.conductDue()
  }
  return { ...here, finish }
}

test('a tap during a call is kept, and does what it says once the call is over', async () => {
  const here = await withCall([ask('Which size?')])
  await here.tapsOn('Orders', await buttonOf(here, 1))
  await here.tapsOn('Returns', await buttonOf(here, 2))
  assert.deepEqual((await said(here)).slice(1), ['About orders.'])
  await here.finish()
  assert.deepEqual((await said(here)).slice(2), ['Which size?', 'About returns.'])
  await here.finish()
  assert.deepEqual((await said(here)).slice(4), ['Which size?'])
  assert.deepEqual(await ends(here), [['running', null]])
})

test('a tap during the last call of a flow starts it again with that answer, in the same conversation', async () => {
  const here = await withCall([{ type: 'send', text: 'Done.' }])
  await here.tapsOn('Returns', await buttonOf(here, 2))
  await here.finish()
  assert.deepEqual((await said(here)).slice(2), ['Done.', 'About returns.'])
  await here.finish()
  assert.deepEqual((await said(here)).slice(4), ['Done.'])
  assert.deepEqual(await ends(here), [
    ['completed', 'finished'],
    ['completed', 'finished'],
  ])
})

test('a tap during a call after which people take over changes nothing, and the way to a person doesn’t wait', async () => {
  const here = await withCall([{ type: 'people' }])
  await here.tapsOn('Returns', await buttonOf(here, 2))
  await here.finish()
  assert.deepEqual(await ends(here), [['completed', 'handed_over']])
  const other = await withCall([ask('Which size?')])
  await other.tapsOn('Talk to a person', await buttonOf(other, 0))
  assert.deepEqual(await ends(other), [['completed', 'asked_for_person']])
  await other.finish()
  assert.match((await said(other)).at(-1)!, /^Thanks\. Someone/)
})

// Old, foreign and forged buttons -----------------------------------------------------------------------------------

test('a button that is tapped twice counts once, and later again', async () => {
  const here = await place()
  await here.flow(flowOf([MENU, { type: 'send', text: 'About {{run.topic}}.' }, ask('Which order?')]))
  await here.says('Hello')
  await here.taps('Orders')
  const before = await said(here)
  await here.tapsOn('Orders', await buttonOf(here, 1))
  assert.deepEqual(await said(here), before)
  await pass(HOUR_MS)
  await here.tapsOn('Orders', await buttonOf(here, 1))
  assert.deepEqual((await said(here)).slice(before.length), ['About orders.', 'Which order?'])
})

test('a button with the number of no option, or of a step that is no question, says nothing', async () => {
  const here = await place()
  await here.flow(flowOf([MENU, { type: 'send', text: 'About {{run.topic}}.' }, ask('Which order?')]))
  await here.says('Hello')
  await here.taps('Orders')
  const before = await said(here)
  for (const [number, stepId] of [
    [3, 's1'],
    [99, 's1'],
    [1, 's2'],
    [1, 's9'],
  ] as const)
    await here.tapsOn('Orders', await buttonOf(here, number, stepId))
  const after = await said(here)
  // As text it is the answer to the question that waits, or nothing.
  assert.ok(after.length <= before.length + 1, after.join('\n'))
  assert.ok(!after.slice(before.length).includes('About orders.'))
})

test('a run of another conversation or workspace can’t be reached with its button', async () => {
  const mine = await place()
  await mine.flow(flowOf([MENU, ask('Which order?')]))
  await mine.says('Hello')
  const theirs = await place({ workspaceId: mine.workspaceId })
  await theirs.says('Hello')
  const foreign = await place()
  await foreign.says('Hello')
  const button = await buttonOf(mine, 2)
  await theirs.tapsOn('something', button)
  await foreign.tapsOn('something', button)
  assert.equal((await said(mine)).length, 1)
  assert.equal((await mine.runs())[0]!.waiting_step, 's1')
  assert.deepEqual(await foreign.runs(), [])
  // In a conversation of the same workspace the token is good and names nobody's run there: it is text.
  assert.match((await said(theirs)).at(-1)!, /What about\?/)
})

test('a button of a flow whose versions are gone ends in nothing, and people can still be asked for', async () => {
  const here = await place()
  const { id } = await here.flow(flowOf([MENU, { type: 'send', text: 'About {{run.topic}}.' }]))
  await here.says('Hello')
  await here.taps('Orders')
  const button = await buttonOf(here, 2)
  await db.deleteFrom('flow_versions').where('flow_id', '=', id).execute()
  await db.deleteFrom('flows').where('id', '=', id).execute()
  await db
    .updateTable('workspaces')
    .set((eb) => ({ automation_revision: eb('automation_revision', '+', 1) }))
    .where('id', '=', here.workspaceId)
    .execute()
  await here.tapsOn('Returns', button)
  assert.equal((await said(here)).length, 2)
  await assert.rejects(startRun(here.ctx, { flowId: id, conversationId: here.conversationId() }), {
    code: 'FLOW_NOT_FOUND',
  })
})
