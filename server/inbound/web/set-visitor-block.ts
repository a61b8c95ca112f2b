import { lockContact } from '../../domain/contacts/profile-queries.ts'
import { actorName } from '../../domain/conversations/actor-name.ts'
import { addSystemLineToWebThreads } from '../../domain/messages/add-system-line.ts'
import {
  type BlockState,
  deleteBlocks,
  findVisitorAddress,
  insertBlock,
  readBlocks,
} from '../../domain/visitors/block-queries.ts'
import type { BlockChange } from '../../domain/visitors/schema.ts'
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'

/**
 * Blocks or unblocks a contact in the web chat, their last known address, or both; what is omitted stays. A blocked
 * visitor can't start sessions or send messages, and their open streams end. A line in the thread says who did it.
 * Throws CONTACT_NOT_FOUND, and VALIDATION_ERROR if no address is known.
 */
export const setVisitorBlock = (
  ctx: Ctx,
  contactId: string,
  { visitor, address }: BlockChange,
): Promise<BlockState> =>
  inTransaction(ctx, async (ctx) => {
    await lockContact(ctx, contactId)
    const before = await readBlocks(ctx, contactId)
    const blockedBy = actorId(ctx.actor)
    if (visitor === true) await insertBlock(ctx, { kind: 'contact', value: contactId, contactId, blockedBy })
    if (visitor === false) await deleteBlocks(ctx, contactId, 'contact')
    const known = address === true ? await findVisitorAddress(ctx, contactId) : null
    if (address === true && known === null && !before.address)
      throw invalid({ field: 'address', message: 'is not known for this contact; block the visitor instead' })
    if (known !== null) await insertBlock(ctx, { kind: 'address', value: known, contactId, blockedBy })
    if (address === false) await deleteBlocks(ctx, contactId, 'address')
    const after = await readBlocks(ctx, contactId)
    const changes = [
      ...lineOf(before.visitor, after.visitor, 'this visitor'),
      ...lineOf(before.address, after.address, "this visitor's address"),
    ]
    if (changes.length === 0) return after
    const who = await actorName(ctx)
    for (const { event, text } of changes) {
      await addSystemLineToWebThreads(ctx, contactId, {
        body: `${who} ${text}`,
        metadata: { event, by: blockedBy },
      })
      ctx.log.info(
        { workspaceId: ctx.workspaceId, contactId, event, by: blockedBy },
        'a visitor was blocked or unblocked',
      )
    }
    await record(ctx, {
      type: 'contact.blocked',
      contactId,
      data: { contactId, visitor: after.visitor, ...(known !== null && { address: known }) },
    })
    return after
  })

const lineOf = (was: boolean, is: boolean, what: string): { event: string; text: string }[] =>
  was === is
    ? []
    : [{ event: is ? 'blocked' : 'unblocked', text: `${is ? 'blocked' : 'unblocked'} ${what} in web chat` }]
