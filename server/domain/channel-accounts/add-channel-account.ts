import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import type { Seal } from '../../platform/seal.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Fields } from '../read-fields.ts'
import { assertUniqueAddress, placesOf } from './assert-unique-address.ts'
import { insertChannelAccount } from './queries.ts'
import { queueAdoption } from './queue-adoption.ts'
import { readChannelAccount } from './read-channel-account.ts'
import { findRemoved, setConnected } from './removal-queries.ts'

type AddedChannelAccount = { id: string; channel: ChannelName; webhookUrl: string }

/** What the operation needs beyond ctx: the key for the secrets, and the URL at which providers reach us. */
export type ChannelAccountDeps = { seal: Seal; publicUrl: string }

/**
 * Connects a channel account: validates the fields for its kind, encrypts the secrets, and returns the URL for its
 * provider (or, for web chat, its widget). If the same number, mailbox, page or bot was removed before, it gets its id
 * and conversations back. Throws VALIDATION_ERROR naming every invalid field, and if the workspace has already
 * connected it.
 */
export const addChannelAccount = async (
  ctx: Ctx & ChannelAccountDeps,
  { channel, fields }: { channel: ChannelName; fields: Fields },
): Promise<AddedChannelAccount> => {
  const { secrets, ...account } = readChannelAccount(channel, fields)
  const newId = ctx.newId()
  return inTransaction(ctx, async (inner) => {
    const ctx = inner as Ctx & ChannelAccountDeps
    const candidate = { id: newId, channel, ...account, secrets }
    await assertUniqueAddress(ctx, candidate)
    const removed = await findRemoved(ctx, channel, placesOf(candidate))
    const id = removed?.id ?? newId
    const row = { ...account, id, secrets: sealSecrets(ctx, id, secrets) }
    await (removed ? setConnected(ctx, row) : insertChannelAccount(ctx, { ...row, channel }))
    await queueAdoption(ctx, { id, channel })
    await recordAudit(ctx, {
      action: 'channel.added',
      target: { type: 'channel', id, name: account.name },
      changes: { channel: { to: channel }, address: { to: account.address } },
    })
    return { id, channel, webhookUrl: webhookUrl(ctx.publicUrl, channel, id) }
  })
}

export const sealSecrets = (
  { seal, workspaceId }: Pick<Ctx, 'workspaceId'> & { seal: Seal },
  id: string,
  secrets: Record<string, string | undefined>,
): Buffer | null =>
  Object.keys(secrets).length > 0 ? seal.seal(JSON.stringify(secrets), { workspaceId, id }) : null

export const webhookUrl = (publicUrl: string, channel: ChannelName, id: string): string =>
  channel === 'web' ? `${publicUrl}/widget/${id}` : `${publicUrl}/webhooks/${channel}/${id}`
