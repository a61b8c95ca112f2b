// The sandbox as a Graph API caller and webhook receiver sees it: over HTTP only.
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type SandboxOptions, startSandbox } from './sandbox.ts'
import { sign } from './whatsapp/signed-headers.ts'
import { escapeAscii } from './whatsapp/webhooks.ts'

// biome-ignore lint/suspicious/noExplicitAny: responses are inspected, not modelled
type Any = any

const WAIT_MAX_MS = 10_000
const NUMBER = '106540352242922'
const ACCOUNT = '102290129340398'
const TO = '+4915123456789'

/** A webhook receiver that records every request. */
const startReceiver = async () => {
  const requests: { body: Buffer; headers: IncomingMessage['headers']; json: Any }[] = []
  const state = { http: 200, verifyToken: 'verify' }
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://receiver')
    if (request.method === 'GET') {
      const isProven = url.searchParams.get('hub.verify_token') === state.verifyToken
      response.writeHead(isProven ? 200 : 403).end(url.searchParams.get('hub.challenge'))
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      requests.push({ body, headers: request.headers, json: JSON.parse(body.toString()) })
      response.writeHead(state.http).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const values = (): Any[] =>
    requests.flatMap(({ json }) =>
      json.entry.flatMap((entry: Any) => entry.changes.map((one: Any) => one.value)),
    )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    state,
    requests,
    values,
    statuses: (): Any[] => values().flatMap(({ statuses = [] }) => statuses),
    messages: (): Any[] => values().flatMap(({ messages = [] }) => messages),
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const until = async <T>(what: string, find: () => T | undefined | false | Promise<T | undefined | false>) => {
  const deadline = Date.now() + WAIT_MAX_MS
  for (;;) {
    const found = await find()
    if (found) return found
    if (Date.now() > deadline) assert.fail(`not within ${WAIT_MAX_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

type World = Awaited<ReturnType<typeof open>>

const open = async (options: SandboxOptions = {}) => {
  const receiver = await startReceiver()
  const sandbox = await startSandbox({
    webhookUrl: receiver.url,
    accessToken: 'token',
    appSecret: 'secret',
    verifyToken: 'verify',
    ...options,
    // One at a time, so that the order can be compared.
    webhooks: { concurrency: 1, ...options.webhooks },
    statusDelays: { sentMs: 0, deliveredMs: 0, readMs: 0, ...options.statusDelays },
  })
  const call = async (method: string, path: string, body?: unknown, token = 'token') => {
    const response = await fetch(`${sandbox.url}/v25.0/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return { http: response.status, headers: response.headers, body: (await response.json()) as Any }
  }
  const send = (message: Record<string, unknown> = {}) =>
    call('POST', `${NUMBER}/messages`, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: TO,
      type: 'text',
      text: { body: 'Hello' },
      ...message,
    })
  const sendTemplate = (
    name: string,
    components?: unknown,
    more: Record<string, unknown> = {},
    language = 'en_US',
  ) =>
    send({
      type: 'template',
      text: undefined,
      template: { name, language: { code: language }, components },
      ...more,
    })
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${sandbox.url}/control${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return { http: response.status, body: (await response.json()) as Any }
  }
  const customer = sandbox.control.addCustomer({ phone: TO, profileName: 'Änne' })
  /** The customer writes, which opens the reply window. */
  const openWindow = () => sandbox.control.write(customer.id, { type: 'text', text: 'Hi' })
  return { sandbox, receiver, call, send, sendTemplate, control, customer, openWindow }
}

const within = async (work: (world: World) => Promise<void>, options: SandboxOptions = {}) => {
  const world = await open(options)
  try {
    await work(world)
  } finally {
    await world.sandbox.stop()
    world.receiver.stop()
  }
}

const body = (...texts: string[]) => ({
  type: 'body',
  parameters: texts.map((text) => ({ type: 'text', text })),
})
const button = (index: number | string, sub_type: string, parameter: unknown) => ({
  type: 'button',
  sub_type,
  index,
  parameters: [parameter],
})

const UNLIMITED: SandboxOptions = { messagesPerSecond: null, enforcePairRate: false }

test('a reply inside the window is accepted, recorded, and followed by three signed statuses with the caller’s own data', () =>
  within(async ({ send, openWindow, receiver, control }) => {
    openWindow()
    const { http, body: answer } = await send({ biz_opaque_callback_data: 'our-id' })
    assert.equal(http, 200)
    assert.deepEqual(answer.contacts[0].wa_id, '4915123456789')
    const { id } = answer.messages[0]
    assert.match(id, /^wamid\./)
    await until('three statuses', () => receiver.statuses().length === 3)
    assert.deepEqual(
      receiver
        .statuses()
        .map((status) => [status.id, status.status, status.biz_opaque_callback_data, status.recipient_id]),
      ['sent', 'delivered', 'read'].map((status) => [id, status, 'our-id', '4915123456789']),
    )
    for (const { body, headers } of receiver.requests)
      assert.equal(
        headers['x-hub-signature-256'],
        `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`,
      )
    const { sent, total } = (await control('GET', '/sent')).body
    assert.equal(total, 1)
    assert.deepEqual([sent[0].id, sent[0].opaque, sent[0].status], [id, 'our-id', 'read'])
  }))

test('a webhook’s body is ASCII, escaped as Meta escapes it, and those bytes are signed', () =>
  within(async ({ receiver, sandbox, customer }) => {
    sandbox.control.write(customer.id, { type: 'text', text: 'äöå 👍 https://x.io a@b.c <b>' })
    const { body, json } = await until('a message', () => receiver.requests[0])
    assert.match(
      body.toString('latin1'),
      /\\u00e4\\u00f6\\u00e5 \\ud83d\\udc4d https:\\\/\\\/x\.io a\\u0040b\.c \\u003Cb>/,
    )
    assert.ok(body.every((byte) => byte < 0x7f))
    assert.equal(json.entry[0].changes[0].value.messages[0].text.body, 'äöå 👍 https://x.io a@b.c <b>')

    const known = Buffer.from(
      escapeAscii(
        '{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},"contacts":[{"profile":{"name":"Änne"},"wa_id":"16505551234"}],"messages":[{"from":"16505551234","id":"wamid.T","timestamp":"1749416383","type":"text","text":{"body":"äöå 👍 https://x.io a@b.c"}}]}}]}]}',
      ),
    )
    assert.equal(
      sign(known, 'app-secret'),
      '3a0792e866743a32f9515004dab53e23758edf73e7f6201cf8deaf1b8c42c3ad',
    )
  }))

test('the token, its permissions, the node and the version are checked before anything else', () =>
  within(async ({ call, send, control, sandbox }) => {
    const wrong = await call('POST', `${NUMBER}/messages`, { messaging_product: 'whatsapp' }, 'other')
    assert.deepEqual([wrong.http, wrong.body.error.code, wrong.body.error.type], [401, 190, 'OAuthException'])
    assert.match(wrong.body.error.fbtrace_id, /^A[\w-]{22}$/)
    assert.ok(wrong.headers.get('www-authenticate'))
    const unknown = await call('POST', '999/messages', { messaging_product: 'whatsapp' })
    assert.deepEqual(
      [unknown.http, unknown.body.error.code, unknown.body.error.error_subcode],
      [400, 100, 33],
    )
    const old = await fetch(`${sandbox.url}/v20.0/${NUMBER}`)
    assert.equal(((await old.json()) as Any).error.code, 2635)
    await control('PATCH', '/settings', { permissions: { messaging: false } })
    const refused = await send()
    assert.deepEqual([refused.http, refused.body.error.code], [403, 10])
  }))

test('an incomplete or invalid message is rejected with Meta’s error code', () =>
  within(async ({ send, openWindow, sandbox }) => {
    openWindow()
    const cases: [Record<string, unknown>, number, RegExp?][] = [
      [{ messaging_product: 'sms' }, 100, /messaging_product/],
      [{ to: undefined }, 100, /parameter to is required/],
      [{ to: 'nobody' }, 100],
      [{ to: '+1 555 078 3881' }, 131021],
      [{ to: undefined, recipient: 'not-an-id' }, 100],
      [{ type: 'poll' }, 100, /Param type must be one of/],
      [{ text: { body: '' } }, 100],
      [{ text: { body: 'x'.repeat(4097) } }, 100, /4096/],
      [{ biz_opaque_callback_data: 'x'.repeat(513) }, 100],
      [{ context: {} }, 100],
      [{ type: 'image', image: {} }, 100],
      [{ type: 'image', image: { id: '1' } }, 100, /media attachment ID/],
      [{ type: 'image', image: { link: 'ftp://x' } }, 100],
      [{ type: 'audio', audio: { link: 'https://x.io/a.ogg', caption: 'no' } }, 100],
      [{ type: 'location', location: { latitude: 100, longitude: 0 } }, 100],
      [{ type: 'contacts', contacts: [{}] }, 100],
      [{ type: 'reaction', reaction: { message_id: 'wamid.x', emoji: 'no' } }, 131009],
      [
        {
          type: 'interactive',
          interactive: { type: 'button', body: { text: 'x' }, action: { buttons: [] } },
        },
        131009,
      ],
      [
        {
          type: 'interactive',
          interactive: {
            type: 'button',
            body: { text: 'x' },
            action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'x'.repeat(21) } }] },
          },
        },
        131009,
        /Max length: 20/,
      ],
    ]
    for (const [message, code, words] of cases) {
      const { http, body } = await send(message)
      assert.deepEqual([http, body.error?.code], [400, code], JSON.stringify(message))
      if (words) assert.match(body.error.message + body.error.error_data?.details, words)
    }
    assert.equal(sandbox.control.sent().total, 0)
    assert.equal((await send({ to: '4915123456789', type: undefined })).http, 200)
  }))

