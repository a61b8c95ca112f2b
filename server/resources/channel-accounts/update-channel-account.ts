import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError, invalid } from '../../errors.ts'
import type { Fields } from '../read-fields.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { type ChannelAccountDeps, readChannelAccount, sealSecrets } from './add-channel-account.ts'
import { findChannelAccount, hasConversations, readableSecrets, updateChannelAccountRow } from './queries.ts'
import { placesOf, refuseTwins } from './refuse-twins.ts'
import type { StoredChannelAccount } from './schema.ts'

/** A field that is not given stays as it is, secrets too; null takes an optional one away. */
export type FieldChanges = Record<string, string | string[] | null | undefined>

/**
 * Changes a channel account, checked as a whole as if it were added anew. Which number, mailbox, page or bot it is can
 * be put right until the first conversation. Throws CHANNEL_NOT_FOUND and VALIDATION_ERROR.
 */
export const updateChannelAccount = (
  ctx: Ctx & ChannelAccountDeps,
  { channelId, changes }: { channelId: string; changes: FieldChanges },
): Promise<void> =>
  inTransaction(ctx, async (inner) => {
    const ctx = inner as Ctx & ChannelAccountDeps
    await lockWorkspace(ctx)
    const stored = await findChannelAccount(ctx, channelId)
    if (!stored) throw new ApiError('CHANNEL_NOT_FOUND')
    const { id, channel } = stored
    const before = { ...stored, secrets: readableSecrets(ctx.seal, stored) ?? {} }
    const fields: Fields = { ...fieldsOf(before) }
    for (const [field, value] of Object.entries(changes))
      if (value === null) delete fields[field]
      else if (value !== undefined) fields[field] = value
    const account = readChannelAccount(channel, fields)
    const after = { ...account, id, channel, secrets: account.secrets as Record<string, string | undefined> }
    await refuseTwins(ctx, after)
    const places = placesOf(after)
    const moved = Object.entries(placesOf(before)).filter(([field, place]) => places[field] !== place)
    if (moved.length > 0 && (await hasConversations(ctx, id)))
      throw invalid(
        ...moved.map(([field]) => ({
          field,
          message: 'cannot be changed once there are conversations: connect another channel instead',
        })),
      )
    // What others wrote into the settings stays.
    const kept = Object.entries(stored.settings).filter(([name]) => changes[name] !== null)
    await updateChannelAccountRow(ctx, {
      id,
      name: account.name,
      address: account.address,
      // Of this kind, for its own reader made them.
      settings: { ...Object.fromEntries(kept), ...account.settings } as typeof stored.settings,
      secrets: sealSecrets(ctx, id, after.secrets),
    })
  })

const ADDRESS_FIELD = { whatsapp: 'phoneNumber', sms: 'phoneNumber', email: 'address' } as const

/** The fields that an account was made from: its settings and secrets bear their names. */
const fieldsOf = ({
  channel,
  name,
  address,
  settings,
  secrets,
}: Omit<StoredChannelAccount, 'secrets'> & { secrets: Record<string, string | undefined> }): Fields => {
  const fields: Fields = { ...secrets }
  for (const [field, value] of Object.entries(settings))
    if (Array.isArray(value)) fields[field] = value.map(String)
    else if (value !== null) fields[field] = String(value)
  const addressField = ADDRESS_FIELD[channel as keyof typeof ADDRESS_FIELD]
  if (addressField && address !== null) fields[addressField] = address
  // One that was named after its address is named after the new one.
  if (name !== address) fields.name = name
  return fields
}
