import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { WhatsappItem } from './items.ts'
import { ITEMS_MAX, parseWebhook } from './parse.ts'

const FOLDER = join(import.meta.dirname, 'testdata/webhooks')
const payload = (name: string): string => readFileSync(join(FOLDER, `${name}.json`), 'utf8')

const only = <Type extends WhatsappItem['type']>(name: string, type: Type) => {
  const items = parseWebhook(payload(name))
  assert.equal(items.length, 1, name)
  const [item] = items
  assert.equal(item?.type, type, name)
  return item as Extract<WhatsappItem, { type: Type }>
}

const INES = {
  userId: null,
  parentUserId: null,
  waId: '16505551234',
  phone: '+16505551234',
  name: 'Ines Duarte',
  username: null,
}
const INES_ID = 'US.13491208655302741918'
const NAMELESS = { ...INES, name: null }

test('a text has its sender, its time and the number that it was sent to', () => {
  const { source, sentAt, externalId, from, content, quote, referral, groupId } = only('text', 'message')
  assert.deepEqual(source, {
    field: 'messages',
    businessAccountId: '102290129340398',
    phoneNumberId: '106540352242922',
    displayPhone: '15550783881',
  })
  assert.equal(sentAt?.toISOString(), new Date(1795000001_000).toISOString())
  assert.equal(externalId, 'wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQzQUE0001')
  assert.deepEqual(from, INES)
  assert.deepEqual([content.kind, content.body], ['text', 'Do you have the lamp in green? 💚'])
  assert.deepEqual([quote, referral, groupId], [null, null, null])
})

const READABLE: [name: string, kind: string, body: string][] = [
  ['image', 'image', 'The scratch is here'],
  ['image-without-caption', 'image', 'Image'],
  ['document', 'document', 'invoice 4711.pdf'],
  ['voice', 'audio', 'Voice message'],
  ['video', 'video', 'Video'],
  ['sticker', 'sticker', 'Sticker'],
  ['location', 'location', 'Location: Northwind Lisboa, Rua Augusta 100, Lisboa, 38.7077507, -9.1365919'],
  ['location-pin', 'location', 'Location: 38.7077507, -9.1365919'],
  ['contacts', 'contacts', 'Contacts: Rui Prado, +351 912 345 678; (unnamed)'],
  ['button-reply', 'choice', 'Medium'],
  ['list-reply', 'choice', 'Tuesday, 10:00'],
  ['form-reply', 'choice', 'Form: rating: 4, comment: Quick and kind'],
  ['template-button', 'choice', 'Stop'],
  ['order', 'order', 'Order: 2 × lamp-green at 30 EUR, 1 × bulb at 4.5 EUR\nPlease wrap it'],
  ['welcome', 'welcome', 'Opened the chat'],
  [
    'unsupported',
    'unsupported',
    'Unsupported message (poll_creation): Message type is currently not supported.',
  ],
  ['kind-of-tomorrow', 'unsupported', 'Unsupported message (hologram)'],
]

for (const [name, kind, body] of READABLE)
  test(`a message is readable: ${name}`, () => {
    const { content, from } = only(name, 'message')
    assert.deepEqual([content.kind, content.body], [kind, body])
    assert.deepEqual(from, INES)
  })

test('a file has what is needed to download it', () => {
  assert.deepEqual(only('image', 'message').content.media, {
    type: 'image',
    mediaId: '1003383421387256',
    mimeType: 'image/jpeg',
    fileName: null,
    sha256: 'SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=',
    isVoice: false,
    url: 'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1003383421387256&ext=1795000300&hash=ARx',
  })
  assert.equal(only('document', 'message').content.media?.fileName, 'invoice 4711.pdf')
  const voice = only('voice', 'message').content.media
  assert.deepEqual([voice?.type, voice?.isVoice, voice?.mimeType], ['audio', true, 'audio/ogg; codecs=opus'])
  assert.equal(only('sticker', 'message').content.media?.type, 'sticker')
})

