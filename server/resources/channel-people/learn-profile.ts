import { type Ctx, inTransaction } from '../../ctx.ts'
import { record } from '../../events/record.ts'
import { bindToContact } from '../attachments/queries.ts'
import { followName } from '../contacts/follow-name.ts'
import { findContactIds, setAvatar } from '../contacts/people-queries.ts'
import { setAvatarKey, setProviderName } from './queries.ts'

type Whose = { channel: 'telegram' | 'facebook' | 'sms'; channelAccountId: string; externalId: string }

const contactOf = async (ctx: Ctx, { channel, externalId }: Whose): Promise<string | undefined> =>
  (await findContactIds(ctx, [{ kind: channel, value: externalId }]))[0]

/** What a provider calls somebody, onto their contact: a name that people here gave it stays. */
export const learnName = (ctx: Ctx, whose: Whose, name: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const contactId = await contactOf(ctx, whose)
    const before = await setProviderName(ctx, { ...whose, name })
    if (contactId && before !== null) await followName(ctx, { contactId, from: before, to: name })
  })

/** The picture that a provider has of somebody, stored before (storeAttachment), becomes their contact's. */
export const learnAvatar = (
  ctx: Ctx,
  whose: Whose,
  { attachmentId, key }: { attachmentId: string; key: string },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const contactId = await contactOf(ctx, whose)
    if (!contactId) return
    await setAvatarKey(ctx, { ...whose, key })
    await setAvatar(ctx, contactId, attachmentId)
    await bindToContact(ctx, contactId, attachmentId)
    await record(ctx, { type: 'contact.updated', contactId, data: { contactId } })
  })
