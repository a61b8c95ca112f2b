// What customers send where a flow waits for something else, and who isn't a customer at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ESCAPE_WORDS } from '../../../flow-engine/escape-words.ts'
import { startApp } from '../../../test/app.ts'
import type { NewAttachment } from '../attachments/queries.ts'
import { alterMessage } from '../messages/alter-message.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const app = await startApp()
const { clock, db } = app
const { conductor, place, pass } = startConducting(app)
clock.now = () => new Date(Date.UTC(2026, 10, 23, 10))
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type Place = Awaited<ReturnType<typeof place>>
const ask = (text: string, more: object = {}) => ({ type: 'ask', answer: 'text', text, ...more }) as const
const said = async ({ thread }: Place): Promise<string[]> =>
  (await thread()).filter((line) => line.startsWith('automation')).map((line) => line.slice(12))
const ends = async ({ runs }: Place) => (await runs()).map(({ status, end_reason }) => [status, end_reason])
const attached = (type: NewAttachment['type']): NewAttachment => ({
  type,
  name: type,
  mimeType: 'application/octet-stream',
  size: 10,
  state: 'inline',
  source: {},
})

// When -------------------------------------------------------------------------------------------------------------

test('a reply that comes in the very millisecond of the time limit counts, and the limit does not', async () => {
  const here = await place()
  const late = { after: 'PT1H', then: 'late' }
  await here.flow({
    ...flowOf([]),
    blocks: {
      start: {
        steps: [
          { id: 's1', ...ask('Which order?', { timeout: late }) },
          { id: 's2', type: 'send', text: 'Thanks.' },
        ],
      },
      late: { steps: [{ id: 's3', type: 'send', text: 'Too late.' }] },
    },
  })
  await here.says('Hello')
  const [run] = await here.runs()
  const at = new Date(run!.wakes_at!)
  clock.now = () => at
  await here.writes('AB-1')
  await Promise.all([conductor.conductDue(), conductor.conductDue()])
  assert.deepEqual(await said(here), ['Which order?', 'Thanks.'])
  await pass(HOUR_MS)
  assert.equal((await said(here)).length, 2)
})

test('messages of two customers in one batch go to their own conversations', async () => {
  const one = await place()
  await one.flow(
    flowOf([ask('Which order?', { store: 'run.order' }), { type: 'send', text: 'Order {{run.order}}.' }]),
  )
  const two = await place({ workspaceId: one.workspaceId })
  await one.writes('Hello')
  await two.writes('Hello')
  await one.writes('A-1')
  await two.writes('B-2')
  await conductor.conductDue()
  assert.deepEqual(
    [await said(one), await said(two)],
    [
      ['Which order?', 'Order A-1.'],
      ['Which order?', 'Order B-2.'],
    ],
  )
})

// What -------------------------------------------------------------------------------------------------------------

test('a message that is edited or deleted before it is read counts as it is then; afterwards it changes nothing', async () => {
  const here = await place({ channel: 'telegram' })
  const { ctx, channelAccountId, says, writes } = here
  await here.flow(
    flowOf([
      ask('Which order?', { store: 'run.order' }),
      ask('{{run.order}}?'),
      { type: 'send', text: 'Done.' },
    ]),
  )
  const alter = (
    targetId: string,
    change: { is: 'edit'; body: string } | { is: 'revoke' } | { is: 'reaction'; emoji: string },
  ) => alterMessage(ctx, { channelAccountId, targetId, by: 'customer', at: clock.now(), ...change })
  const idOf = async (messageId: string) =>
    (await here.messages()).find(({ id }) => id === messageId)!.external_id!
  await says('Hello')
  await alter(await idOf((await writes('A-1')).message.id), { is: 'revoke' })
  await conductor.conductDue()
  assert.deepEqual(await said(here), ['Which order?'])
  const edited = await idOf((await writes('A-2')).message.id)
  await alter(edited, { is: 'edit', body: 'A-3' })
  await conductor.conductDue()
  assert.deepEqual((await said(here)).slice(1), ['A-3?'])
  await alter(edited, { is: 'edit', body: 'A-4' })
  await alter(edited, { is: 'reaction', emoji: '👍' })
  await alter(edited, { is: 'revoke' })
  await conductor.conductDue()
  assert.equal((await said(here)).length, 2)
  assert.equal((await here.runs())[0]!.waiting_step, 's2')
})

test('files, voice, places and stickers are no texts and no choices: the flow asks again, and then people take over', async () => {
  const options = [
    { id: 'a', title: 'One' },
    { id: 'b', title: 'Two' },
  ]
  const DESCRIBED = {
    file: ['file', 'document'],
    audio: ['Voice message', 'audio'],
    location: ['Location: 52.5, 13.4', 'location'],
    sticker: ['Sticker 2️⃣', 'sticker'],
    contacts: ['Contact: Ana, 123', 'contacts'],
  } as const
  for (const question of [ask('Which order?'), { ...ask('Which?'), answer: 'choice' as const, options }])
    for (const type of ['file', 'audio', 'location', 'sticker', 'contacts'] as const) {
      const here = await place({ channel: 'whatsapp' })
      await here.flow(flowOf([question, { type: 'send', text: 'Thanks.' }]))
      await here.says('Hello')
      for (let times = 0; times < 3; times++) {
        await pass(MINUTE_MS)
        const [body, kind] = DESCRIBED[type]
        await here.says(body, { attachments: [attached(type)], metadata: { type: kind } })
      }
      assert.deepEqual(await ends(here), [['completed', 'not_understood']], type)
      assert.ok(!(await said(here)).includes('Thanks.'), type)
    }
})

