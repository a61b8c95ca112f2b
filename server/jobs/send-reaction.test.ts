// The team's reactions, from the console to a provider.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { until } from '../../test/until.ts'
import { storeItems } from '../inbound/items/store-items.ts'
import { connectFresh, json, startProvider } from '../inbound/items/testing/provider.ts'
import type { ChannelName, IdentityKind } from '../platform/db/tables.ts'

const app = await startApp({ worker: { sendTimeoutMs: 5_000, backoffMinMs: 20, backoffMaxMs: 60 } })
const { db, make } = app

const accept = (response: ServerResponse) =>
  json(response, { ok: true, result: true, messages: [{ id: 'w' }] })
const provider = await startProvider((_, response) => accept(response))

const WHATSAPP = {
  phoneNumber: '+15550783881',
  phoneNumberId: '106540352242922',
  businessAccountId: '102290129340398',
  accessToken: 'EAAtest',
  appSecret: 'app-secret',
  verifyToken: 'verify',
  apiUrl: provider.url,
}
const FACEBOOK = { pageId: '77', accessToken: 'page', appSecret: 's', verifyToken: 'v', apiUrl: provider.url }
const TELEGRAM = { botToken: '7:token', webhookSecret: 'shh', apiUrl: provider.url }

type Place = { kind: IdentityKind; party: string; externalId: string }

const PLACES = {
  telegram: { kind: 'telegram', party: '3527065', externalId: '3527065:41' },
  whatsapp: { kind: 'whatsapp_id', party: '4917012345678', externalId: 'wamid.asked' },
  facebook: { kind: 'facebook', party: '55', externalId: 'm_asked' },
} satisfies Record<string, Place>

let asked = 0

/** A customer's message on the channel, and two people of the team. */
const ask = async (channel: keyof typeof PLACES, fields: Record<string, string>) => {
  provider.reset()
  const { kind, party, externalId } = PLACES[channel]
  const { workspace, channelId, ctx } = await connectFresh(app, channel, fields)
  const contact = await make.contact(workspace.id)
  await db
    .insertInto('identities')
    .values({
      workspace_id: workspace.id,
      contact_id: contact.id,
      kind,
      value: party,
      created_at: new Date(),
    })
    .execute()
  const conversation = await make.conversation(workspace.id, {
    contactId: contact.id,
    channel,
    channelAccountId: channelId,
  })
  const message = await make.message(workspace.id, conversation, { externalId })
  const hear = (at: Date) =>
    db.updateTable('conversations').set({ last_inbound_at: at }).where('id', '=', conversation.id).execute()
  await hear(new Date())
  const people = await Promise.all(
    [`Jane ${++asked}`, `Tom ${asked}`].map(async (nickname) =>
      signIn(app, workspace.id, (await make.agent(workspace.id, { nickname, role: 'admin' })).id),
    ),
  )
  const [jane, tom] = people as [(typeof people)[0], (typeof people)[0]]
  const react = (emoji: string | null, who = jane) =>
    who.call('PUT', `/messages/${message.id}/reaction`, { emoji })
  const shown = async () => {
    const { metadata } = await db
      .selectFrom('messages')
      .select('metadata')
      .where('id', '=', message.id)
      .executeTakeFirstOrThrow()
    const [reaction] = (metadata?.reactions ?? []) as Record<string, unknown>[]
    const name = String(reaction?.name ?? '').replace(/ \d+$/, '')
    return reaction && { ...reaction, ...(name && { name }), at: undefined, agentId: undefined }
  }
  return {
    ...{ workspace, channelId, ctx, conversation, message, jane, tom, hear, react, shown },
    becomes: (expected: object | undefined) =>
      until(
        async () => {
          try {
            assert.deepEqual(await shown(), expected && { ...expected, at: undefined, agentId: undefined })
            return true
          } catch {
            return false
          }
        },
        `the reaction to be ${JSON.stringify(expected)}`,
      ),
    sent: () => provider.asked.map(({ text }) => JSON.parse(text)),
  }
}

