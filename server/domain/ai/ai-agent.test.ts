import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PERSON_OPTION } from '../../../flow-engine/read-reply.ts'
import { startApp } from '../../../test/app.ts'
import { GIFT, RETURNS, SHIPPING, startAssisting } from './testing/assisted.ts'
import { HELPED_OPTION } from './turn/take-turn.ts'

const app = await startApp()
const { place, settle, thinker, conductor, pass } = startAssisting(app)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})

test('a question that is asked before the assignment is answered word for word, as the AI agent, once', async () => {
  const { writes, assign, shown, thread } = await place()
  await writes('How long do I have to return something?')
  await assign()
  await settle()
  await settle()
  assert.deepEqual(await thread(), [
    'customer: How long do I have to return something?',
    `agent: I’m the automatic assistant of Northwind.\n\n${RETURNS.body}\n\n1. Yes, that helped\n0. Talk to a person`,
  ])
  const answer = (await shown()).find(({ sender }) => sender.role === 'ai')
  assert.equal(answer?.metadata.ai.sources[0].title, RETURNS.title)
  assert.deepEqual(
    answer?.metadata.choices.options.map(({ number }: { number: number }) => number),
    [HELPED_OPTION, PERSON_OPTION],
  )
})

test('it introduces itself once, and waits for the customer if the last word is ours', async () => {
  const { writes, assign, asks, send, thread } = await place()
  await writes('Hello')
  await send('POST', '/messages', { body: 'Hi, how can we help?' })
  await assign()
  await settle()
  assert.equal((await thread()).length, 2)
  assert.match(await asks('How much is shipping?'), /^agent: I’m the automatic assistant/)
  assert.match(await asks('Do you wrap gifts?'), /^agent: We wrap gifts/)
})

test('below the line it offers the nearest answers, and a tap on one says it', async () => {
  const { writes, assign, shown, taps, thread } = await place()
  await writes('something about shipping or a gift')
  await assign()
  await settle()
  const [offer] = (await shown()).filter(({ sender }) => sender.role === 'ai')
  assert.match(offer!.body, /Is it one of these\?/)
  const titles = offer!.metadata.choices.options.map(({ title }: { title: string }) => title)
  assert.ok(titles.includes(GIFT.title), titles.join())
  assert.equal(titles.at(-1), 'Talk to a person')
  await taps(GIFT.title)
  await settle()
  assert.equal((await thread()).at(-1), `agent: ${GIFT.body}\n\n1. Yes, that helped\n0. Talk to a person`)
})

test('an offer is answered with a number or a title too, where there are no buttons', async () => {
  const { writes, assign, asks, shown } = await place({ channel: 'email' })
  await writes('something about shipping or a gift')
  await assign()
  await settle()
  const offer = (await shown()).find(({ sender }) => sender.role === 'ai')!
  const at = offer.metadata.choices.options.findIndex(({ title }: { title: string }) => title === GIFT.title)
  assert.match(await asks(String(at + 1)), /^agent: We wrap gifts/)
  assert.match(await asks('0'), /^agent: .*our team/)
})

test('at the second miss in a row it hands over, with a note of what was asked and an honest word', async () => {
  const { writes, assign, asks, agentId, lines, conversationId } = await place()
  await writes('qqqq zzzz xxxx')
  await assign()
  await settle()
  assert.match(await asks('wwww vvvv kkkk'), /^agent: Someone from our team will reply here\./)
  assert.equal(await agentId(), null)
  assert.ok((await lines()).some((line) => /found no answer twice in a row/.test(line)))
  const notes = await app.db
    .selectFrom('notes')
    .select('body')
    .where('conversation_id', '=', conversationId())
    .execute()
  assert.equal(notes.length, 1)
  assert.match(notes[0]!.body, /The customer asked:\nwwww vvvv kkkk$/)
  // People have it now: the agent stays out.
  assert.equal(await asks('How much is shipping?'), 'customer: How much is shipping?')
})

test('an answer in between settles a miss', async () => {
  const { writes, assign, asks, agentId } = await place()
  await writes('qqqq zzzz xxxx')
  await assign()
  await settle()
  await asks('How much is shipping?')
  assert.match(await asks('wwww vvvv kkkk'), /couldn’t find anything/)
  assert.notEqual(await agentId(), null)
})

