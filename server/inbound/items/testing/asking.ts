// Accounts of providers on which a flow asks questions with options, for tests.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { TestApp } from '../../../../test/app.ts'
import { readChoiceToken } from '../../../domain/messages/choice-token.ts'
import type { OfferedChoices } from '../../../domain/messages/choices.ts'
import { sendMessage } from '../../../domain/messages/send-message.ts'
import { settleMessage } from '../../../domain/messages/settle-message.ts'
import { newId } from '../../../platform/db/id.ts'
import { connect as connectWhatsapp, messageOf, webhook } from '../../whatsapp/testing/provider.ts'
import { connectFresh, json, startProvider } from './provider.ts'

const SECRET = 'app-secret'
const PAGE = '1059812345678'
const LENA = '7890123456781234'
export const NIC = { id: 3527065, is_bot: false, first_name: 'Nic', last_name: 'Pottier' }
export const CHAT = { id: NIC.id, first_name: 'Nic', type: 'private' }

let count = 1000
export const nextNumber = (): number => count++

/** Accepts what is sent to WhatsApp, Messenger or Telegram. */
export const startAnyProvider = () =>
  startProvider(({ method, url }, response) => {
    if (method === 'GET') return json(response, { first_name: 'Lena', last_name: 'Meyer' })
    if (url.startsWith('/bot'))
      return json(response, { ok: true, result: { message_id: nextNumber(), photos: [] } })
    json(response, {
      recipient_id: LENA,
      message_id: `m_${nextNumber()}`,
      contacts: [],
      messages: [{ id: `wamid.${nextNumber()}` }],
    })
  })

/** Connects a channel on which a customer has written. */
export const askingOn = async (
  app: TestApp,
  provider: Awaited<ReturnType<typeof startAnyProvider>>,
  channel: 'whatsapp' | 'facebook' | 'telegram',
  runId: string,
) => {
  provider.reset()
  const fields = {
    facebook: {
      pageId: PAGE,
      accessToken: 'EAAG',
      appSecret: SECRET,
      verifyToken: 'v',
      apiUrl: provider.url,
    },
    telegram: {
      botToken: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
      webhookSecret: SECRET,
      apiUrl: provider.url,
    },
  }
  const workspace = await app.make.workspace()
  const channelId =
    channel === 'whatsapp' && (await connectWhatsapp(app, workspace.id, { apiUrl: provider.url }))
  const connected = channelId
    ? { ...(await connectFresh(app, 'web', {}, workspace.id)), channelId }
    : await connectFresh(app, channel as 'facebook', fields[channel as 'facebook'], workspace.id)
  const deliver = async (payload: object) => {
    const raw = JSON.stringify(payload)
    const answer = await app.app.inject({
      method: 'POST',
      url: `/webhooks/${channel}/${connected.channelId}`,
      payload: raw,
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`,
        'x-telegram-bot-api-secret-token': SECRET,
      },
    })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer
  }
  const customer = {
    whatsapp: (text: string, more = {}) =>
      webhook(messageOf({ waId: '16505551234', name: 'Ines' }, text, more)),
    facebook: (text: string, more = {}) => ({
      object: 'page',
      entry: [
        {
          id: PAGE,
          time: Date.now(),
          messaging: [
            {
              sender: { id: LENA },
              recipient: { id: PAGE },
              timestamp: Date.now(),
              message: { mid: `m_in${nextNumber()}`, text, ...more },
            },
          ],
        },
      ],
    }),
    telegram: (text: string) => ({
      update_id: nextNumber(),
      message: { message_id: nextNumber(), from: NIC, chat: CHAT, date: Math.floor(Date.now() / 1000), text },
    }),
  }[channel]
  await deliver(customer('Hello'))
  const ctx = {
    ...connected.ctx,
    workspaceId: workspace.id,
    actor: { type: 'flow' as const, flowId: newId(), runId },
  }
  const ask = async (body: string, choices: OfferedChoices) => {
    const [conversation] = await connected.rows('conversations')
    provider.asked.length = 0
    const message = await settleMessage(
      ctx,
      await sendMessage(ctx, { conversationId: conversation!.id, body, choices }),
    )
    const sent = provider.asked.filter(
      ({ method, url }) => method === 'POST' && /messages$|sendMessage$/.test(url),
    )
    return { message, sent: sent.map(({ text }) => JSON.parse(text)) }
  }
  const read = (token: string) => readChoiceToken(ctx.seal, workspace.id, token)
  return { ...connected, ctx, deliver, customer, ask, read }
}
