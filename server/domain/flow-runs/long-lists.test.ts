import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

const { place } = startConducting(await startApp())

const SMS_MAX = 1_600
const title = (number: number) => `Option ${number}${' which is long'.repeat(5)}`
const QUESTION = flowOf([
  {
    type: 'ask',
    answer: 'choice',
    text: 'Which one?',
    store: 'run.one',
    options: Array.from({ length: 30 }, (_, at) => ({ id: `o${at + 1}`, title: title(at + 1) })),
  },
  { type: 'send', text: 'You chose {{run.one}}.' },
])

test('a list that a text message has no room for comes in several, each with whole options', async () => {
  const { flow, says, messages, thread, runs } = await place({ channel: 'sms' })
  await flow(QUESTION)
  await says('Hello')
  const sent = (await messages()).filter(({ sender_type }) => sender_type === 'automation')
  assert.ok(sent.length === 2 && sent.every(({ body }) => body.length <= SMS_MAX))
  const shown = sent.flatMap(({ body }) => body.split('\n').filter((line) => /^\d/.test(line)))
  assert.deepEqual(
    shown,
    Array.from({ length: 30 }, (_, at) => `${at + 1}. ${title(at + 1)}`),
  )
  assert.deepEqual(
    (await runs()).map(({ waiting_step }) => waiting_step),
    ['s1'],
  )
  await says('29')
  assert.equal((await thread()).at(-1), 'automation: You chose o29.')
})

test('where the options fit, or are buttons or a list, the question is one message', async () => {
  for (const channel of ['web', 'whatsapp', 'email'] as const) {
    const { flow, says, messages } = await place({ channel })
    await flow(
      channel === 'whatsapp'
        ? {
            ...QUESTION,
            ...flowOf([{ ...QUESTION.blocks.start!.steps[0]!, options: [{ id: 'a', title: 'A' }] }]),
          }
        : QUESTION,
    )
    await says('Hello')
    const sent = (await messages()).filter(({ sender_type }) => sender_type === 'automation')
    assert.equal(sent.length, 1)
    assert.ok(sent[0]!.metadata?.choices)
  }
})
