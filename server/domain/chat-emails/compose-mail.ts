// The email that replies in a chat become. It has nothing in it that a visitor wrote: whoever types a stranger's address
// can't use us to write to them.
import type { OutboundAttachment, OutboundMessage } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { signatureOf } from '../emails/signatures.ts'
import type { MailToSend } from './mail-queries.ts'
import { linkToken, stopToken } from './tokens.ts'
import { fillWords, type MailWords, mailWords } from './words.ts'

/** The chat box reads it from the page's address, and tells the server. */
const LINK_FRAGMENT = '#foyer-email='
const STOP_PATH = '/chat-emails/stop'

export const stopUrl = (
  ctx: Pick<Ctx, 'seal' | 'workspaceId' | 'publicUrl'>,
  hash: string,
  language: string,
) => `${ctx.publicUrl}${STOP_PATH}/${stopToken(ctx, hash)}?language=${language}`

/**
 * The page that they were on, without its query. Any browser may claim to be on any page, so only one of the sites that
 * the channel is restricted to is linked.
 */
export const pageUrl = (
  ctx: Pick<Ctx, 'seal' | 'workspaceId'>,
  { id, page, allowedOrigins }: { id: string } & Pick<MailToSend, 'page' | 'allowedOrigins'>,
): string | null => {
  if (page === null || !URL.canParse(page)) return null
  const { origin, pathname, protocol } = new URL(page)
  const isKnown = allowedOrigins.some((entry) => URL.canParse(entry) && new URL(entry).origin === origin)
  if (!isKnown || !/^https?:$/.test(protocol)) return null
  return `${origin}${pathname}${LINK_FRAGMENT}${linkToken(ctx, id)}`
}

type Account = { id: string; settings: { plusAddressing?: unknown } }

/** Which of the files fit into one email; the others are in the chat only. */
const fitting = (ctx: Ctx, files: MailToSend['files']): MailToSend['files'] => {
  const { max = 0, bytesMax = 0 } = ctx.channels.email.attachments ?? {}
  let left = bytesMax
  return files.slice(0, max).filter(({ size }) => {
    left -= size
    return left >= 0
  })
}

export const composeChatMail = (
  ctx: Ctx,
  account: Account,
  id: string,
  mail: MailToSend,
  toFile: (file: MailToSend['files'][number]) => OutboundAttachment,
): OutboundMessage => {
  const { conversationId, workspaceName, language, answeredEmailId } = mail
  const words = mailWords(language)
  const files = fitting(ctx, mail.files)
  const subject = fillWords(words.subject, { workspace: workspaceName })
  const channelAccountId = account.id
  const unsubscribeUrl = stopUrl(ctx, mail.addressHash, language)
  const body = bodyOf(words, mail, {
    page: pageUrl(ctx, { id, ...mail }),
    unsubscribeUrl,
    hasMoreFiles: files.length < mail.files.length,
  })
  return {
    ...{ id, attemptId: id, conversationId, body, subject, senderName: workspaceName, template: null },
    attachments: files.map(toFile),
    to: { contactId: mail.contactId, name: '', email: mail.address, phone: null, externalId: null },
    createdAt: mail.createdAt,
    email: {
      signature: signatureOf(ctx, 'email message', { channelAccountId, id }),
      thread: {
        id: conversationId,
        signature: signatureOf(ctx, 'email message', { channelAccountId, id: conversationId }),
      },
      reply: account.settings.plusAddressing
        ? {
            id: conversationId,
            signature: signatureOf(ctx, 'email reply', { channelAccountId, id: conversationId }),
          }
        : null,
      ...{ address: mail.address, subject, isAnswer: false, inReplyTo: answeredEmailId },
      references: answeredEmailId === null ? [] : [answeredEmailId],
      isAutomatic: mail.isAutomatic,
      unsubscribeUrl,
    },
  }
}

type Links = { page: string | null; unsubscribeUrl: string; hasMoreFiles: boolean }

const bodyOf = (
  words: MailWords,
  { workspaceName: workspace, replies }: MailToSend,
  { page, unsubscribeUrl, hasMoreFiles }: Links,
): string =>
  [
    fillWords(words.intro, { workspace }),
    ...replies.map(({ name, body }) => (body ? `${name}:\n${body}` : `${name}:`)),
    ...(hasMoreFiles ? [words.files] : []),
    ...(page === null ? [] : [fillWords(words.open, { url: page })]),
    words.reply,
    `-- \n${fillWords(words.why, { workspace, url: unsubscribeUrl })}`,
  ].join('\n\n')