test('a choice is kept as data besides its text', () => {
  const choiceOf = (name: string) => only(name, 'message').content.choice
  const base = { id: null, title: null, description: null, answers: null }
  assert.deepEqual(choiceOf('button-reply'), { ...base, kind: 'button', id: 'size:m', title: 'Medium' })
  assert.deepEqual(choiceOf('list-reply'), {
    ...base,
    kind: 'list',
    id: 'slot-3',
    title: 'Tuesday, 10:00',
    description: 'With Ana',
  })
  assert.deepEqual(choiceOf('template-button'), {
    ...base,
    kind: 'templateButton',
    id: 'stop-offers',
    title: 'Stop',
  })
  const form = choiceOf('form-reply')
  assert.deepEqual(JSON.parse(form?.answers ?? ''), {
    flow_token: 'unused',
    rating: 4,
    comment: 'Quick and kind',
  })
})

test('places, people and orders are kept as data', () => {
  const { location } = only('location', 'message').content
  assert.deepEqual([location?.latitude, location?.longitude], [38.7077507, -9.1365919])
  const [rui, nobody] = only('contacts', 'message').content.contacts
  assert.deepEqual(rui, {
    name: 'Rui Prado',
    company: 'Prado Lda',
    phones: [{ phone: '+351 912 345 678', waId: '351912345678', label: 'MOBILE' }],
    emails: ['rui@prado.example'],
  })
  assert.deepEqual(nobody, { name: null, company: null, phones: [], emails: [] })
  assert.deepEqual(only('order', 'message').content.order?.items[1], {
    productId: 'bulb',
    quantity: 1,
    price: 4.5,
    currency: 'EUR',
  })
})

test('an unsupported message is kept as it is, with the provider’s reason', () => {
  const known = only('unsupported', 'message').content
  assert.equal(known.failure?.code, '131051')
  const tomorrow = only('kind-of-tomorrow', 'message').content
  assert.deepEqual(JSON.parse(tomorrow.raw ?? '').hologram, { id: '1', depth: 3 })
})

test('a quote, a forward, a product and an ad are kept', () => {
  assert.deepEqual(only('reply', 'message').quote, {
    messageId: 'wamid.OUT0006',
    isForwarded: false,
    product: null,
  })
  assert.deepEqual(only('forwarded', 'message').quote, { messageId: null, isForwarded: true, product: null })
  assert.deepEqual(only('product-question', 'message').quote?.product, {
    catalogId: '194836987003835',
    productId: 'lamp-green',
  })
  assert.deepEqual(only('advertisement', 'message').referral, {
    sourceType: 'ad',
    sourceId: '120226305854810726',
    sourceUrl: 'https://fb.me/3cr4Wqqkv',
    headline: 'Lamps for every room',
    body: 'Ten days left',
    mediaUrl: 'https://scontent.example/ad.jpg',
    clickId: 'Aff-n8ZTODiE79d22KtAwQKj9e',
  })
  assert.equal(only('group', 'message').groupId, 'Y2FwaV9ncm91cDox')
})

test('a reaction, its removal, an edit and a deletion refer to their message', () => {
  const reaction = only('reaction', 'reaction')
  assert.deepEqual([reaction.targetId, reaction.emoji, reaction.isEcho], ['wamid.OUT0005', '👍', false])
  assert.equal(only('reaction-removed', 'reaction').emoji, null)
  const emptied = payload('reaction-removed').replace('"message_id"', '"emoji":"","message_id"')
  const [item] = parseWebhook(emptied)
  assert.ok(item?.type === 'reaction' && item.emoji === null)
  const edit = only('edit', 'edit')
  assert.deepEqual([edit.targetId, edit.content.body], ['wamid.IN0001', 'I meant Wednesday'])
  assert.equal(only('revoke', 'revoke').targetId, 'wamid.IN0001')
})

test('a changed number has the old and the new one, also in the old payload format', () => {
  for (const name of ['number-changed', 'number-changed-old-form']) {
    const { change, previous, next } = only(name, 'identity')
    assert.equal(change, 'phone')
    assert.deepEqual([previous.phone, next.phone], ['+16505551234', '+12195555358'])
  }
  const { change, previous, next } = only('user-id-changed', 'identity')
  assert.deepEqual([change, previous.userId, next.userId], ['userId', INES_ID, 'PT.99818273645546372819'])
  const key = only('key-changed', 'identity')
  assert.deepEqual([key.change, key.previous, key.next], ['key', INES, INES])
})

