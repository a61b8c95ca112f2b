import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { type ChatBoxSettings, DEFAULT_SETTINGS } from '../chat-boxes/schema.ts'
import { insertSystemEntry } from '../conversations/queries.ts'
import {
  countMails,
  insertMail,
  type LockedChat,
  listUnseenReplies,
  lockDueChat,
  REPLIES_MAX,
  setDue,
} from './mail-queries.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Somebody may have typed a stranger's address: it gets no more than these, until somebody there answers. */
export const UNPROVEN_MAX = 3
const UNPROVEN_WITHIN_MS = 30 * DAY_MS
const PROVEN_MAX = 50
export const PER_HOUR_MAX = 500
/** When to look again after a limit. */
const AGAIN_MS = HOUR_MS

/**
 * Looks whether replies in a chat were not seen for long enough, and stores and queues one email with them. Of two
 * processes that look at once one does, and a reply is in one email.
 */
export const prepareMail = (ctx: Ctx, conversationId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const chat = await lockDueChat(ctx, conversationId)
    if (!chat) return
    const settings: ChatBoxSettings = { ...DEFAULT_SETTINGS, ...chat.settings }
    const replies =
      settings.asksEmail && chat.mailboxId !== null && !chat.isStopped
        ? await listUnseenReplies(ctx, {
            conversationId,
            after: [chat.emailedId, chat.writtenId],
            includesAutomated: chat.isProven,
          })
        : []
    const last = replies.at(-1)
    if (!last || chat.mailboxId === null) return setDue(ctx, { conversationId, at: null })
    const now = ctx.now().getTime()
    // Who has come back to the page gets the time to open the chat.
    const leftAt = Math.max(Date.parse(replies[0]!.createdAt), chat.seenAt ? Date.parse(chat.seenAt) : 0)
    const at = new Date(leftAt + settings.emailAfterMinutes * MINUTE_MS)
    if (at.getTime() > now) return setDue(ctx, { conversationId, at })
    const limit = await findLimit(ctx, chat)
    if (limit === 'address' && !chat.isProven) {
      await insertSystemEntry(ctx, {
        conversation: { id: conversationId, channelAccountId: chat.channelAccountId },
        body: `Not emailed to ${chat.address}: nobody has replied to the last ${UNPROVEN_MAX} emails there`,
        metadata: { event: 'chat_email_limit', by: 'system' },
      })
      return setDue(ctx, { conversationId, at: null, emailedId: last.id })
    }
    if (limit) return setDue(ctx, { conversationId, at: new Date(now + AGAIN_MS) })
    const mailId = ctx.newId()
    await insertMail(ctx, {
      id: mailId,
      conversationId,
      channelAccountId: chat.mailboxId,
      addressHash: chat.addressHash,
      messageIds: replies.map(({ id }) => id),
    })
    await setDue(ctx, {
      conversationId,
      at: replies.length < REPLIES_MAX ? null : ctx.now(),
      emailedId: last.id,
    })
    await addJob(ctx, 'send_chat_email', { workspaceId: ctx.workspaceId, mailId })
  })

const findLimit = async (
  ctx: Ctx,
  { addressHash, isProven }: LockedChat,
): Promise<'address' | 'workspace' | null> => {
  const ago = (ms: number) => new Date(ctx.now().getTime() - ms)
  const { ofAddress, ofWorkspace } = await countMails(ctx, {
    addressHash,
    since: ago(isProven ? DAY_MS : UNPROVEN_WITHIN_MS),
    hourAgo: ago(HOUR_MS),
  })
  if (ofWorkspace >= PER_HOUR_MAX) return 'workspace'
  return ofAddress >= (isProven ? PROVEN_MAX : UNPROVEN_MAX) ? 'address' : null
}