test('any invalid request gets an error in Meta’s format, never a sandbox failure', () =>
  within(async ({ send, openWindow }) => {
    openWindow()
    const junk = [null, 1, 'x', [], {}, [null], [{}], { a: null }]
    const shapes = (one: unknown): Record<string, unknown>[] => [
      { to: one },
      { to: undefined, recipient: one },
      { type: one },
      { context: one },
      { text: one },
      { text: { body: one } },
      { biz_opaque_callback_data: one },
      ...['image', 'document', 'location', 'contacts', 'reaction', 'interactive', 'template'].map((type) => ({
        type,
        [type]: one,
      })),
      { type: 'image', image: { id: one } },
      { type: 'image', image: { link: one } },
      { type: 'template', template: { name: one, language: one } },
      {
        type: 'template',
        template: { name: 'delivery_update', language: { code: 'en_US' }, components: one },
      },
      {
        type: 'template',
        template: {
          name: 'delivery_update',
          language: { code: 'en_US' },
          components: [
            { type: 'header', parameters: [{ type: 'image', image: one }] },
            { type: 'body', parameters: one },
            { type: 'button', index: one, parameters: one },
          ],
        },
      },
      { type: 'interactive', interactive: { type: 'button', body: one, action: one } },
      { type: 'interactive', interactive: { type: 'button', body: { text: 'x' }, action: { buttons: one } } },
      {
        type: 'interactive',
        interactive: { type: 'list', body: { text: 'x' }, action: { button: 'x', sections: one } },
      },
      {
        type: 'interactive',
        interactive: {
          type: 'list',
          body: { text: 'x' },
          action: { button: 'x', sections: [{ rows: one }] },
        },
      },
      { status: 'read', message_id: one },
    ]
    for (const message of junk.flatMap(shapes)) {
      const { http, body } = await send(message)
      assert.ok(http === 200 || (http < 500 && body.error.code > 0), `${http} ${JSON.stringify(message)}`)
    }
  }, UNLIMITED))

