// Implements the channel contract for WhatsApp, with the Graph API.

import {
  type Accepted,
  type Channel,
  type ChannelAccount,
  DeliveryError,
  type OutboundMessage,
  type OutboundReaction,
  type OutboundTemplate,
  type TemplateComponent,
  type TemplateFile,
  type Typing,
} from '../contract/channel.ts'
import type { InboundItem } from '../contract/inbound.ts'
import { accessOf } from '../meta/graph.ts'
import { answerHandshake, isSigned, type MetaWebhooks } from '../meta/signature.ts'
import { closeConnections } from '../protocol/exchange.ts'
import { checkNumber } from './check.ts'
import {
  type GraphAccount,
  listTemplates,
  markRead,
  sendInteractive,
  sendReaction,
  sendTemplate,
  sendText,
} from './client.ts'
import { OPTED_OUT_CODE } from './errors.ts'
import { headerBytesOf, headerFileComponent, keptFiles, problemOfHeaderFile } from './header-file.ts'
import { interactiveOf } from './interactive.ts'
import type { WhatsappItem } from './items.ts'
import { fetchFile, limits, sendFile } from './media.ts'
import { parseWebhook } from './parse.ts'
import { phoneVariants } from './phone-variants.ts'
import { readItem } from './read-item.ts'
import { fileTypeOf, type TemplateProblem } from './template-header.ts'
import {
  buildComponents,
  type DescribedTemplate,
  describeTemplate,
  isSendable,
  type ListedTemplate,
  listedTemplate,
  renderBody,
  type TemplateDefinition,
  type TemplateValues,
  validateParameters,
} from './templates.ts'
import { isUserId } from './user-id.ts'

/** WhatsApp's additions to a channel: webhooks, templates, people with several ids. */
export type WhatsappChannel = Channel &
  MetaWebhooks & {
    parseWebhook: (body: string) => InboundItem[]
    /** Reads an item of a webhook that an earlier version stored in WhatsApp's own format. */
    readKept: (item: unknown) => InboundItem
    phoneVariants: (phone: string) => string[]
    isUserId: (text: string) => boolean
    /** Every template of the account, in every state. Throws a DeliveryError. */
    listTemplates: (account: ChannelAccount, options: { timeoutMs: number }) => Promise<TemplateDefinition[]>
    /** The provider's code for a customer who has opted out of marketing messages. */
    optedOutCode: string
    isSendable: (definition: TemplateDefinition) => boolean
    listedTemplate: (definition: TemplateDefinition) => ListedTemplate
    describeTemplate: (definition: TemplateDefinition) => DescribedTemplate
    validateParameters: (definition: TemplateDefinition, values: TemplateValues) => TemplateProblem[]
    buildComponents: (definition: TemplateDefinition, values: TemplateValues) => TemplateComponent[]
    renderBody: (definition: TemplateDefinition, parameters: readonly string[]) => string
    /** The kind of file that the template's header takes; null if it takes none. */
    headerFileType: (definition: TemplateDefinition) => TemplateFile['type'] | null
    /** How many bytes of the file problemOfHeaderFile has to see. */
    headerBytesOf: typeof headerBytesOf
    problemOfHeaderFile: typeof problemOfHeaderFile
  }

/** More than 24 hours have passed since the customer's last message. */
const WINDOW_CLOSED_CODE = '131047'

const graphAccount = (account: ChannelAccount): GraphAccount => ({
  ...accessOf(account),
  phoneNumberId: String(account.settings.phoneNumberId ?? ''),
  businessAccountId: String(account.settings.businessAccountId ?? ''),
})

/**
 * The provider's id is preferred: it can differ from the number by a digit, and only it reliably reaches the customer.
 */
const recipientOf = ({ to }: Pick<OutboundReaction, 'to'>): string => {
  const recipient = to.externalId ?? to.phone
  if (!recipient) throw new DeliveryError('refused', 'NO_ADDRESS', 'The contact has no WhatsApp number.')
  return recipient
}

const send = async (
  account: ChannelAccount,
  message: OutboundMessage,
  options: { timeoutMs: number },
): Promise<Accepted> => {
  const { body, template, choices } = message
  const [file] = message.attachments
  const interactive = choices ? interactiveOf(choices) : undefined
  const graph = graphAccount(account)
  const input = {
    to: recipientOf(message),
    callbackData: message.attemptId,
    replyTo: message.replyToExternalId ?? null,
  }
  const { externalId, waId, userId } = await (template
    ? sendTemplate(graph, { ...input, ...withFile(template) }, options)
    : file
      ? sendFile(graph, { ...input, body, file }, options)
      : interactive
        ? sendInteractive(graph, { ...input, interactive }, options)
        : sendText(
            graph,
            { ...input, body, hasLinkPreview: account.settings.linkPreviews === true },
            options,
          ))
  return { externalId, recipient: { whatsappId: waId, whatsappUserId: userId } }
}

const react = async (
  account: ChannelAccount,
  { attemptId, messageExternalId, emoji, to }: OutboundReaction,
  options: { timeoutMs: number },
): Promise<void> => {
  const input = { to: recipientOf({ to }), callbackData: attemptId }
  const reaction = { messageId: messageExternalId, emoji: emoji ?? '' }
  await sendReaction(graphAccount(account), { ...input, ...reaction }, options)
}

const withFile = ({ file, ...template }: OutboundTemplate) =>
  file ? { ...template, components: [headerFileComponent(file), ...template.components] } : template

/** There is no typing indicator without the read mark. */
const typing: Typing = {
  show: async (account, { messageId }, options) => {
    if (messageId !== null) await markRead(graphAccount(account), messageId, { ...options, isTyping: true })
  },
  renewMs: 20_000,
}

export const whatsapp: WhatsappChannel = {
  delivery: 'sent',
  send,
  bodyMax: 4_096,
  attachments: limits,
  keptFiles: keptFiles(graphAccount),
  fetchMedia: (account, source, options) => fetchFile(graphAccount(account), source, options),
  check: (account, options) => checkNumber(graphAccount(account), account, options),
  markRead: (account, externalId, options) => markRead(graphAccount(account), externalId, options),
  react,
  typing,
  close: closeConnections,
  showsQuotes: true,
  isResendHarmless: false,
  replyWindow: { hours: 24, refusalCode: WINDOW_CLOSED_CODE, errorCode: 'WHATSAPP_SERVICE_WINDOW_CLOSED' },
  isSigned,
  answerHandshake,
  parseWebhook: (body) => parseWebhook(body).map(readItem),
  // It was created by parse.ts.
  readKept: (item) => readItem(item as WhatsappItem),
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
  headerFileType: ({ header }) => fileTypeOf(header),
  headerBytesOf,
  problemOfHeaderFile,
}
