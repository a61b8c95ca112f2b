// What the flow engine tells an author, what a channel sends and what the customer's phone shows are the same, for many
// shapes of options: each is native or numbered text, and nothing is cut. The sandbox checks what is sent as the
// providers do.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { layChoices, numberedText, type OutboundMessage } from '../channels/channel.ts'
import { DEFINITIONS } from '../channels/definitions.ts'
import { composeMail } from '../channels/email/compose.ts'
import { channels } from '../channels/index.ts'
import { CHANNELS, type ChannelName } from '../channels/names.ts'
import { configureOutbound } from '../channels/protocol/outbound.ts'
import { asNumberedText, whyAsText } from '../flow-engine/lint-options.ts'
import { DEFAULT_NUMBER } from '../sandbox/samples.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { OUTBOUND_ALLOW } from './outbound.ts'

configureOutbound({ allow: OUTBOUND_ALLOW })

type Option = { title: string; description?: string; number: number }
type Shape = { text: string; label: string; more: string; options: Option[] }

const shape = (
  titles: readonly string[],
  more: Partial<Shape> & { describe?: (at: number) => string } = {},
) => {
  const { describe, ...rest } = more
  const options = titles.map((title, at): Option => {
    const description = describe?.(at)
    return { title, number: at + 1, ...(description && { description }) }
  })
  return { text: 'How can we help?', label: 'Choose', more: 'More…', options, ...rest }
}
const count = (many: number): string[] => Array.from({ length: many }, (_, at) => `Option ${at + 1}`)
const long = (length: number, many = 2): string[] => count(many).map((title) => title.padEnd(length, 'x'))
const withPerson = (one: Shape): Shape => ({
  ...one,
  options: [...one.options, { title: 'Talk to a person', number: 0 }],
})

const SHAPES: Record<string, Shape> = {
  ...Object.fromEntries(
    [1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 19, 20, 29, 30].map((n) => [`${n} options`, shape(count(n))]),
  ),
  ...Object.fromEntries(
    [19, 20, 21, 23, 24, 25, 34, 35, 60, 200].map((n) => [`titles of ${n}`, shape(long(n))]),
  ),
  'four titles of 24': shape(long(24, 4)),
  'three and a person': withPerson(shape(count(3))),
  'thirty and a person': withPerson(shape(count(30))),
  'descriptions of 72': shape(count(3), { describe: () => 'd'.repeat(72) }),
  'descriptions of 73': shape(count(3), { describe: () => 'd'.repeat(73) }),
  'one description': shape(count(2), { describe: (at) => (at === 1 ? 'The second' : '') }),
  'twelve descriptions': shape(count(12), { describe: (at) => `About ${at}` }),
  'a text of 1,024': shape(count(2), { text: 't'.repeat(1_024) }),
  'a text of 1,025': shape(count(2), { text: 't'.repeat(1_025) }),
  'a text of 2,000': shape(count(2), { text: 't'.repeat(2_000) }),
  'a label of 20': shape(count(4), { label: 'l'.repeat(20) }),
  'a label of 21': shape(count(4), { label: 'l'.repeat(21) }),
  'the same title twice': shape(['Yes', 'Yes']),
  'a title that is “More…”, of eleven': shape([...count(10), 'More…']),
  'a blank title': shape(['Yes', ' ']),
  numbers: shape(['1', '2', '3', '4', '5']),
  'right to left': shape(['طلبي', 'ساعات العمل', 'التحدث مع شخص']),
  'emoji of ten units': shape(['👨‍👩‍👧‍👦', '👍🏽 Yes', '👎🏽 No']),
  'Chinese and Thai': shape(['我的订单', 'เวลาทำการ', '営業時間のお知らせ']),
}

const sandbox = await startSandbox({
  customers: true,
  enforcePairRate: false,
  connections: {
    telegram: { botToken: '7:token' },
    messenger: { pageId: '77', accessToken: 'page' },
    sms: { accountSid: `AC${'1'.repeat(32)}`, authToken: '12345', phoneNumber: '+15005550006' },
  },
})
after(() => sandbox.stop())
after(() => {
  for (const channel of Object.values(channels)) channel.close?.()
})
const { control } = sandbox
const person = control.people()[0]!
control.write(person.whatsappId!, { type: 'text', text: 'Hello' })
for (const app of ['telegram', 'messenger', 'sms'])
  control.writeChat(person.id, app, { type: 'text', text: 'Hello' })

const ACCOUNTS = {
  whatsapp: {
    settings: { phoneNumberId: DEFAULT_NUMBER.id, businessAccountId: DEFAULT_NUMBER.businessAccountId },
    secrets: { accessToken: 'sandbox-access-token' },
    to: person.phone,
  },
  facebook: { settings: { pageId: '77' }, secrets: { accessToken: 'page' }, to: person.psid },
  telegram: { settings: {}, secrets: { botToken: '7:token' }, to: person.telegramId },
  sms: {
    settings: { accountSid: `AC${'1'.repeat(32)}` },
    secrets: { authToken: '12345' },
    address: '+15005550006',
    to: person.phone,
  },
}

/** What the customer sees: the text, and the buttons or rows with what they carry. */
type Seen = { text: string; options: { title: string; description?: string; id: string }[] }