test('an invalid template message is rejected with the matching code, and a valid one is rendered', () =>
  within(async ({ sendTemplate, sandbox, customer }) => {
    const image = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://x.io/a.jpg' } }] }
    const cases: [string, unknown, number, number, RegExp][] = [
      ['nothing_like_it', [], 404, 132001, /does not exist in en_US/],
      ['winter_hours', [body('x')], 404, 132001, /does not exist/],
      ['price_list', [body('x')], 400, 132015, /paused/],
      ['old_newsletter', [], 400, 132016, /disabled/],
      ['order_confirmation', [body('a', 'b')], 400, 132000, /header: number of localizable_params \(0\)/],
      ['delivery_update', [image, body('a')], 400, 132000, /params \(1\) does not match .* \(3\)/],
      ['delivery_update', [body('a', 'b', 'c')], 400, 132012, /expected IMAGE, received UNKNOWN/],
      [
        'delivery_update',
        [{ type: 'header', parameters: [{ type: 'text', text: 'x' }] }, body('a', 'b', 'c')],
        400,
        132012,
        /expected IMAGE, received TEXT/,
      ],
      ['delivery_update', [image, body('a', 'b\nc', 'd')], 400, 132018, /new-line\/tab/],
      ['delivery_update', [image, body('a', 'b\tc', 'd')], 400, 132018, /new-line\/tab/],
      ['delivery_update', [image, body('a', 'b     c', 'd')], 400, 132018, /4 consecutive spaces/],
      ['delivery_update', [image, body('a', '', 'd')], 400, 100, /required/],
      ['delivery_update', [image, body('a', 'x'.repeat(1024), 'd')], 400, 132005, /1024/],
      ['appointment_reminder', [body('a', 'b', 'c')], 400, 100, /Parameter name is missing/],
      ['hello_world', [body('a')], 400, 132000, /\(1\) does not match .* \(0\)/],
      ['login_code', [body('123456')], 400, 131008, /index 0 of type Url requires a parameter/],
      ['coupon_for_you', [body('Lee')], 400, 131008, /CopyCode/],
    ]
    for (const [name, components, http, code, words] of cases) {
      const answer = await sendTemplate(name, components)
      assert.deepEqual(
        [answer.http, answer.body.error?.code],
        [http, code],
        `${name} ${JSON.stringify(components)}`,
      )
      assert.match(`${answer.body.error.message} ${answer.body.error.error_data?.details}`, words)
    }
    const missingLanguage = await sendTemplate('hello_world', [], {}, 'en')
    assert.equal(
      missingLanguage.body.error.error_data.details,
      'template name (hello_world) does not exist in en',
    )

    const accepted = await sendTemplate('delivery_update', [
      image,
      body('Mark', '566701', 'a    b'),
      button('0', 'quick_reply', { type: 'payload', payload: 'neighbour' }),
    ])
    assert.deepEqual([accepted.http, accepted.body.messages[0].message_status], [200, 'accepted'])
    const named = (parameter_name: string, text: string) => ({ type: 'text', parameter_name, text })
    const reminder = await sendTemplate('appointment_reminder', [
      {
        type: 'body',
        parameters: [named('time', '10:30'), named('day', 'Friday'), named('customer_name', 'Jessica')],
      },
    ])
    assert.equal(reminder.http, 200)
    const otp = await sendTemplate('login_code', [
      body('123456'),
      button('0', 'url', { type: 'text', text: '123456' }),
    ])
    assert.equal(otp.http, 200)
    const [first, second] = sandbox.control.thread(customer.id)
    assert.equal(first!.content.body, 'Good news, Mark: order 566701 is on its way and arrives a    b.')
    assert.equal((first!.content.buttons as Any)[0].payload, 'neighbour')
    assert.equal(
      second!.content.body,
      'Hi Jessica, we expect you on Friday at 10:30. Does that still suit you?',
    )
  }))

