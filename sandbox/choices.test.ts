// Buttons on the phones, as the providers take them from a business and send their taps.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { until } from '../test/until.ts'
import { startSandbox } from './sandbox.ts'

// biome-ignore lint/suspicious/noExplicitAny: each provider's messages have their own shape
type Any = any
const received: { path: string; body: Any }[] = []
/** The response to the next updates, which Telegram takes as a call. */
let response: object = {}
const business = createServer(async (request, reply) => {
  let text = ''
  for await (const chunk of request) text += chunk
  received.push({ path: request.url!, body: JSON.parse(text) })
  reply.end(JSON.stringify(response))
}).listen(0, '127.0.0.1')
await new Promise((resolve) => business.once('listening', resolve))
const here = `http://127.0.0.1:${(business.address() as AddressInfo).port}`

const sandbox = await startSandbox({
  customers: true,
  connections: {
    telegram: { botToken: '7:token', webhookUrl: `${here}/telegram` },
    messenger: { pageId: '77', accessToken: 'page', webhookUrl: `${here}/messenger` },
  },
  settings: { webhookUrl: `${here}/whatsapp`, statusDelays: { sentMs: 0, deliveredMs: 0, readMs: 0 } },
} as Parameters<typeof startSandbox>[0])
const { control } = sandbox
after(async () => {
  await sandbox.stop()
  business.close()
})
const person = control.people()[1]!
const post = async (path: string, body: object): Promise<Any> => {
  const answer = await fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer page' },
    body: JSON.stringify(body),
  })
  return answer.json()
}
const nth = async (path: string, fits: (body: Any) => unknown): Promise<Any> => {
  const find = () => received.find((one) => one.path === path && fits(one.body))?.body
  await until(() => find() !== undefined, `a webhook at ${path}`)
  return find()
}

control.writeChat(person.id, 'telegram', { type: 'text', text: 'Hello' })
control.writeChat(person.id, 'messenger', { type: 'text', text: 'Hello' })

const telegram = (more: object) =>
  post('/bot7:token/sendMessage', { chat_id: person.telegramId, text: 'How can we help?', ...more })
const keyboardOf = (...buttons: object[]) => ({ reply_markup: { inline_keyboard: [buttons] } })
const button = (text: string, data: string) => ({ text, callback_data: data })

test('Telegram refuses a keyboard in its own words', async () => {
  const refused: [object, string][] = [
    [keyboardOf(button('Yes', 'x'.repeat(65))), 'Bad Request: BUTTON_DATA_INVALID'],
    [keyboardOf(button('Yes', '😀'.repeat(17))), 'Bad Request: BUTTON_DATA_INVALID'],
    [keyboardOf(button('Yes', '')), 'Bad Request: BUTTON_DATA_INVALID'],
    [
      keyboardOf({ text: 'Yes' }),
      "Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    ],
    [{ reply_markup: '{' }, "Bad Request: can't parse reply keyboard markup JSON object"],
    [{ reply_markup: 7 }, 'Bad Request: object expected as reply markup'],
  ]
  for (const [more, description] of refused)
    assert.deepEqual(await telegram(more), { ok: false, error_code: 400, description })
  assert.equal((await telegram(keyboardOf(button('Yes', 'x'.repeat(64))))).ok, true)
})

test('a tap on Telegram is a callback query; its button has a spinner until the bot answers it', async () => {
  const { result } = await telegram(keyboardOf(button('My order', 'order'), button('Hours', 'hours')))
  const messageId = String(result.message_id)
  const shown = () => control.chat(person.id, 'telegram').find(({ id }) => id === messageId)?.content
  assert.equal(control.writeChat(person.id, 'telegram', { type: 'tap', messageId, choice: 'hours' }), null)
  assert.equal(shown()?.tapped, 'hours')
  const { callback_query: query } = await nth('/telegram', (body) => body.callback_query?.data === 'hours')
  assert.equal(query.from.id, Number(person.telegramId))
  assert.equal(query.message.text, 'How can we help?')
  assert.equal(query.message.reply_markup.inline_keyboard[0][1].text, 'Hours')
  assert.equal(shown()?.tapped, 'hours', 'a response without a call answers nothing')
  const answer = { callback_query_id: query.id }
  assert.equal((await post('/bot7:token/answerCallbackQuery', answer)).result, true)
  assert.equal(shown()?.tapped, undefined)
  const late = await post('/bot7:token/answerCallbackQuery', answer)
  assert.match(late.description, /query is too old/)
  assert.throws(
    () => control.writeChat(person.id, 'telegram', { type: 'tap', messageId, choice: 'other' }),
    /no button "other"/,
  )
})

test('a bot may answer a tap with its response, and a tap below an old message has no content', async () => {
  const { result } = await telegram(keyboardOf(button('My order', 'late')))
  const messageId = String(result.message_id)
  await control.advance(49)
  control.writeChat(person.id, 'telegram', { type: 'tap', messageId, choice: 'My order' })
  const { callback_query: query } = await nth('/telegram', (body) => body.callback_query?.data === 'late')
  assert.deepEqual(query.message, { chat: query.message.chat, message_id: result.message_id, date: 0 })
  const shown = () => control.chat(person.id, 'telegram').find(({ id }) => id === messageId)?.content
  response = { method: 'answerCallbackQuery', callback_query_id: query.id }
  control.writeChat(person.id, 'telegram', { type: 'text', text: 'Hello?' })
  await until(() => shown()?.tapped === undefined, 'the spinner to stop')
  response = {}
})

const messenger = (replies: unknown) =>
  post('/v25.0/me/messages', {
    recipient: { id: person.psid },
    message: { text: 'How can we help?', quick_replies: replies },
  })
const reply = (title: string, payload = title) => ({ content_type: 'text', title, payload })

test('Messenger refuses quick replies in its own words', async () => {
  control.writeChat(person.id, 'messenger', { type: 'text', text: 'Still there?' })
  const refused: [unknown, string][] = [
    [
      [reply('Yes'), reply('x'.repeat(21))],
      '(#100) Length of param message[quick_replies][1][title] must be less than or equal to 20',
    ],
    [
      [reply('Yes', 'x'.repeat(1001))],
      '(#100) Length of param message[quick_replies][0][payload] must be less than or equal to 1000',
    ],
    [
      Array.from({ length: 14 }, (_, at) => reply(`${at}`)),
      '(#100) Length of param message[quick_replies] must be less than or equal to 13',
    ],
    [[reply('')], '(#100) Param message[quick_replies][0][title] must be a non-empty UTF-8 encoded string'],
  ]
  for (const [replies, message] of refused) {
    const { error } = await messenger(replies)
    assert.deepEqual([error.code, error.message], [100, message])
  }
  assert.ok((await messenger([reply('x'.repeat(20), 'x'.repeat(1000))])).message_id)
})

test('a tap on Messenger sends the title with the payload, while the message is the latest', async () => {
  const { message_id: messageId } = await messenger([reply('My order', 'order'), reply('Hours', 'hours')])
  const tap = () => control.writeChat(person.id, 'messenger', { type: 'tap', messageId, choice: 'Hours' })
  assert.equal(tap()?.content.text, 'Hours')
  const body = await nth('/messenger', ({ entry }) => entry[0].messaging[0].message?.quick_reply)
  const { sender, message } = body.entry[0].messaging[0]
  assert.equal(sender.id, person.psid)
  assert.deepEqual([message.text, message.quick_reply], ['Hours', { payload: 'hours' }])
  assert.throws(tap, /disappear with the next message/)
})