const messageOf = ({ text, label, more, options }: Shape, to: string | null, from = 0): OutboundMessage => ({
  id: 'm1',
  attemptId: 'd1',
  conversationId: 'c1',
  body: numberedText(text, options.slice(from), from),
  subject: null,
  senderName: 'Northwind',
  template: null,
  attachments: [],
  choices: {
    text,
    label,
    options: options.slice(from).map(({ number, ...option }) => ({ ...option, id: `option ${number}` })),
    more: { title: more, idFrom: (index) => `from ${from + index}` },
  },
  to: { contactId: 'p1', name: 'Änne', email: 'aenne@example.com', phone: to, externalId: to },
  createdAt: '2026-11-23T10:00:00.000Z',
})

type ByProvider = keyof typeof ACCOUNTS
const isByProvider = (channel: ChannelName): channel is ByProvider => channel in ACCOUNTS

const send = async (channel: ChannelName, shown: Shape, from = 0): Promise<Seen> => {
  if (channel === 'email') {
    const account = { id: 'a1', address: 'shop@example.com', settings: {}, secrets: {} }
    const { text } = await composeMail(account, messageOf(shown, null, from))
    return { text: String(text), options: [] }
  }
  if (!isByProvider(channel)) {
    const layout = layChoices(DEFINITIONS[channel].choices, shown)
    assert.equal(layout.as, 'buttons')
    return {
      text: shown.text,
      options: shown.options.map(({ number, ...option }) => ({ ...option, id: `option ${number}` })),
    }
  }
  const { to, settings, secrets, ...rest } = ACCOUNTS[channel]
  const account = {
    id: 'a1',
    address: null,
    ...rest,
    settings: { ...settings, apiUrl: sandbox.url },
    secrets,
  }
  await channels[channel].send!(account as never, messageOf(shown, to, from), {
    timeoutMs: 5_000,
    webhookUrl: 'http://127.0.0.1:9',
  })
  return seenOn(channel)
}

// biome-ignore lint/suspicious/noExplicitAny: the content of the sandbox's entries differs by app
const contentOf = (channel: ByProvider): any =>
  (channel === 'whatsapp'
    ? control.thread(person.whatsappId!)
    : control.chat(person.id, channel === 'facebook' ? 'messenger' : channel)
  ).at(-1)!.content

const seenOn = (channel: ByProvider): Seen => {
  const { text, body, buttons, sections, keyboard, quickReplies } = contentOf(channel)
  const shown = buttons ?? sections?.[0].rows ?? keyboard?.flat() ?? quickReplies ?? []
  return {
    text: text ?? body,
    options: shown.map((one: Record<string, string>) => ({
      title: one.title ?? one.text,
      ...(one.description && { description: one.description }),
      id: one.id ?? one.callback_data ?? one.payload,
    })),
  }
}

/** All options that the customer can reach, following the rows that lead to more. */
const seeAll = async (channel: ChannelName, shown: Shape): Promise<Seen & { pages: number }> => {
  const first = await send(channel, shown)
  const options = [...first.options]
  let pages = 1
  for (let last = options.at(-1); last?.id.startsWith('from '); last = options.at(-1)) {
    assert.equal(last.title, shown.more)
    const next = await send(channel, shown, Number(last.id.slice('from '.length)))
    assert.equal(next.text, first.text)
    options.splice(-1, 1, ...next.options)
    pages++
    assert.ok(pages <= 4)
  }
  return { ...first, options, pages }
}

test('there are forty shapes', () => {
  assert.ok(Object.keys(SHAPES).length >= 40, `${Object.keys(SHAPES).length}`)
})

for (const channel of CHANNELS)
  test(`on ${channel}, every shape is shown whole: as buttons, as a list, or as numbered text`, async () => {
    const limits = DEFINITIONS[channel].choices
    let native = 0
    for (const [name, shown] of Object.entries(SHAPES)) {
      // The web chat shows buttons of any kind, but a title is needed.
      if (channel === 'web' && name === 'a blank title') continue
      const bodyMax = channels[channel].bodyMax ?? Number.POSITIVE_INFINITY
      if (!limits && numberedText(shown.text, shown.options).length > bodyMax) {
        await assert.rejects(send(channel, shown), { outcome: 'refused' }, name)
        continue
      }
      const seen = await seeAll(channel, shown)
      const why = limits ? whyAsText(limits, shown) : 'it has no buttons'
      if (seen.options.length === 0) {
        assert.notEqual(why, undefined, `${name} is text, and lint doesn’t say so`)
        assert.equal(seen.text, numberedText(shown.text, shown.options), name)
        for (const { title, description = '' } of shown.options)
          assert.ok(seen.text.includes(title) && seen.text.includes(description), `${name}: ${title}`)
        continue
      }
      native++
      assert.equal(why, undefined, name)
      assert.ok(seen.text.startsWith(shown.text), name)
      assert.deepEqual(
        seen.options.map(({ id, title }) => [id, title]),
        shown.options.map(({ number, title }) => [`option ${number}`, title]),
        name,
      )
      for (const [at, { description }] of shown.options.entries())
        if (description)
          assert.ok(seen.options[at]!.description === description || seen.text.includes(description), name)
    }
    assert.equal(native > 0, limits !== null)
  })

test('lint counts the characters of numbered text as they are sent', () => {
  for (const [name, shown] of Object.entries(SHAPES)) {
    const hasNumbers = shown.options.some(({ title, number }) => /^\d+$/.test(title) || number === 0)
    if (!hasNumbers) assert.equal(asNumberedText(shown), numberedText(shown.text, shown.options), name)
  }
})