test('a customer without a phone number is identified by the business-scoped id', () => {
  assert.deepEqual(only('user-id-only', 'message').from, {
    userId: INES_ID,
    parentUserId: 'US.ENT.11815799212886844830',
    waId: null,
    phone: null,
    name: 'Ines D.',
    username: 'ines.lamps',
  })
  assert.deepEqual(only('user-id-and-number', 'message').from, { ...INES, userId: INES_ID })
  assert.deepEqual(only('user-id-in-from', 'message').from, {
    ...INES,
    userId: INES_ID,
    waId: null,
    phone: null,
  })
})

test('contacts are matched by id, in any order', () => {
  const named = parseWebhook(payload('batch')).flatMap((item) =>
    item.type === 'message' ? [`${item.from.name} ${item.from.waId}: ${item.content.body}`] : [],
  )
  assert.deepEqual(named, [
    'Ines Duarte 16505551234: first of the batch',
    'Rui Prado 351912345678: second',
    'null 16505551234: to another number',
  ])
})

test('a contact with another id doesn’t give its name, even if it is the only one', () => {
  const [item] = parseWebhook(payload('text').replace('"wa_id":"16505551234"', '"wa_id":"351912345678"'))
  assert.ok(item?.type === 'message')
  assert.deepEqual(item.from, NAMELESS)
})

test('an id that isn’t a phone number is kept, without a phone', () => {
  const [item] = parseWebhook(payload('text').replaceAll('16505551234', 'not-a-number'))
  assert.ok(item?.type === 'message')
  assert.deepEqual([item.from.waId, item.from.phone], ['not-a-number', null])
})

test('every entry and change of a batch is read, with its own number', () => {
  const items = parseWebhook(payload('batch'))
  assert.deepEqual(
    items.map(({ type, source }) => `${type} ${source.phoneNumberId} ${source.businessAccountId}`),
    [
      'message 106540352242922 102290129340398',
      'message 106540352242922 102290129340398',
      'status 106540352242922 102290129340398',
      'status 106540352242922 102290129340398',
      'template null 102290129340398',
      'message 106540352242923 102290129340399',
    ],
  )
})

test('a message from the WhatsApp Business app is an echo', () => {
  const { to, content, externalId } = only('echo', 'echo')
  assert.deepEqual([to, content.body, externalId], [INES, 'Answered from the phone', 'wamid.ECHO0001'])
  const revoked = only('echo-revoked', 'revoke')
  assert.deepEqual([revoked.isEcho, revoked.targetId, revoked.person], [true, 'wamid.ECHO0001', NAMELESS])
})

test('a status has our id of the attempt, and a failure its classified reason', () => {
  for (const status of ['sent', 'delivered', 'read']) {
    const item = only(`status-${status}`, 'status')
    assert.deepEqual(
      [item.status, item.externalId, item.callbackData, item.failure, item.recipient.waId],
      [status, 'wamid.OUT0008', 'msg_01JD3XK2', null, '16505551234'],
    )
  }
  const failed = only('status-failed', 'status')
  assert.deepEqual([failed.failure?.code, failed.failure?.kind], ['131047', 'windowClosed'])
  const user = only('status-user-id', 'status').recipient
  assert.deepEqual([user.userId, user.waId, user.username], [INES_ID, null, 'ines.lamps'])
  const group = only('status-group', 'status')
  assert.deepEqual([group.groupId, group.recipient.waId], ['Y2FwaV9ncm91cDox', '16505551234'])
})

test('a failure without errors is still a failure', () => {
  const [item] = parseWebhook(payload('status-delivered').replace('"delivered"', '"failed"'))
  assert.ok(item?.type === 'status')
  assert.deepEqual([item.failure?.outcome, item.failure?.code], ['refused', 'UNKNOWN'])
})

test('an unknown status is kept as it is', () => {
  const item = only('status-deleted', 'unknown')
  assert.equal(JSON.parse(item.raw).status, 'deleted')
})

