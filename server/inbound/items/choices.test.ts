// Questions with options, from the conversation to the provider's API and back as a tap.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import type { OfferedChoices } from '../../domain/messages/choices.ts'
import { retryMessage } from '../../domain/messages/retry-message.ts'
import { settleMessage } from '../../domain/messages/settle-message.ts'
import { newId } from '../../platform/db/id.ts'
import { askingOn, CHAT, NIC, nextNumber, startAnyProvider } from './testing/asking.ts'
import { json } from './testing/provider.ts'

const app = await startApp({ worker: { sendTimeoutMs: 700, backoffMinMs: 20, backoffMaxMs: 60 } })
const provider = await startAnyProvider()
const runId = newId()
const start = (channel: 'whatsapp' | 'facebook' | 'telegram') => askingOn(app, provider, channel, runId)

const question = (...titles: string[]): OfferedChoices => ({
  label: 'Choose',
  more: 'More…',
  runId,
  stepId: 's1',
  options: titles.map((title, at) => ({ id: `o${at}`, number: at + 1, title })),
})
const MANY = Array.from({ length: 12 }, (_, at) => `Option ${at + 1}`)

test('WhatsApp gets reply buttons; the tap is a customer’s message with the button’s token, once', async () => {
  const { ask, read, deliver, customer, messages, last } = await start('whatsapp')
  const { message, sent } = await ask('How can we help?', question('My order', 'Opening hours'))
  assert.equal(message.body, 'How can we help?\n\n1. My order\n2. Opening hours')
  assert.deepEqual([message.status, message.senderType], ['sent', 'automation'])
  const { type, interactive } = sent[0]
  assert.deepEqual(
    [type, interactive.type, interactive.body.text],
    ['interactive', 'button', 'How can we help?'],
  )
  const { reply } = interactive.action.buttons[1]
  assert.equal(reply.title, 'Opening hours')
  assert.deepEqual(read(reply.id), { runId, stepId: 's1', number: 2 })
  const tap = customer('', {
    type: 'interactive',
    text: undefined,
    interactive: { type: 'button_reply', button_reply: reply },
  })
  await deliver(tap)
  await deliver(tap)
  assert.equal((await last())?.body, 'Opening hours')
  assert.equal((await messages()).length, 3)
  assert.deepEqual((await last())?.metadata?.choice, {
    kind: 'button',
    id: reply.id,
    title: 'Opening hours',
    description: null,
    answers: null,
  })
})

test('WhatsApp gets more than three options as a list, and more than ten as pages of nine', async () => {
  const { ask, read } = await start('whatsapp')
  const choices = question('One', 'Two', 'Three', 'Four')
  choices.options[1]!.description = 'The second'
  const [list] = (await ask('Which?', choices)).sent
  assert.equal(list.interactive.type, 'list')
  assert.equal(list.interactive.action.button, 'Choose')
  const [section] = list.interactive.action.sections
  assert.deepEqual(
    section.rows.map(({ title, description }: { title: string; description?: string }) => [
      title,
      description,
    ]),
    [
      ['One', undefined],
      ['Two', 'The second'],
      ['Three', undefined],
      ['Four', undefined],
    ],
  )
  const [first] = (await ask('Which?', question(...MANY))).sent
  const { rows } = first.interactive.action.sections[0]
  assert.deepEqual(
    rows.map(({ title }: { title: string }) => title),
    [...MANY.slice(0, 9), 'More…'],
  )
  assert.deepEqual(read(rows[9].id), { runId, stepId: 's1', number: 110 })
})

test('what doesn’t fit WhatsApp’s buttons or lists is numbered text, whole', async () => {
  const { ask } = await start('whatsapp')
  const { message, sent } = await ask('Which?', question('A title of more than twenty-four characters', 'No'))
  assert.equal(sent[0].type, 'text')
  assert.equal(sent[0].text.body, 'Which?\n\n1. A title of more than twenty-four characters\n2. No')
  assert.equal(message.body, sent[0].text.body)
})

test('Messenger gets quick replies; the tap is a customer’s message with the token, once', async () => {
  const { ask, read, deliver, customer, messages, last } = await start('facebook')
  const { sent } = await ask('How can we help?', question('My order', 'Opening hours'))
  const { text, quick_replies: replies } = sent[0].message
  assert.equal(text, 'How can we help?')
  assert.deepEqual([replies[0].content_type, replies[0].title], ['text', 'My order'])
  assert.deepEqual(read(replies[0].payload), { runId, stepId: 's1', number: 1 })
  const tap = customer('My order', { quick_reply: { payload: replies[0].payload } })
  await deliver(tap)
  await deliver(tap)
  assert.equal((await messages()).length, 3)
  assert.equal((await last())?.body, 'My order')
  assert.deepEqual((await last())?.metadata?.choice, {
    kind: 'button',
    id: replies[0].payload,
    title: 'My order',
  })
  const many = await ask('Which?', question(...MANY, 'Thirteen', 'Fourteen'))
  assert.equal(many.sent[0].message.quick_replies, undefined)
  assert.match(many.sent[0].message.text, /\n14\. Fourteen$/)
})