test('the window closes 24 hours after the customer wrote, reported in the response or by a status, as configured', () =>
  within(async ({ send, sendTemplate, openWindow, sandbox, receiver, control }) => {
    openWindow()
    assert.equal((await send()).http, 200)
    await control('POST', '/advance', { hours: 24 })
    const { http, body: answer } = await send({ biz_opaque_callback_data: 'late' })
    assert.equal(http, 200)
    const failed = await until('a failure', () =>
      receiver.statuses().find(({ status }) => status === 'failed'),
    )
    assert.deepEqual(
      [failed.id, failed.errors[0].code, failed.biz_opaque_callback_data],
      [answer.messages[0].id, 131047, 'late'],
    )
    assert.match(failed.errors[0].error_data.details, /more than 24 hours/)

    await control('PATCH', '/settings', { refusedBy: { '131047': 'answer' } })
    const refused = await send()
    assert.deepEqual([refused.http, refused.body.error.code], [400, 131047])
    assert.equal((await sendTemplate('hello_world')).http, 200)
    openWindow()
    assert.equal((await send()).http, 200)
    assert.equal(sandbox.control.sent().refusals['131047'], 1)
  }))

test('customers who are not on WhatsApp, blocked the business or opted out of marketing get no message', () =>
  within(async ({ sendTemplate, sandbox, customer, receiver, control }) => {
    const failures = () => receiver.statuses().filter(({ status }) => status === 'failed')
    const marketing = () => sendTemplate('feedback_request')
    await control('PATCH', `/customers/${customer.id}`, { hasOptedOut: true })
    await until('the preference', () =>
      receiver.values().some((value) => value.user_preferences?.[0].value === 'stop'),
    )
    await marketing()
    await until('131050', () => failures().at(-1)?.errors[0].code === 131050)
    assert.equal((await sendTemplate('hello_world')).http, 200)
    sandbox.control.changeCustomer(customer.id, { hasOptedOut: false, hasBlocked: true })
    await marketing()
    await until('131026', () => failures().length === 2 && failures()[1].errors[0].code === 131026)
    sandbox.control.set({ strangers: 'refuse', refusedBy: { '131026': 'answer' } })
    const stranger = await sendTemplate('hello_world', undefined, { to: '+4930123456' })
    assert.deepEqual([stranger.http, stranger.body.error.code], [400, 131026])
  }))

test('sending too fast fails with 130429, and too many messages to one person with 131056', () =>
  within(
    async ({ sendTemplate, send, openWindow, control }) => {
      const answers = await Promise.all(
        [0, 1].map((at) => sendTemplate('hello_world', undefined, { to: `+4930123450${at}` })),
      )
      assert.deepEqual(answers.map(({ http }) => http).sort(), [200, 429])
      assert.equal(answers.find(({ http }) => http === 429)!.body.error.code, 130429)
      await control('PATCH', '/settings', { messagesPerSecond: null })
      openWindow()
      const codes: number[] = []
      for (let at = 0; at < 46; at++) codes.push((await send()).body.error?.code ?? 0)
      assert.deepEqual([codes.indexOf(131056), codes.filter(Boolean).length], [45, 1])
    },
    { messagesPerSecond: 1 },
  ))

