// Implements the channel contract for Messenger, with Meta's webhooks and Send API.
import {
  type Channel,
  type ChannelAccount,
  type ChannelCheck,
  type CustomerProfile,
  DeliveryError,
  type OutboundReaction,
  type Typing,
} from '../contract/channel.ts'
import type { InboundItem } from '../contract/inbound.ts'
import { answerHandshake, isSigned, type MetaWebhooks } from '../meta/signature.ts'
import { problemOf } from '../protocol/check.ts'
import { closeConnections } from '../protocol/exchange.ts'
import { fullNameOf } from '../protocol/inbound-items.ts'
import { idOf, lineOf, textOf } from '../protocol/read-json.ts'
import { call, downloadFile } from './client.ts'
import { WINDOW_CLOSED_CODE } from './errors.ts'
import { parseWebhook } from './parse.ts'
import { attachments, send } from './send.ts'

export type FacebookChannel = Channel & MetaWebhooks & { parseWebhook: (body: string) => InboundItem[] }

const fetchProfile = async (
  account: ChannelAccount,
  externalId: string,
  { timeoutMs }: { timeoutMs: number },
): Promise<CustomerProfile> => {
  const profile = await call(account, {
    path: encodeURIComponent(externalId),
    query: { fields: 'first_name,last_name,profile_pic' },
    timeoutMs,
    isRepeatable: true,
  })
  const url = textOf(profile.profile_pic, 4096)
  return {
    name: fullNameOf(lineOf(profile.first_name, 200), lineOf(profile.last_name, 200)),
    username: null,
    // The URL's query is signed and changes with each request.
    avatar: url === null || !URL.canParse(url) ? null : { source: { url }, key: new URL(url).pathname },
  }
}

const check = async (
  account: ChannelAccount,
  { timeoutMs }: { timeoutMs: number },
): Promise<ChannelCheck[]> => {
  const name = 'Page'
  try {
    const page = await call(account, {
      path: 'me',
      query: { fields: 'id,name' },
      timeoutMs,
      isRepeatable: true,
    })
    const isOurs = idOf(page.id) === String(account.settings.pageId ?? '')
    const called = lineOf(page.name) ?? '(unnamed)'
    return [
      isOurs
        ? { name, ok: true, message: `Connected to the page ${called}.` }
        : { name, ok: false, message: `The access token belongs to another page, ${called}.` },
    ]
  } catch (error) {
    return [{ name, ok: false, message: problemOf(error) }]
  }
}

/** Shown for 20 s. https://developers.facebook.com/docs/messenger-platform/send-messages/sender-actions */
const typing: Typing = {
  show: async (account, { externalId }, options) => {
    const body = { recipient: { id: externalId }, sender_action: 'typing_on' }
    await call(account, {
      path: 'me/messages',
      content: { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json' },
      isRepeatable: true,
      ...options,
    })
  },
  renewMs: 15_000,
}

/** https://developers.facebook.com/docs/messenger-platform/send-messages/sender-actions */
const react = async (
  account: ChannelAccount,
  { messageExternalId, emoji, to }: OutboundReaction,
  { timeoutMs }: { timeoutMs: number },
): Promise<void> => {
  if (!to.externalId) throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no Messenger ID.')
  const body = {
    recipient: { id: to.externalId },
    sender_action: emoji === null ? 'unreact' : 'react',
    payload: { message_id: messageExternalId, ...(emoji !== null && { reaction: emoji }) },
  }
  await call(account, {
    path: 'me/messages',
    content: { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json' },
    timeoutMs,
    isRepeatable: true,
  })
}

export const facebook: FacebookChannel = {
  delivery: 'sent',
  send,
  isClosedToApi: true,
  bodyMax: 2_000,
  attachments,
  fetchMedia: (account, { url }, options) => downloadFile(account, String(url), options),
  fetchProfile,
  check,
  react,
  typing,
  close: closeConnections,
  isResendHarmless: false,
  replyWindow: { hours: 24, refusalCode: WINDOW_CLOSED_CODE, errorCode: 'REPLY_WINDOW_CLOSED' },
  isSigned,
  answerHandshake,
  parseWebhook,
}