test('Telegram gets an inline keyboard in rows by width, with tokens of at most 64 bytes', async () => {
  const { ask, read } = await start('telegram')
  const { sent } = await ask(
    'How was it?',
    question('1', '2', '3', '4', '5', 'I would rather not say anything'),
  )
  assert.equal(sent[0].text, 'How was it?')
  const keyboard: { text: string; callback_data: string }[][] = sent[0].reply_markup.inline_keyboard
  assert.deepEqual(
    keyboard.map((row) => row.map(({ text }) => text)),
    [['1', '2', '3', '4', '5'], ['I would rather not say anything']],
  )
  for (const { callback_data } of keyboard.flat()) assert.ok(Buffer.byteLength(callback_data) <= 64)
  assert.deepEqual(read(keyboard[1]![0]!.callback_data), { runId, stepId: 's1', number: 6 })
})

const buttonsOf = (
  sent: { reply_markup: { inline_keyboard: { text: string; callback_data: string }[][] } }[],
) => sent[0]!.reply_markup.inline_keyboard.flat()

test('a tap below an old message on Telegram gets its title from what was offered, and its spinner stops', async () => {
  const { ask, deliver, messages, last } = await start('telegram')
  const { sent, message } = await ask('How can we help?', question('My order', 'Opening hours'))
  const { external_id } = (await messages()).find(({ id }) => id === message.id)!
  const messageId = Number(external_id!.split(':')[1])
  const tap = {
    update_id: nextNumber(),
    callback_query: {
      id: '4382bfdwdsb323b2d9',
      from: NIC,
      chat_instance: '1',
      // What is too old to be accessible has only these fields: no text and no keyboard.
      message: { chat: CHAT, message_id: messageId, date: 0 },
      data: buttonsOf(sent)[1]!.callback_data,
    },
  }
  const answer = await deliver(tap)
  await deliver(tap)
  assert.deepEqual(answer.json(), { method: 'answerCallbackQuery', callback_query_id: '4382bfdwdsb323b2d9' })
  assert.equal((await messages()).length, 3)
  assert.equal((await last())?.body, 'Opening hours')
  assert.equal((await last())?.reply_to_message_id, message.id)
  assert.deepEqual((await last())?.metadata?.choice, {
    kind: 'button',
    id: tap.callback_query.data,
    title: 'Opening hours',
  })
  const unknown = { ...tap.callback_query, id: '2', message: { chat: CHAT, message_id: 1, date: 0 } }
  await deliver({ update_id: nextNumber(), callback_query: unknown })
  assert.equal((await last())?.body, 'Tapped a button')
})

test('a tap by somebody else, in a group or below a shared message, is answered and not stored', async () => {
  const { ask, deliver, messages } = await start('telegram')
  const { sent } = await ask('How can we help?', question('My order'))
  const stranger = { id: 99, is_bot: false, first_name: 'Eve' }
  const data = buttonsOf(sent)[0]!.callback_data
  const group = { id: -100123, type: 'supergroup', title: 'Friends' }
  const taps = [
    { from: stranger, message: { chat: group, message_id: 5, date: 0 } },
    { from: NIC, message: { chat: group, message_id: 5, date: 0 } },
    { from: stranger, message: { chat: CHAT, message_id: 5, date: 0 } },
    { from: stranger, inline_message_id: 'AAAA' },
  ]
  for (const tap of taps) {
    const answer = await deliver({
      update_id: nextNumber(),
      callback_query: { id: String(nextNumber()), data, ...tap },
    })
    assert.equal(answer.json().method, 'answerCallbackQuery')
  }
  assert.equal((await messages()).length, 2)
})

test('a retried message offers its options again', async () => {
  const { ask, ctx } = await start('telegram')
  const usual = provider.answer
  provider.answer = (_, response) =>
    json(response, { ok: false, error_code: 400, description: 'Bad Request: chat not found' }, 400)
  const { message, sent } = await ask('How can we help?', question('My order'))
  assert.equal(message.status, 'failed')
  provider.answer = usual
  provider.asked.length = 0
  const retried = await settleMessage(ctx, await retryMessage(ctx, { messageId: message.id }))
  assert.equal(retried.status, 'sent')
  const again = provider.asked.find(({ url }) => url.endsWith('/sendMessage'))
  assert.deepEqual(JSON.parse(again!.text), sent[0])
})