test('templates are listed in pages that can be followed, filtered and limited to the requested fields', () =>
  within(
    async ({ call, sandbox }) => {
      const names: string[] = []
      let url = `${sandbox.url}/v25.0/${ACCOUNT}/message_templates?limit=50&fields=name,language`
      let pages = 0
      for (; url; pages++) {
        const page = (await (await fetch(url, { headers: { authorization: 'Bearer token' } })).json()) as Any
        names.push(...page.data.map((row: Any) => `${row.name}/${row.language}`))
        assert.deepEqual(Object.keys(page.data[0]), ['name', 'language', 'id'])
        assert.ok(page.paging.cursors.after)
        url = page.paging.next ?? ''
      }
      assert.equal(pages, 4)
      assert.equal(new Set(names).size, sandbox.control.templates().length)
      const path = `${ACCOUNT}/message_templates`
      const filtered = await call('GET', `${path}?status=PAUSED&summary=total_count`)
      assert.deepEqual([filtered.body.data[0].name, filtered.body.summary.total_count], ['price_list', 1])
      assert.equal((await call('GET', `${path}?name=order_conf&language=de`)).body.data.length, 1)
      assert.equal((await call('GET', `${path}?fields=nonsense`)).body.error.code, 100)
      const { body: numbers } = await call('GET', `${ACCOUNT}/phone_numbers`)
      assert.deepEqual(
        [numbers.data[0].id, numbers.data[0].display_phone_number],
        [NUMBER, '+1 555-078-3881'],
      )
    },
    { templatesPerPageMax: 5 },
  ))

test('media can be uploaded, sent, looked up, downloaded for five minutes and deleted', () =>
  within(async ({ sandbox, call, send, openWindow, control }) => {
    openWindow()
    const bytes = Buffer.from('not really a jpeg')
    const upload = async (type: string) => {
      const form = new FormData()
      form.set('messaging_product', 'whatsapp')
      form.set('file', new Blob([bytes], { type }), 'a.jpg')
      const response = await fetch(`${sandbox.url}/v25.0/${NUMBER}/media`, {
        method: 'POST',
        headers: { authorization: 'Bearer token' },
        body: form,
      })
      return (await response.json()) as Any
    }
    assert.equal((await upload('image/tiff')).error.code, 100)
    const { id } = await upload('image/jpeg')
    assert.equal((await send({ type: 'image', image: { id, caption: 'Look' } })).http, 200)
    assert.equal((await send({ type: 'video', video: { id } })).body.error.code, 131053)

    const info = (await call('GET', id)).body
    assert.deepEqual([info.mime_type, info.file_size], ['image/jpeg', bytes.length])
    const get = (headers: Record<string, string> = { authorization: 'Bearer token' }) =>
      fetch(info.url, { headers })
    assert.equal((await get({})).status, 401)
    sandbox.control.addFault({ kind: 'not-found' })
    assert.equal((await get()).status, 404)
    sandbox.control.set({ mediaRedirects: true })
    assert.deepEqual(Buffer.from(await (await get()).arrayBuffer()), bytes)
    await control('POST', '/advance', { hours: 0.1 })
    assert.equal((await get()).status, 404)
    assert.deepEqual((await call('DELETE', id)).body, { success: true })
    assert.equal((await call('GET', id)).body.error.code, 100)
  }))

test('every type of customer message is sent in Meta’s format', () =>
  within(async ({ sandbox, customer, receiver, send, sendTemplate, openWindow }) => {
    const { control } = sandbox
    openWindow()
    await until('the first message', () => receiver.messages().length === 1)
    const write = async (input: Parameters<typeof control.write>[1]): Promise<Any> => {
      const before = receiver.messages().length
      control.write(customer.id, input)
      return until('a message', () => receiver.messages()[before])
    }
    const picture = await write({ type: 'image', caption: 'Here' })
    assert.deepEqual(
      [picture.from, picture.image.mime_type, picture.image.caption],
      ['4915123456789', 'image/png', 'Here'],
    )
    const media = await fetch(picture.image.url, { headers: { authorization: 'Bearer token' } })
    assert.equal(
      createHash('sha256')
        .update(Buffer.from(await media.arrayBuffer()))
        .digest('base64'),
      picture.image.sha256,
    )
    const place = await write({ type: 'location', latitude: 52.5, longitude: 13.4, name: 'Here' })
    assert.deepEqual(place.location, { latitude: 52.5, longitude: 13.4, name: 'Here' })
    const people = await write({ type: 'contacts', contacts: [{ phones: [{ phone: '+1' }] }] })
    assert.equal(people.contacts[0].phones[0].phone, '+1')
    const strange = await write({ type: 'unsupported' })
    assert.equal(strange.errors[0].code, 131051)
    const raw = await write({ type: 'raw', message: { type: 'hologram', hologram: { depth: 3 } } })
    assert.deepEqual([raw.type, raw.hologram.depth, raw.from], ['hologram', 3, '4915123456789'])

    const template = (await sendTemplate('feedback_request')).body.messages[0].id
    const tap = await write({ type: 'tap', messageId: template, choice: 'Great' })
    assert.deepEqual(
      [tap.type, tap.button, tap.context.id],
      ['button', { payload: 'Great', text: 'Great' }, template],
    )
    const list = await send({
      type: 'interactive',
      interactive: {
        type: 'list',
        body: { text: 'Which?' },
        action: { button: 'Menu', sections: [{ rows: [{ id: 'a', title: 'Alpha', description: 'first' }] }] },
      },
    })
    const row = await write({ type: 'tap', messageId: list.body.messages[0].id, choice: 'Alpha' })
    assert.deepEqual(row.interactive, {
      type: 'list_reply',
      list_reply: { id: 'a', title: 'Alpha', description: 'first' },
    })
    const reaction = await write({ type: 'reaction', messageId: template, emoji: '👍' })
    assert.deepEqual(reaction.reaction, { message_id: template, emoji: '👍' })
    const removal = await write({ type: 'reaction', messageId: template, emoji: '' })
    assert.deepEqual(removal.reaction, { message_id: template })
    control.changeNumber(customer.id, '+4915199999999')
    const system = await until('the change', () => receiver.messages().find(({ type }) => type === 'system'))
    assert.deepEqual([system.from, system.system.wa_id], ['4915123456789', '4915199999999'])
  }))

