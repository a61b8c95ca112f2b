import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sms } from '../sms/channel.ts'
import { parseUpdate } from '../telegram/parse.ts'
import { parseWebhook } from '../whatsapp/parse.ts'
import { readableAnswers } from './form-answers.ts'
import { optKeywordOf } from './opt-keywords.ts'

test('the answers in a form become one line, including multiple choices and nested values', () => {
  for (const [answers, line] of [
    [{ size: 'M', toppings: ['ham', 'cheese'], flow_token: 'x' }, 'size: M, toppings: ham + cheese'],
    [{ address: { street: 'Main St 1', city: 'Bonn' } }, 'address: street: Main St 1, city: Bonn'],
    [{ agree: true, count: 0, note: null, none: [] }, 'agree: yes, count: 0'],
    [{ flow_token: 'x' }, null],
    [['a', 'b'], 'a + b'],
  ] as const)
    assert.equal(readableAnswers(JSON.stringify(answers)), line)
  assert.equal(readableAnswers('size=M'), 'size=M')
  assert.equal(readableAnswers(null), null)
  assert.equal(readableAnswers('['.repeat(5_000)), '['.repeat(200))
})

const bodyOf = (message: object): string | undefined => {
  const value = { metadata: { phone_number_id: '1' }, contacts: [], messages: [message] }
  const [item] = parseWebhook(
    JSON.stringify({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] }),
  )
  return item?.type === 'message' ? item.content.body : undefined
}
const from = { from: '16505551234', id: 'wamid.1', timestamp: '1750000000' }

test('the text includes the choices of a WhatsApp form and the product of a question', () => {
  const reply = { name: 'flow', body: 'Sent', response_json: JSON.stringify({ colors: ['red', 'blue'] }) }
  assert.equal(
    bodyOf({ ...from, type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: reply } }),
    'Form: colors: red + blue',
  )
  const context = { referred_product: { catalog_id: '7', product_retailer_id: 'SKU-1' } }
  assert.equal(
    bodyOf({ ...from, type: 'text', text: { body: 'Is it there?' }, context }),
    'Is it there?\nProduct: SKU-1',
  )
  const captured = readFileSync(
    new URL('../whatsapp/testdata/webhooks/product-question.json', import.meta.url),
    'utf8',
  )
  const [item] = parseWebhook(captured)
  assert.ok(item?.type === 'message' && item.quote?.product?.productId)
  assert.ok(item.content.body.endsWith(`\nProduct: ${item.quote.product.productId}`))
})

test('the text includes what a Telegram mini app sends', () => {
  const bodyOfData = (data: string): string | undefined => {
    const message = {
      message_id: 1,
      date: 1_750_000_000,
      chat: { id: 5, type: 'private', first_name: 'Ines' },
      from: { id: 5, first_name: 'Ines' },
      web_app_data: { button_text: 'Order', data },
    }
    const [item] = parseUpdate(JSON.stringify({ update_id: 1, message })).items
    return item?.type === 'message' ? item.body : undefined
  }
  assert.equal(bodyOfData('{"size":"M","extras":["bell","lock"]}'), 'Order: size: M, extras: bell + lock')
  assert.equal(bodyOfData('two tickets'), 'Order: two tickets')
})

test('opt-out keywords are the same on every channel', () => {
  const optKeywordOfSms = (body: string) => {
    const form = new Map([
      ['MessageSid', ['SM1']],
      ['AccountSid', ['AC1']],
      ['From', ['+14155552671']],
      ['To', ['+15005550006']],
      ['Body', [body]],
    ])
    const item = sms.parseMessage(form, 'AC1')
    return item.type === 'message' ? item.wish : undefined
  }
  for (const word of [
    'STOP',
    'Sair',
    'cancelar',
    'désabonner',
    'desuscribir',
    'stop promotions',
    'Opt-out.',
    'baja',
    // As templates show it, and as phones write it.
    '"STOP"',
    '“Stop.”',
    '*stop*',
    'ＳＴＯＰ',
    'STOP\u200b',
    'stop \u{1f6d1}',
    'arre\u0302t',
  ])
    assert.deepEqual([optKeywordOf(word), optKeywordOfSms(word)], ['stop', 'stop'], word)
  assert.deepEqual([optKeywordOf('Start'), optKeywordOfSms('Start')], ['start', 'start'])
  // Twilio's own word for it, which anybody may answer elsewhere.
  assert.deepEqual([optKeywordOf('Yes'), optKeywordOfSms('Yes')], [null, 'start'])
  assert.deepEqual([optKeywordOf('please stop by'), optKeywordOfSms('please stop by')], [null, null])
})
