// Emails visitors what they haven't seen in the chat. Which replies are in an email is stored before it is sent, so that a
// job that is repeated, because its process was killed or the response was lost, sends the same email again, with the same
// Message-ID.
import { DeliveryError } from '../../channels/channel.ts'
import { composeChatMail } from '../domain/chat-emails/compose-mail.ts'
import { endMail, findMailToSend, listDueChats, type MailToSend } from '../domain/chat-emails/mail-queries.ts'
import { prepareMail } from '../domain/chat-emails/prepare-mail.ts'
import { insertSystemEntry } from '../domain/conversations/queries.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'
import { attemptSend, findSender } from './hand-over.ts'
import { toFile } from './outbound-files.ts'

const CHATS_MAX = 500
const TRIED_FOR_MS = 24 * 3_600_000

/** Looks at the chats that are due. */
export const prepareChatEmails = async (deps: JobDeps): Promise<void> => {
  for (const { workspaceId, conversationId } of await listDueChats(deps.db, deps.now(), CHATS_MAX)) {
    if (deps.isStopping()) return
    try {
      await prepareMail(systemCtx(deps, workspaceId), conversationId)
    } catch (error) {
      deps.log.error({ err: error, workspaceId, conversationId }, 'an email about a chat was not prepared')
    }
  }
}

/** Sends one of the emails, unless the visitor has come back. */
export const sendChatEmail = async (
  deps: JobDeps,
  { workspaceId, mailId }: JobPayloads['send_chat_email'],
): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const mail = await findMailToSend(ctx, mailId)
  if (!mail) return
  if (!mail.isWanted) {
    await endMail(ctx, { mailId, state: 'dropped' })
    return
  }
  const failed = await send(deps, ctx, mailId, mail)
  if (!failed) return finish(ctx, mailId, mail, 'sent')
  ctx.log.warn({ workspaceId, mailId, code: failed.code }, 'an email about a chat could not be sent')
  const isOver = ctx.now().getTime() - Date.parse(mail.createdAt) > TRIED_FOR_MS
  if (failed.outcome === 'refused' || isOver) return finish(ctx, mailId, mail, 'dropped')
  throw new Error(`an email about a chat could not be sent: ${failed.code}`)
}

const send = async (
  deps: JobDeps,
  ctx: Ctx,
  mailId: string,
  mail: MailToSend,
): Promise<DeliveryError | undefined> => {
  const sender = await findSender(deps, ctx, mail.channelAccountId)
  if (!sender?.send || sender.account.channel !== 'email')
    return new DeliveryError('refused', 'NO_ACCOUNT', 'There is no mailbox that could send it.')
  const message = composeChatMail(ctx, sender.account, mailId, mail, (file) => toFile(ctx, file))
  const sent = await attemptSend(ctx, mailId, () => sender.send!(message), deps.timing.sendTimeoutMs)
  return sent instanceof DeliveryError ? sent : undefined
}

/** A line in the thread tells the team. */
const finish = (ctx: Ctx, mailId: string, mail: MailToSend, state: 'sent' | 'dropped'): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await endMail(ctx, { mailId, state }))) return
    const { conversationId, webAccountId, address, replies } = mail
    const what = replies.length === 1 ? 'The reply' : `${replies.length} replies`
    await insertSystemEntry(ctx, {
      conversation: { id: conversationId, channelAccountId: webAccountId },
      body:
        state === 'sent'
          ? `${what} had not been seen in the chat and ${replies.length === 1 ? 'was' : 'were'} emailed to ${address}`
          : `${what} could not be emailed to ${address}`,
      metadata: { event: state === 'sent' ? 'chat_emailed' : 'chat_email_failed', by: 'system', mailId },
    })
  })