test('a customer with only a username has no number in webhooks and is reached by user id', () =>
  within(async ({ sandbox, receiver, send, sendTemplate }) => {
    const { id } = sandbox.control.addCustomer({ username: 'lena', profileName: 'Lena', userId: 'US.134912' })
    sandbox.control.write(id, { type: 'text', text: 'Hi' })
    const value = await until('a message', () => receiver.values()[0])
    assert.deepEqual(value.contacts, [{ profile: { name: 'Lena', username: 'lena' }, user_id: 'US.134912' }])
    assert.deepEqual([value.messages[0].from, value.messages[0].from_user_id], [undefined, 'US.134912'])
    const { body: answer } = await send({ to: undefined, recipient: 'US.134912' })
    assert.deepEqual(answer.contacts, [{ input: 'US.134912', user_id: 'US.134912' }])
    const status = await until('a status', () => receiver.statuses()[0])
    assert.deepEqual([status.recipient_id, status.recipient_user_id], [undefined, 'US.134912'])
    const otp = await sendTemplate('login_code', [body('1'), button(0, 'url', { type: 'text', text: '1' })], {
      to: undefined,
      recipient: 'US.134912',
    })
    assert.equal(otp.body.error.code, 131062)
  }))

test('a number is returned in WhatsApp’s own form', () =>
  within(async ({ sendTemplate }) => {
    for (const [input, waId] of [
      ['+52 55 1234 7890', '5215512347890'],
      ['+5491123456789', '5491123456789'],
      ['+541123456789', '5491123456789'],
      ['+5571987654321', '557187654321'],
      ['+5511987654321', '5511987654321'],
    ] as const) {
      const { body: answer } = await sendTemplate('hello_world', undefined, { to: input })
      assert.deepEqual(answer.contacts[0].wa_id, waId, input)
    }
  }))