const OURS = { by: 'business', name: 'Jane' }

const CASES = [
  {
    channel: 'telegram',
    fields: TELEGRAM,
    bodyOf: (emoji: string | null) => ({
      chat_id: '3527065',
      message_id: 41,
      reaction: emoji === null ? [] : [{ type: 'emoji', emoji }],
    }),
    // As Telegram writes it.
    heart: '❤',
  },
  {
    channel: 'whatsapp',
    fields: WHATSAPP,
    bodyOf: (emoji: string | null) => ({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '4917012345678',
      type: 'reaction',
      reaction: { message_id: 'wamid.asked', emoji: emoji ?? '' },
    }),
    heart: '❤️',
  },
  {
    channel: 'facebook',
    fields: FACEBOOK,
    bodyOf: (emoji: string | null) => ({
      recipient: { id: '55' },
      sender_action: emoji === null ? 'unreact' : 'react',
      payload: { message_id: 'm_asked', ...(emoji !== null && { reaction: emoji }) },
    }),
    heart: '❤️',
  },
] as const

for (const { channel, fields, bodyOf, heart } of CASES)
  test(`${channel}: a reaction is sent once, replaced and taken away, and the thread says whose it is`, async () => {
    const one = await ask(channel, fields)
    const { body } = await one.react('👍')
    assert.equal(body.message.metadata.reactions[0].status, 'queued')
    assert.equal(body.message.metadata.reactions[0].agentId, one.jane.accountId)
    await one.becomes({ ...OURS, emoji: '👍' })
    await one.react('👍', one.tom)
    await one.react('❤️', one.tom)
    await one.becomes({ ...OURS, name: 'Tom', emoji: '❤️' })
    await one.react(null)
    await until(() => provider.asked.length === 3, 'the removal')
    await one.react(null)
    assert.equal(await one.shown(), undefined)
    assert.deepEqual(
      one.sent().map(({ biz_opaque_callback_data: _, ...rest }) => rest),
      [bodyOf('👍'), bodyOf(heart), bodyOf(null)],
    )
    const details = await one.jane.call('GET', `/conversations/${one.conversation.id}/details`)
    assert.ok(details.body.reactions === 'any' || details.body.reactions.includes('❤️'))
  })

const refusal = (response: ServerResponse) =>
  json(response, { ok: false, error_code: 400, description: 'Bad Request: REACTION_INVALID' }, 400)
const ERROR = {
  code: '400',
  message: 'Telegram rejected the message. Telegram says: Bad Request: REACTION_INVALID',
}

test('a reaction that the provider refuses is shown as not sent, beside what the customer still sees', async () => {
  const one = await ask('telegram', TELEGRAM)
  provider.answer = (_, response) => refusal(response)
  await one.react('🔥')
  const failed = { ...OURS, emoji: '🔥', status: 'failed', error: ERROR }
  await one.becomes(failed)
  // The same again is another try.
  provider.answer = (_, response) => accept(response)
  await one.react('🔥')
  await one.becomes({ ...OURS, emoji: '🔥' })
  provider.answer = (_, response) => refusal(response)
  await one.react('👎')
  await one.becomes({ ...failed, emoji: '👎', instead: '🔥' })
  await one.react(null)
  await one.becomes({ by: 'business', emoji: '🔥', error: ERROR })
  provider.answer = (_, response) => accept(response)
  await one.react(null)
  await one.becomes(undefined)
  const rows = await db.selectFrom('sent_reactions').select('state').where('message_id', '=', one.message.id)
  await until(async () => (await rows.execute())[0]?.state === 'sent', 'the removal')
})

test('a provider that is busy or unavailable gets the reaction again until it accepts it', async () => {
  const one = await ask('telegram', TELEGRAM)
  const answers = [
    { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 0 } },
    { ok: false, error_code: 502, description: 'Bad Gateway' },
  ]
  provider.answer = (_, response) => {
    const answer = answers.shift()
    if (answer) json(response, answer, answer.error_code)
    else accept(response)
  }
  await one.react('👍')
  await one.becomes({ ...OURS, emoji: '👍' })
  assert.equal(provider.asked.length, 3)
})

