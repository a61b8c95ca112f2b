import type { SingleIdChannelName } from '../../../channels/definitions.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { bindToContact } from '../attachments/queries.ts'
import { findContactIds, setAvatar } from '../contacts/people-queries.ts'
import { renameFromProvider } from '../contacts/rename-from-provider.ts'
import { setAvatarKey, setProviderName } from './queries.ts'

type Whose = { channel: SingleIdChannelName; channelAccountId: string; externalId: string }

const contactOf = async (ctx: Ctx, { channel, externalId }: Whose): Promise<string | undefined> =>
  (await findContactIds(ctx, [{ kind: channel, value: externalId }]))[0]

/** Copies the provider's name for someone to their contact; a name given by the team stays. */
export const saveProfileName = (ctx: Ctx, whose: Whose, name: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const contactId = await contactOf(ctx, whose)
    const before = await setProviderName(ctx, { ...whose, name })
    if (contactId && before !== null) await renameFromProvider(ctx, { contactId, from: before, to: name })
  })

/** Makes the provider's picture of someone, already stored by storeAttachment, their contact's picture. */
export const saveAvatar = (
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
    await record(ctx, { type: 'contact.updated', contactId, data: { contactId, changed: ['avatar'] } })
  })