test('template changes have the template’s name and its exact id, even beyond 2^53', () => {
  const rejected = only('template-rejected', 'template')
  assert.deepEqual(
    [rejected.change, rejected.value, rejected.reason, rejected.templateId, rejected.name, rejected.language],
    ['status', 'REJECTED', 'PROMOTIONAL', '1689556908129832001', 'spring_sale', 'en_US'],
  )
  const quality = only('template-quality', 'template')
  assert.deepEqual([quality.change, quality.value], ['quality', 'YELLOW'])
  const category = only('template-category', 'template')
  assert.deepEqual([category.change, category.value], ['category', 'MARKETING'])
})

test('stopping or resuming marketing is a preference, in both payload formats', () => {
  const stopped = only('marketing-stopped', 'preference')
  assert.deepEqual([stopped.marketing, stopped.person], ['stop', INES])
  assert.equal(stopped.sentAt?.getTime(), 1795000300_000)
  assert.equal(only('marketing-resumed-as-message', 'preference').marketing, 'resume')
})

test('account events are separate from messages', () => {
  const restricted = only('account-restricted', 'account')
  assert.deepEqual([restricted.event, restricted.source.displayPhone], ['ACCOUNT_RESTRICTION', '15550783881'])
  const error = only('account-error', 'account')
  assert.deepEqual([error.failure?.code, error.failure?.kind], ['130429', 'tooFast'])
})

test('an unknown field is kept as it is', () => {
  const call = only('call', 'unknown')
  assert.deepEqual([call.reason, call.source.field], ['field', 'calls'])
  assert.equal(JSON.parse(call.raw).value.calls[0].id, 'wacid.1')
  for (const field of ['constructor', '__proto__', 'toString', '']) {
    const [item] = parseWebhook(payload('call').replace('"calls"}', `${JSON.stringify(field)}}`))
    assert.equal(item?.type, 'unknown', field)
  }
})

test('ids and times may be numbers, and times in milliseconds', () => {
  const body = payload('text')
    .replace(/"from":"(\d+)"/, '"from":$1')
    .replace(/"timestamp":"(\d+)"/, '"timestamp":$1000')
    .replace('"phone_number_id":"106540352242922"', '"phone_number_id":10654035224292212345')
    .replace('"id":"102290129340398"', '"id":-9007199254740993')
  const [item] = parseWebhook(body)
  assert.ok(item?.type === 'message')
  assert.deepEqual(item.from, INES)
  assert.equal(item.sentAt?.getTime(), 1795000001_000)
  assert.equal(item.source.phoneNumberId, '10654035224292212345')
  assert.equal(item.source.businessAccountId, '-9007199254740993')
})

test('an invalid time is omitted', () => {
  for (const timestamp of ['"soon"', '""', 'null', '-5', '0', '1e300', '{}', '"99999999999999999999"']) {
    const [item] = parseWebhook(payload('text').replace(/"timestamp":"\d+"/, `"timestamp":${timestamp}`))
    assert.ok(item?.type === 'message' && item.sentAt === null, timestamp)
  }
})

test('digits in text are unchanged', () => {
  const written = 'Order "12345678901234567890", [12345678901234567890] \\" 98765432109876543210 \\\\'
  const [item] = parseWebhook(
    payload('text').replace(/"body":"[^"]*"/, () => `"body":${JSON.stringify(written)}`),
  )
  assert.ok(item?.type === 'message')
  assert.equal(item.content.body, written)
})

test('text is made valid for the database: NUL is removed, and a lone surrogate replaced', () => {
  const [item] = parseWebhook(
    payload('text')
      .replace(/"body":"[^"]*"/, '"body":"a\\u0000b\\ud83d"')
      .replace('Ines Duarte', ' Ines\\u0000\\n Duarte\\t '),
  )
  assert.ok(item?.type === 'message')
  assert.equal(item.content.body, 'ab\ufffd')
  assert.equal(item.from.name, 'Ines Duarte')
})

test('a message without an id or a sender is kept as it is', () => {
  for (const body of [
    payload('text').replace(/"id":"wamid[^"]*"/, '"id":null'),
    payload('number-changed')
      .replace('"type":"system"', '"type":"text"')
      .replace('"from":"16505551234",', ''),
    payload('reaction').replace('"wamid.OUT0005"', 'null'),
    payload('number-changed').replaceAll('12195555358', ''),
  ]) {
    const [item] = parseWebhook(body)
    assert.ok(item?.type === 'unknown' && item.reason === 'shape', body)
  }
})