test('a greeting is no miss, thanks get no reply, and thanks before anything was said are a greeting', async () => {
  const { writes, assign, asks, agentId } = await place()
  await writes('Hello!')
  await assign()
  await settle()
  assert.match(await asks('Guten Tag'), /^agent: Was möchten Sie wissen\?/)
  assert.match(await asks('hi there'), /^agent: What would you like to know\?/)
  assert.match(await asks('How much is shipping?'), /^agent: Shipping is free/)
  assert.equal(await asks('thank you very much!'), 'customer: thank you very much!')
  assert.equal(await asks('👍🏽'), 'customer: 👍🏽')
  assert.notEqual(await agentId(), null)
})

test('who asks for a person gets one at once, whatever else is asked', async () => {
  const { writes, assign, says, agentId, thread } = await place()
  await writes('Hello')
  await assign()
  await settle()
  await says('I want to talk to a human')
  assert.match((await thread()).at(-1)!, /^agent: Someone from our team/)
  assert.equal(await agentId(), null)
})

test('the same question again hands over instead of repeating the answer', async () => {
  const { writes, assign, asks, agentId } = await place()
  await writes('How much is shipping?')
  await assign()
  await settle()
  assert.match(await asks('How much is shipping?'), /our team/)
  assert.equal(await agentId(), null)
})

test('several messages in a row get one reply', async () => {
  const { writes, assign, thread } = await place()
  await writes('Hello')
  await assign()
  await settle()
  await writes('Hi again')
  await conductor.conductDue()
  await pass(1_000)
  await thinker.thinkDue()
  await writes('How much is shipping?')
  await conductor.conductDue()
  await pass(1_000)
  await thinker.thinkDue()
  assert.equal((await thread()).filter((line) => line.startsWith('agent')).length, 1, 'still typing')
  await settle()
  const replies = (await thread()).filter((line) => line.startsWith('agent'))
  assert.equal(replies.length, 2)
  assert.match(replies[1]!, /Shipping is free/)
})

test('an empty knowledge base hands over at once and says why', async () => {
  const { writes, assign, agentId, lines } = await place({ items: [] })
  await writes('How much is shipping?')
  await assign()
  await settle()
  assert.equal(await agentId(), null)
  assert.ok((await lines()).some((line) => /no article or answer says it/.test(line)))
})

test('neither drafts, nor internal answers, nor those for other customers, nor another workspace’s are said or offered', async () => {
  const other = await place({ items: [{ ...SHIPPING, body: 'Foreign.' }] })
  const { writes, assign, asks, thread } = await place({
    items: [
      { ...GIFT, title: 'Closing time' },
      { ...SHIPPING, body: 'A draft.', state: 'draft' },
      { ...SHIPPING, body: 'For people.', isInternal: true },
      { ...SHIPPING, body: 'By email.', audience: { channels: ['email'] } },
      { ...SHIPPING, body: 'In Germany.', audience: { countries: ['DE'] } },
    ],
  })
  await writes('How much is shipping?')
  await assign()
  await settle()
  await asks('What does delivery cost?')
  const said = (await thread()).filter((line) => line.startsWith('agent')).join()
  assert.doesNotMatch(said, /Foreign|draft|people\.|By email|Germany|Shipping cost/)
  assert.match(said, /our team/)
  assert.equal(other.conversationId(), '')
})

test('what was unpublished after it was offered is not said', async () => {
  const { writes, assign, taps, thread, token, save } = await place({ items: [RETURNS] })
  const id = await save({ ...GIFT, externalId: 'gift' })
  await save({ ...SHIPPING })
  await writes('something about shipping or a gift')
  await assign()
  await settle()
  await app.call(token, 'DELETE', `/knowledge/answers/${id}`)
  await taps(GIFT.title)
  await settle()
  assert.doesNotMatch((await thread()).at(-1)!, /tissue/)
})

test('odd messages end with a reply or a person, never with silence', async () => {
  for (const body of [
    '?',
    '  ​ ',
    'a',
    '🐢',
    'x'.repeat(4_000),
    '{{contact.email}}',
    "'; drop table messages; --",
  ]) {
    const { writes, assign, thread } = await place()
    await writes(body)
    await assign()
    await settle()
    assert.match((await thread()).at(-1)!, /^agent: /, JSON.stringify(body.slice(0, 20)))
  }
})

test('a closed conversation gets no reply, and one that is reopened does', async () => {
  const { writes, assign, send, asks, thread } = await place()
  await writes('How much is shipping?')
  await assign()
  await send('POST', '/close')
  await settle()
  assert.equal((await thread()).length, 1)
  assert.match(await asks('How much is shipping?'), /^agent: I’m the automatic assistant/)
})