test('WhatsApp: a failure that is reported after it was accepted is shown, and not one of an earlier reaction', async () => {
  const one = await ask('whatsapp', WHATSAPP)
  const report = (attemptId: string) =>
    storeItems(one.ctx, 'whatsapp', [
      {
        channelAccountId: one.channelId,
        item: {
          type: 'status',
          accountName: null,
          sentAt: new Date(),
          externalId: 'wamid.reaction',
          attemptId,
          status: 'failed',
          failure: { code: '131026', message: 'Message undeliverable' },
        },
      },
    ])
  const attempts = () => one.sent().map((body) => String(body.biz_opaque_callback_data))
  await one.react('👍')
  await one.becomes({ ...OURS, emoji: '👍' })
  await one.react('🎉')
  await one.becomes({ ...OURS, emoji: '🎉' })
  await report(attempts()[0]!)
  await one.becomes({ ...OURS, emoji: '🎉' })
  await report(attempts()[1]!)
  const error = { code: '131026', message: 'Message undeliverable' }
  await one.becomes({ ...OURS, emoji: '🎉', status: 'failed', error })
  assert.deepEqual(await db.selectFrom('parked_statuses').selectAll().execute(), [])
})

test('when several people react at once, one reaction goes out at a time and the customer ends with the last', async () => {
  const one = await ask('telegram', TELEGRAM)
  let underWay = 0
  let most = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  provider.answer = async (_, response) => {
    most = Math.max(most, ++underWay)
    if (provider.asked.length === 1) await held
    underWay--
    accept(response)
  }
  await one.react('👍')
  await until(() => provider.asked.length === 1, 'the first to be under way')
  const emoji = ['❤️', '🎉', '🔥', '👏', '🙏', '😁']
  await Promise.all(emoji.map((each, index) => one.react(each, index % 2 ? one.tom : one.jane)))
  const { metadata } = await db
    .selectFrom('messages')
    .select('metadata')
    .where('id', '=', one.message.id)
    .executeTakeFirstOrThrow()
  const [last] = metadata!.reactions as { emoji: string }[]
  release()
  await until(async () => !('status' in (await one.shown())!), 'the last to be sent')
  assert.equal(most, 1)
  const sent = one.sent().map(({ reaction }) => reaction[0].emoji)
  assert.deepEqual(sent, ['👍', last!.emoji.replaceAll('\u{FE0F}', '')])
})

test('only messages of customers on channels with reactions have them, and only emoji that the channel has', async () => {
  const one = await ask('telegram', TELEGRAM)
  const codeOf = async (answer: Promise<{ body: { error: { code: string } } }>) =>
    (await answer).body.error.code
  assert.equal(await codeOf(one.react('🍕')), 'VALIDATION_ERROR')
  assert.equal(await codeOf(one.react('hello')), 'VALIDATION_ERROR')
  const ours = await make.message(one.workspace.id, one.conversation, { senderType: 'agent', senderId: 'x' })
  const put = (id: string) => one.jane.call('PUT', `/messages/${id}/reaction`, { emoji: '👍' })
  assert.equal(await codeOf(put(ours.id)), 'MESSAGE_NOT_FOUND')
  for (const channel of ['email', 'sms'] satisfies ChannelName[]) {
    const other = await make.conversation(one.workspace.id, { channel })
    const asked = await make.message(one.workspace.id, other, { externalId: `${channel}-1` })
    assert.equal(await codeOf(put(asked.id)), 'CHANNEL_NOT_SUPPORTED')
    const details = await one.jane.call('GET', `/conversations/${other.id}/details`)
    assert.deepEqual(details.body.reactions, [])
  }
  const late = await ask('whatsapp', WHATSAPP)
  await late.hear(new Date(Date.now() - 25 * 3_600_000))
  assert.equal(await codeOf(late.react('👍')), 'WHATSAPP_SERVICE_WINDOW_CLOSED')
  assert.equal(provider.asked.length, 0)
})