test('a body that isn’t JSON, is nested too deeply or is too large is kept whole', () => {
  const reasonOf = (body: string) => {
    const [item, ...more] = parseWebhook(body)
    assert.equal(more.length, 0)
    assert.ok(item?.type === 'unknown')
    assert.equal(item.raw, body)
    return item.reason
  }
  for (const body of ['', 'hello', '{', '{"entry":', '"\\', '[1,]', '\u0000'])
    assert.equal(reasonOf(body), 'notJson')
  for (const body of [
    'null',
    '1',
    '[]',
    '{}',
    '{"entry":[]}',
    '{"entry":{}}',
    '"entry"',
    '12345678901234567890',
  ])
    assert.equal(reasonOf(body), 'shape', body)
  assert.equal(reasonOf('['.repeat(1_000_000)), 'tooDeep')
  assert.equal(reasonOf('{"a":'.repeat(100_000)), 'tooDeep')
  const many = Array.from({ length: ITEMS_MAX }, () => '{}').join()
  assert.equal(
    reasonOf(`{"entry":[{"changes":[{"field":"messages","value":{"messages":[${many}]}}]}]}`),
    'tooMany',
  )
  assert.equal(
    reasonOf(`{"entry":[{"changes":[{"field":"messages","value":{"statuses":[${many}]}}]}]}`),
    'tooMany',
  )
  assert.equal(reasonOf(`{"entry":[{"changes":[${many},{}]}]}`), 'tooMany')
  assert.equal(reasonOf(`{"entry":[${many},{}]}`), 'tooMany')
})

test('the largest possible batch is read quickly', () => {
  const people = Array.from({ length: 8_000 }, (_, index) => ({
    wa_id: `1650${5_550_000 + index}`,
    profile: { name: `Customer ${index}` },
  }))
  const messages = people.map(({ wa_id }, index) => ({
    from: wa_id,
    id: `wamid.${index}`,
    timestamp: '1795000000',
    type: 'text',
    text: { body: 'x'.repeat(100) },
  }))
  const value = { metadata: { phone_number_id: '1' }, contacts: people, messages }
  const body = JSON.stringify({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] })
  const before = performance.now()
  const items = parseWebhook(body)
  const tookMs = performance.now() - before
  assert.equal(items.length, 8_000)
  assert.ok(items.every((item) => item.type === 'message' && item.from.name))
  assert.ok(tookMs < 3_000, `${tookMs} ms`)
})

const names = readdirSync(FOLDER).map((file) => file.slice(0, -'.json'.length))

/** One value somewhere inside replaced by another. */
const replaceAt = (value: unknown, path: number, replacement: unknown): unknown => {
  if (typeof value !== 'object' || value === null || path === 0) return replacement
  const keys = Object.keys(value)
  if (keys.length === 0) return replacement
  const key = keys[path % keys.length]!
  const inner = replaceAt(
    (value as Record<string, unknown>)[key],
    Math.floor(path / keys.length),
    replacement,
  )
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? inner : item))
  return { ...value, [key]: inner }
}

test('no JSON makes the parser throw, and every item is kept', () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.nat(), fc.jsonValue(), (name, path, replacement) => {
      const broken = replaceAt(JSON.parse(payload(name)), path, replacement)
      assert.ok(parseWebhook(JSON.stringify(broken)).length > 0)
    }),
    { numRuns: 1_500 },
  )
  fc.assert(
    fc.property(fc.json(), (body) => {
      assert.ok(parseWebhook(body).length > 0)
    }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.nat(), (name, cut) => {
      const body = payload(name)
      assert.ok(parseWebhook(body.slice(0, cut % body.length)).length > 0)
    }),
  )
})

test('an id in an unknown format doesn’t replace a known one', () => {
  const value = {
    metadata: { phone_number_id: '1' },
    messages: [
      {
        ...{ from: '16505551234', from_user_id: 'new-form:77', id: 'wamid.1', timestamp: '1750000000' },
        ...{ type: 'text', text: { body: 'Hello' } },
      },
    ],
  }
  const [item] = parseWebhook(
    JSON.stringify({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] }),
  )
  assert.ok(item?.type === 'message')
  assert.deepEqual([item.from.waId, item.from.phone], ['16505551234', '+16505551234'])
})