test('the caption of a photo is an answer, as what was typed', async () => {
  const here = await place({ channel: 'whatsapp' })
  await here.flow(
    flowOf([ask('Which order?', { store: 'run.order' }), { type: 'send', text: 'Order {{run.order}}.' }]),
  )
  await here.says('Hello')
  await here.says('A-1', { attachments: [attached('image')], metadata: { type: 'image' } })
  assert.equal((await said(here)).at(-1), 'Order A-1.')
})

test('a file where a file is asked for is the answer, a text is not', async () => {
  const here = await place({ channel: 'whatsapp' })
  await here.flow(
    flowOf([
      { ...ask('Please send a photo.'), answer: 'file' },
      { type: 'send', text: 'Got it.' },
    ]),
  )
  await here.says('Hello')
  await here.says('here it comes')
  await here.says('', { attachments: [attached('image')] })
  assert.equal((await said(here)).at(-1), 'Got it.')
})

// Mail -------------------------------------------------------------------------------------------------------------

test('automatic mails, bounces and mailing lists answer no question and start no dialog', async () => {
  for (const automatic of ['reply', 'bounce', 'list', 'generated', 'loop']) {
    const here = await place({ channel: 'email' })
    await here.flow(
      flowOf([ask('Which order?'), { type: 'send', text: 'Thanks.' }], { triggers: [{ on: 'message' }] }),
    )
    await here.says('Hello')
    await here.says('I am away', { metadata: { automatic } })
    assert.deepEqual([await said(here), await ends(here)], [['Which order?'], [['running', null]]], automatic)
    await here.says('AB-1')
    assert.equal((await said(here)).at(-1), 'Thanks.')
    await pass(HOUR_MS)
    await here.says('I am away', { metadata: { automatic } })
    assert.equal((await here.runs()).length, 1, automatic)
  }
})

// People -----------------------------------------------------------------------------------------------------------

test('a wish for a person is granted in 20 languages, as the answer to a question, in capitals and in a sentence', async () => {
  const here = await place()
  await here.flow(
    flowOf([ask('Which order?', { store: 'run.order' }), { type: 'send', text: 'Order {{run.order}}.' }]),
  )
  const wishes = Object.values(ESCAPE_WORDS).flatMap(({ people, phrases }) => [
    people.split(' ')[0]!.toUpperCase(),
    `${phrases.split('|')[0]!}!`,
  ])
  assert.equal(wishes.length, 40)
  for (const wish of wishes) {
    const asking = await place({ workspaceId: here.workspaceId })
    await asking.says('Hello')
    await asking.says(wish)
    assert.deepEqual(await ends(asking), [['completed', 'asked_for_person']], wish)
  }
})

test('STOP within a sentence or as an answer opts nobody out, and is the answer', async () => {
  const here = await place({ channel: 'telegram' })
  await here.flow(
    flowOf([ask('What should I do?', { store: 'run.what' }), { type: 'send', text: '{{run.what}}, then.' }]),
  )
  await here.says('Hello')
  const { contactId } = await here.says('Please stop the delivery')
  assert.equal((await said(here)).at(-1), 'Please stop the delivery, then.')
  const contact = await db
    .selectFrom('contacts')
    .select('opted_out_at')
    .where('id', '=', contactId)
    .executeTakeFirstOrThrow()
  assert.equal(contact.opted_out_at, null)
})

// Programs ---------------------------------------------------------------------------------------------------------

const talkWith = async (reply: (asked: string, turn: number) => string, everyMs: number, turns: number) => {
  const here = await place()
  await here.flow(
    flowOf([{ ...ask('How many?'), answer: 'number', retry: { times: 5 } }], {
      triggers: [{ on: 'message' }],
    }),
  )
  await here.says('Hello')
  for (let turn = 0; turn < turns; turn++) {
    await pass(everyMs)
    await here.says(reply((await said(here)).at(-1)!, turn))
  }
  return here
}

test('another program is noticed, whether it echoes, alternates between two texts, or writes once a minute for hours', async () => {
  const echo = await talkWith((asked) => asked, 1_000, 20)
  const pair = await talkWith((_, turn) => (turn % 2 ? 'Thanks!' : 'You’re welcome.'), 1_000, 20)
  const slow = await talkWith((_, turn) => `Ticket ${turn} was received.`, MINUTE_MS, 150)
  for (const here of [echo, pair]) {
    const count = (await said(here)).length
    assert.ok(count <= 12, String(count))
  }
  // The flow gives up after six tries, and people have it for twelve hours.
  assert.ok((await said(slow)).length <= 8, String((await said(slow)).length))
})
