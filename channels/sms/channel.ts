// Implements the channel contract for SMS, with Twilio's API and webhooks.

import {
  type Accepted,
  type Channel,
  type ChannelAccount,
  type ChannelCheck,
  DeliveryError,
  type FetchedMedia,
  type MediaOptions,
  type OutboundLimits,
  type OutboundMessage,
  type SendOptions,
} from '../contract/channel.ts'
import type { InboundItem } from '../contract/inbound.ts'
import { problemOf } from '../protocol/check.ts'
import { download, isAddressLiteral, isLoopback } from '../protocol/download.ts'
import { closeConnections } from '../protocol/exchange.ts'
import { idOf, lineOf } from '../protocol/read-json.ts'
import { authorizationOf, baseOf, call } from './client.ts'
import { parseMessage, parseStatus, readForm } from './parse.ts'
import { type Form, isSigned } from './signature.ts'

export type SmsChannel = Channel & {
  /** The fields of a form; undefined if there are too many. */
  readForm: (body: string) => Form | undefined
  /** `url` is the public address, as it is configured at the provider. */
  isSigned: (
    authToken: string,
    request: { url: string; form: Form; signature: string | undefined },
  ) => boolean
  parseMessage: (form: Form, accountSid: string) => InboundItem
  parseStatus: (form: Form, accountSid: string, attemptId: string | null) => InboundItem[]
}

/** https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
const BODY_MAX = 1600
const MEDIA_MAX = 10
/** For all files together. */
const MEDIA_BYTES_MAX = 5 * 1024 * 1024

const attachments: OutboundLimits = {
  max: MEDIA_MAX,
  bytesMax: MEDIA_BYTES_MAX,
  refuses: ({ attachments }) =>
    attachments.reduce((sum, { size }) => sum + size, 0) > MEDIA_BYTES_MAX
      ? 'Attachments on SMS can be at most 5 MB in total.'
      : undefined,
}

const send = async (
  account: ChannelAccount,
  message: OutboundMessage,
  { timeoutMs, webhookUrl }: SendOptions,
): Promise<Accepted> => {
  const to = message.to.externalId ?? message.to.phone
  if (!to || !account.address)
    throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no phone number for SMS.')
  const form = new URLSearchParams({ From: account.address, To: to })
  if (message.body) form.set('Body', message.body)
  for (const { url } of message.attachments) form.append('MediaUrl', url)
  // For delivery reports. The attempt's id identifies them even if the response to this call is lost. Twilio refuses
  // callbacks that it can't reach, so a loopback URL is only given to a Twilio on loopback.
  if (!isLoopback(new URL(webhookUrl)) || isLoopback(baseOf(account)))
    form.set('StatusCallback', `${webhookUrl}/status/${message.attemptId}`)
  const answer = await call(account, { path: '/Messages', form, timeoutMs, isRepeatable: false })
  const externalId = idOf(answer.sid)
  if (!externalId)
    throw new DeliveryError('unknown', 'ANSWER_UNREADABLE', 'Twilio’s response has no message ID.')
  return { externalId }
}

/** Twilio requires the credentials and then redirects to a file store, which must not get them. */
const fetchMedia = (
  account: ChannelAccount,
  { url }: Record<string, unknown>,
  options: MediaOptions,
): Promise<FetchedMedia> => {
  const base = baseOf(account)
  return download({
    ...options,
    provider: 'Twilio',
    url: String(url),
    trustOf: (asked, isFirst) => {
      if (asked.host === base.host && asked.protocol === base.protocol)
        return { authorization: authorizationOf(account) }
      if (isLoopback(base)) return isLoopback(asked) ? {} : undefined
      return !isFirst && asked.protocol === 'https:' && !isLoopback(asked) && !isAddressLiteral(asked)
        ? {}
        : undefined
    },
    failureOf: ({ status }) =>
      status === 404
        ? new DeliveryError('retry', 'MEDIA_GONE', 'Twilio does not have the file, or doesn’t have it yet.')
        : undefined,
  })
}

const check = async (
  account: ChannelAccount,
  { timeoutMs }: { timeoutMs: number },
): Promise<ChannelCheck[]> => {
  const name = 'Account'
  try {
    const found = await call(account, { path: '', timeoutMs, isRepeatable: true })
    const status = lineOf(found.status, 64) ?? 'active'
    const called = lineOf(found.friendly_name) ?? String(account.settings.accountSid)
    return [
      status === 'active'
        ? { name, ok: true, message: `Connected to the Twilio account ${called}.` }
        : { name, ok: false, message: `The Twilio account ${called} is ${status}.` },
    ]
  } catch (error) {
    return [{ name, ok: false, message: problemOf(error) }]
  }
}

export const sms: SmsChannel = {
  delivery: 'sent',
  send,
  isClosedToApi: true,
  bodyMax: BODY_MAX,
  attachments,
  fetchMedia,
  check,
  close: closeConnections,
  isResendHarmless: false,
  readForm,
  isSigned,
  parseMessage,
  parseStatus,
}