test('faults affect the next requests or one recipient, and accepted messages still get their statuses', () =>
  within(async ({ sandbox, send, openWindow, control, receiver }) => {
    openWindow()
    const { body: added } = await control('POST', '/faults', {
      kind: 'error',
      code: 131000,
      times: 2,
      to: '4915123456*',
    })
    assert.equal(added.fault.left, 2)
    assert.deepEqual((await send()).body.error.code, 131000)
    assert.equal((await send()).http, 500)
    assert.equal((await send()).http, 200)

    sandbox.control.addFault({ kind: 'error', code: 4, http: 429, retryAfterSeconds: 7 })
    const limited = await send()
    assert.deepEqual([limited.http, limited.headers.get('retry-after')], [429, '7'])
    sandbox.control.addFault({ kind: 'server-error', http: 502, body: 'html', isAccepted: true })
    await assert.rejects(send({ biz_opaque_callback_data: 'html' }), SyntaxError)
    sandbox.control.addFault({ kind: 'drop', isAccepted: true })
    await assert.rejects(send({ biz_opaque_callback_data: 'dropped' }), TypeError)
    sandbox.control.addFault({ kind: 'drop' })
    await assert.rejects(send({ biz_opaque_callback_data: 'never' }), TypeError)
    for (const opaque of ['html', 'dropped'])
      await until(`a status of ${opaque}`, () =>
        receiver
          .statuses()
          .some((status) => status.biz_opaque_callback_data === opaque && status.status === 'read'),
      )
    assert.equal(sandbox.control.sent({ opaque: 'never' }).sent.length, 0)

    sandbox.control.addFault({ kind: 'fail', code: 131049 })
    const { body: failing } = await send()
    await until('the failure', () =>
      receiver.statuses().some(({ id, status }) => id === failing.messages[0].id && status === 'failed'),
    )
    sandbox.control.addFault({ kind: 'skip-delivered' })
    const { body: skipping } = await send()
    const own = () => receiver.statuses().filter(({ id }) => id === skipping.messages[0].id)
    await until('read', () => own().some(({ status }) => status === 'read'))
    assert.deepEqual(
      own().map(({ status }) => status),
      ['sent', 'read'],
    )

    sandbox.control.addFault({ kind: 'status-first' })
    const { body: late } = await send()
    assert.ok(receiver.statuses().some(({ id }) => id === late.messages[0].id))

    sandbox.control.addFault({ kind: 'hang' })
    const hanging = fetch(`${sandbox.url}/v25.0/${NUMBER}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer token' },
      body: JSON.stringify({ messaging_product: 'whatsapp', to: TO, text: { body: 'x' } }),
      signal: AbortSignal.timeout(100),
    })
    await assert.rejects(hanging, { name: 'TimeoutError' })
    assert.equal(sandbox.control.faults().length, 0)
  }))

test('a message sent twice is listed as a duplicate', () =>
  within(async ({ send, openWindow, control }) => {
    openWindow()
    const ids = []
    for (const opaque of ['a', 'b', 'a'])
      ids.push((await send({ biz_opaque_callback_data: opaque })).body.messages[0].id)
    const { duplicates } = (await control('GET', '/duplicates')).body
    assert.deepEqual(duplicates, [{ key: 'a', ids: [ids[0], ids[2]] }])
    assert.equal((await control('GET', '/sent?opaque=a')).body.duplicates, 1)
  }))

test('a receiver that doesn’t return 200 gets the same bytes again at growing intervals', () =>
  within(
    async ({ sandbox, openWindow, receiver }) => {
      receiver.state.http = 500
      openWindow()
      await until('three attempts', () => receiver.requests.length === 3)
      receiver.state.http = 200
      sandbox.control.advance(1)
      await until('an end', () => sandbox.control.webhooks().accepted === 1)
      const bodies = new Set(receiver.requests.map(({ body }) => body.toString()))
      assert.equal(bodies.size, 1)
      assert.equal(sandbox.control.webhooks().retrying, 0)
    },
    { webhooks: { retryFirstMs: 5 } },
  ))

test('webhooks can be batched in every shape, duplicated, shuffled and paused', () =>
  within(async ({ sandbox, customer, receiver }) => {
    const { control } = sandbox
    const write = (text: string) => control.write(customer.id, { type: 'text', text })
    for (const [batchShape, entries, changes, messages] of [
      ['entries', 3, 1, 1],
      ['changes', 1, 3, 1],
      ['values', 1, 1, 3],
    ] as const) {
      control.set({ webhooks: { isPaused: true, batchShape } })
      receiver.requests.length = 0
      for (const text of ['a', 'b', 'c']) write(text)
      assert.equal(control.webhooks().waiting, 3)
      control.set({ webhooks: { isPaused: false } })
      const { json } = await until('a batch', () => receiver.requests[0])
      const { entry } = json
      const [change] = entry[0].changes
      assert.deepEqual(
        [entry.length, entry[0].changes.length, change.value.messages.length],
        [entries, changes, messages],
      )
    }
    receiver.requests.length = 0
    control.addFault({ kind: 'duplicate-webhook', copies: 3 })
    write('thrice')
    await until('three copies', () => receiver.requests.length === 3)
    assert.equal(new Set(receiver.messages().map(({ id }) => id)).size, 1)

    receiver.requests.length = 0
    control.set({ webhooks: { shuffleMs: 50 } })
    const order = Array.from({ length: 30 }, (_, at) => String(at))
    for (const text of order) write(text)
    await until('all of them', () => receiver.messages().length === 30)
    const arrived = receiver.messages().map(({ text }) => text.body)
    assert.notDeepEqual(arrived, order)
    assert.deepEqual(arrived.sort(), order.sort())
  }))

test('the handshake only succeeds with the right verify token, and an account can have its own webhook URL', () =>
  within(async ({ control, call, receiver, openWindow }) => {
    assert.deepEqual((await control('POST', '/handshake')).body, { success: true })
    receiver.state.verifyToken = 'changed'
    assert.deepEqual((await control('POST', '/handshake')).body, { success: false })
    const other = await startReceiver()
    try {
      const subscribe = (verify_token: string) =>
        call('POST', `${ACCOUNT}/subscribed_apps`, { override_callback_uri: other.url, verify_token })
      assert.equal((await subscribe('wrong')).body.error.code, 100)
      assert.deepEqual((await subscribe('verify')).body, { success: true })
      openWindow()
      await until('a message there', () => other.messages().length === 1)
      assert.equal(receiver.messages().length, 0)
    } finally {
      other.stop()
    }
  }))

test('marking a message as read shows on the phone, for it and everything before it', () =>
  within(async ({ call, openWindow, sandbox, customer }) => {
    openWindow()
    const second = openWindow()!
    const read = (message_id: string) =>
      call('POST', `${NUMBER}/messages`, {
        messaging_product: 'whatsapp',
        status: 'read',
        message_id,
        typing_indicator: { type: 'text' },
      })
    assert.deepEqual((await read(second.id)).body, { success: true })
    assert.deepEqual(
      sandbox.control.thread(customer.id).map((entry) => entry.isReadByBusiness),
      [true, true],
    )
    assert.equal((await read('wamid.unknown')).body.error.code, 100)
  }))

test('read receipts are sent when the customer opens the thread, or never if they are off', () =>
  within(async ({ sandbox, customer, openWindow, send, receiver }) => {
    sandbox.control.changeCustomer(customer.id, { receipts: 'opened' })
    openWindow()
    await send()
    await until('delivered', () => receiver.statuses().some(({ status }) => status === 'delivered'))
    assert.equal(sandbox.control.customer(customer.id).unread, 1)
    assert.equal(sandbox.control.read(customer.id), 1)
    await until('read', () => receiver.statuses().some(({ status }) => status === 'read'))
    sandbox.control.changeCustomer(customer.id, { receipts: 'off' })
    await send()
    await until(
      'delivered again',
      () => receiver.statuses().filter(({ status }) => status === 'delivered').length === 2,
    )
    assert.equal(sandbox.control.read(customer.id), 0)
  }))

test('a changed template is announced by webhook and takes effect immediately', () =>
  within(async ({ sandbox, receiver, sendTemplate, control }) => {
    const template = { name: 'fresh', language: 'en', components: [{ type: 'BODY', text: 'Hi {{1}}' }] }
    await control('POST', '/templates', template)
    const update = await until('the status', () =>
      receiver.values().find((value) => value.event === 'APPROVED'),
    )
    assert.equal(update.message_template_name, 'fresh')
    assert.equal((await sendTemplate('fresh', [body('you')], {}, 'en')).http, 200)
    sandbox.control.putTemplate({ ...template, status: 'PAUSED' })
    assert.equal((await sendTemplate('fresh', [body('you')], {}, 'en')).body.error.code, 132015)
    assert.equal((await control('DELETE', '/templates/fresh/en')).http, 200)
    assert.equal((await sendTemplate('fresh', [body('you')], {}, 'en')).body.error.code, 132001)
  }))

test('an invalid control request says what is wrong, and other sites’ pages can’t use the controls', () =>
  within(async ({ control, sandbox, customer }) => {
    assert.equal((await control('POST', '/faults', { kind: 'sabotage' })).http, 400)
    assert.equal((await control('PATCH', '/settings', { latencyMs: 'soon' })).http, 400)
    assert.equal((await control('GET', '/customers/nobody')).http, 404)
    assert.equal((await control('POST', `/customers/${customer.id}/messages`, { type: 'video' })).http, 400)
    assert.equal((await control('PUT', '/settings')).http, 405)
    const foreign = await fetch(`${sandbox.url}/control/state`, {
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    assert.equal(foreign.status, 403)
    assert.doesNotMatch(JSON.stringify((await control('GET', '/settings')).body), /secret|token/)
  }))

test('controls with a key require it, and only the page and its controls are under /sandbox', () =>
  within(
    async ({ sandbox }) => {
      const statusOf = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
        (await fetch(sandbox.url + path, { headers, redirect: 'manual' })).status
      for (const [path, status] of [
        ['/control/state', 200],
        ['/sandbox/control/state', 200],
        ['/control/nothing', 404],
      ] as const) {
        assert.equal(await statusOf(path), 403, path)
        assert.equal(await statusOf(path, { 'x-sandbox-key': 'guess' }), 403, path)
        assert.equal(await statusOf(path, { 'x-sandbox-key': 'key' }), status, path)
      }
      assert.equal(await statusOf(`/v25.0/${NUMBER}`, { authorization: 'Bearer token' }), 200)
      for (const path of [
        `/v25.0/${NUMBER}`,
        '/bot110201543:sandbox/getMe',
        '/files/',
        '/sandbox/control/state',
      ])
        assert.equal(await statusOf(`/sandbox${path}`, { authorization: 'Bearer token' }), 404, path)
    },
    { controlKey: 'key' },
  ))

test('the feed reports messages and statuses to the page', () =>
  within(async ({ sandbox, openWindow, send }) => {
    const controller = new AbortController()
    const response = await fetch(`${sandbox.url}/sandbox/control/feed`, { signal: controller.signal })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    openWindow()
    await send()
    while (!/event: message[\s\S]*event: status[\s\S]*"status":"read"/.test(text)) {
      const { value, done } = await reader.read()
      assert.ok(!done)
      text += value
    }
    controller.abort()
  }))

test('the shop finds an order by its number, and says so if there is none', async () => {
  const { url, stop } = await startSandbox()
  try {
    for (const number of ['1215', 'HK-1215', '%231215']) {
      const response = await fetch(`${url}/shop/orders/${number}`)
      const { order } = (await response.json()) as Any
      assert.deepEqual([response.status, order.number, order.status], [200, '1215', 'on its way'])
    }
    for (const number of ['9999', 'constructor', '__proto__'])
      assert.equal((await fetch(`${url}/shop/orders/${number}`)).status, 404)
  } finally {
    await stop()
  }
})
