import { DEFINITIONS } from '../../../channels/definitions.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Fields } from '../read-fields.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { type ChannelAccountDeps, sealSecrets } from './add-channel-account.ts'
import { assertUniqueAddress, placesOf } from './assert-unique-address.ts'
import { findChannelAccount, hasConversations, readableSecrets, updateChannelAccountRow } from './queries.ts'
import { queueAdoption } from './queue-adoption.ts'
import { readChannelAccount } from './read-channel-account.ts'
import { type FieldChanges, requireSecretsAgain } from './require-secrets-again.ts'
import type { StoredChannelAccount } from './schema.ts'

/**
 * Changes a channel account, validated as a whole as if it were new. Its number, mailbox, page or bot can be corrected
 * until the first conversation; another host requires entering the secrets sent to it again. Throws CHANNEL_NOT_FOUND
 * and VALIDATION_ERROR.
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
    requireSecretsAgain(channel, {
      before: { ...before.settings, ...before.secrets },
      after: { ...after.settings, ...after.secrets },
      changes,
    })
    await assertUniqueAddress(ctx, after)
    const places = placesOf(after)
    const moved = Object.entries(placesOf(before)).filter(([field, place]) => places[field] !== place)
    if (moved.length > 0 && (await hasConversations(ctx, id)))
      throw invalid(
        ...moved.map(([field]) => ({
          field,
          message: 'cannot be changed once there are conversations; connect another channel instead',
        })),
      )
    // Settings written by other parts of the system stay.
    const kept = Object.entries(stored.settings).filter(([name]) => changes[name] !== null)
    await updateChannelAccountRow(ctx, {
      id,
      name: account.name,
      address: account.address,
      // Of this kind, because its own reader produced them.
      settings: { ...Object.fromEntries(kept), ...account.settings } as typeof stored.settings,
      secrets: sealSecrets(ctx, id, after.secrets),
    })
    await queueAdoption(ctx, { id, channel })
    await recordAudit(ctx, {
      action: 'channel.updated',
      target: { type: 'channel', id, name: account.name },
      // Settings can be URLs with passwords in them, so only which fields were given.
      changes: { fields: { to: Object.keys(changes) } },
    })
  })

/** The fields that an account was created from: its settings and secrets use their names. */
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
  const [addressField] =
    Object.entries(DEFINITIONS[channel].fields).find(([, field]) => field.in === 'address') ?? []
  if (addressField && address !== null) fields[addressField] = address
  // An account named after its address follows the new one.
  if (name !== address) fields.name = name
  return fields
}
