import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { insertSystemEntry } from '../conversations/queries.ts'
import { insertStop, listChatsOf, setFailed } from './queries.ts'

/** No more emails about chats to an address, from this workspace, whoever enters it. Repeating it changes nothing. */
export const stopEmails = (ctx: Ctx, addressHash: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await insertStop(ctx, addressHash))) return
    for (const { address, ...conversation } of await listChatsOf(ctx, addressHash))
      await insertSystemEntry(ctx, {
        conversation,
        body: `${address} doesn’t want replies by email`,
        metadata: { event: 'chat_email_stopped', by: 'customer' },
      })
  })

/** One of these emails came back, or was reported as spam. False if it is none of them. */
export const failEmails = (
  ctx: Ctx,
  { mailIds, isUnwanted }: { mailIds: readonly string[]; isUnwanted: boolean },
): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const failed = await setFailed(ctx, mailIds)
    if (!failed) return false
    const { address, addressHash, ...conversation } = failed
    if (isUnwanted) await insertStop(ctx, addressHash)
    await insertSystemEntry(ctx, {
      conversation,
      body: isUnwanted
        ? `${address} reported an email as spam and gets no more`
        : `The email to ${address} could not be delivered. Replies are only in the chat.`,
      metadata: { event: 'chat_email_failed', by: 'system' },
    })
    return true
  })
