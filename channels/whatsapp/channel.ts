// WhatsApp as one of the channels: the Graph API's client behind the contract that the server knows.
import {
  type Accepted,
  type ChannelAccount,
  DeliveryError,
  type OutboundMessage,
  type WhatsappChannel,
} from '../channel.ts'
import { answerHandshake, isSigned } from '../meta/signature.ts'
import { checkNumber } from './check.ts'
import {
  closeConnections,
  type GraphAccount,
  listTemplates,
  markRead,
  sendTemplate,
  sendText,
} from './client.ts'
import { OPTED_OUT_CODE } from './errors.ts'
import { fetchFile, limits, sendFile } from './media.ts'
import { parseWebhook } from './parse.ts'
import { phoneVariants } from './phone-variants.ts'
import {
  buildComponents,
  describeTemplate,
  isSendable,
  listedTemplate,
  renderBody,
  validateParameters,
} from './templates.ts'
import { isUserId } from './user-id.ts'

/** More than 24 hours have passed since the customer's last message. */
const WINDOW_CLOSED_CODE = '131047'

const graphAccount = ({ settings, secrets }: ChannelAccount): GraphAccount => ({
  accessToken: secrets.accessToken ?? '',
  phoneNumberId: String(settings.phoneNumberId ?? ''),
  businessAccountId: String(settings.businessAccountId ?? ''),
  ...(typeof settings.apiUrl === 'string' && { apiUrl: settings.apiUrl }),
})

/** The id that the provider gave comes first: it may differ from the number by a digit, and only it is sure to arrive. */
const recipientOf = ({ to }: OutboundMessage): string => {
  const recipient = to.externalId ?? to.phone
  if (!recipient) throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no WhatsApp number.')
  return recipient
}

const send = async (
  account: ChannelAccount,
  message: OutboundMessage,
  options: { timeoutMs: number },
): Promise<Accepted> => {
  const { body, template } = message
  const [file] = message.attachments
  const graph = graphAccount(account)
  const input = { to: recipientOf(message), callbackData: message.attemptId }
  const { externalId, waId, userId } = await (template
    ? sendTemplate(graph, { ...input, ...template }, options)
    : file
      ? sendFile(graph, { ...input, body, file }, options)
      : sendText(graph, { ...input, body }, options))
  return { externalId, recipient: { whatsappId: waId, whatsappUserId: userId } }
}

export const whatsapp: WhatsappChannel = {
  delivery: 'sent',
  send,
  attachments: limits,
  fetchMedia: (account, source, options) => fetchFile(graphAccount(account), source, options),
  check: (account, options) => checkNumber(graphAccount(account), account, options),
  markRead: (account, externalId, options) => markRead(graphAccount(account), externalId, options),
  close: closeConnections,
  isResendHarmless: false,
  replyWindow: { hours: 24, refusalCode: WINDOW_CLOSED_CODE, errorCode: 'WHATSAPP_SERVICE_WINDOW_CLOSED' },
  isSigned,
  answerHandshake,
  parseWebhook,
  phoneVariants,
  isUserId,
  listTemplates: (account, options) => listTemplates(graphAccount(account), options),
  optedOutCode: OPTED_OUT_CODE,
  isSendable,
  listedTemplate,
  describeTemplate,
  validateParameters,
  buildComponents,
  renderBody,
}
