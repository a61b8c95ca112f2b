import { randomBytes } from 'node:crypto'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import type { Seal } from '../../platform/seal.ts'
import { changesBetween, recordAudit } from '../audit/record-audit.ts'
import { findChannelAccount } from '../channel-accounts/queries.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { findChatBox, type StoredChatBox, saveSecrets, saveSettings } from './queries.ts'
import type { ChatBox, ChatBoxChange } from './schema.ts'

const SECRET_BYTES = 32
const HOUR_MS = 3_600_000

const toChatBox = ({ settings, identitySecret, formerUntil }: StoredChatBox): ChatBox => ({
  settings,
  identity: { isSet: identitySecret !== null, formerUntil },
})

/** Throws CHANNEL_NOT_FOUND if it is not a web channel of the workspace. */
export const getChatBox = async (ctx: Ctx, channelId: string): Promise<ChatBox> => {
  await requireWebChannel(ctx, channelId)
  return toChatBox(await findChatBox(ctx, channelId))
}

const requireWebChannel = async (ctx: Ctx, channelId: string) => {
  const account = await findChannelAccount(ctx, channelId)
  if (account?.channel !== 'web') throw new ApiError('CHANNEL_NOT_FOUND')
  return account
}

/** Changes settings of a chat box. Throws CHANNEL_NOT_FOUND, and VALIDATION_ERROR for an identity without a secret. */
export const updateChatBox = (ctx: Ctx, channelId: string, change: ChatBoxChange): Promise<ChatBox> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const { name } = await requireWebChannel(ctx, channelId)
    const stored = await findChatBox(ctx, channelId)
    const settings = { ...stored.settings, ...change }
    if (settings.requiresIdentity && stored.identitySecret === null)
      throw invalid({ field: 'requiresIdentity', message: 'needs a secret; create one first' })
    if (change.mailboxId && (await findChannelAccount(ctx, change.mailboxId))?.channel !== 'email')
      throw invalid({ field: 'mailboxId', message: 'must be an email channel' })
    await saveSettings(ctx, channelId, settings)
    await recordAudit(ctx, {
      action: 'channel.updated',
      target: { type: 'channel', id: channelId, name },
      changes: changesBetween(stored.settings, settings),
    })
    return toChatBox({ ...stored, settings })
  })

type SecretCtx = Ctx & { seal: Seal }

export const identitySecretOwner = (workspaceId: string, channelId: string) => ({
  workspaceId,
  id: `${channelId} identity`,
})

/**
 * A new secret for signed identities, returned this once. The former one is accepted for some hours more, or not at
 * all. Throws CHANNEL_NOT_FOUND.
 */
export const rotateIdentitySecret = (
  ctx: SecretCtx,
  { channelId, overlapHours }: { channelId: string; overlapHours: number },
): Promise<{ secret: string; chatBox: ChatBox }> =>
  inTransaction(ctx, async (inner) => {
    const ctx = inner as SecretCtx
    await lockWorkspace(ctx)
    const { name } = await requireWebChannel(ctx, channelId)
    const stored = await findChatBox(ctx, channelId)
    const secret = `foyer_chat_${randomBytes(SECRET_BYTES).toString('base64url')}`
    const isKept = stored.identitySecret !== null && overlapHours > 0
    const secrets = {
      identitySecret: ctx.seal.seal(secret, identitySecretOwner(ctx.workspaceId, channelId)),
      formerSecret: isKept ? stored.identitySecret : null,
      formerUntil: isKept ? new Date(ctx.now().getTime() + overlapHours * HOUR_MS).toISOString() : null,
    }
    await saveSecrets(ctx, channelId, secrets)
    await recordAudit(ctx, {
      action: 'channel.updated',
      target: { type: 'channel', id: channelId, name },
      changes: { identitySecret: { to: 'new' }, overlapHours: { to: overlapHours } },
    })
    return { secret, chatBox: toChatBox({ ...stored, ...secrets }) }
  })

/** Refuses signed identities from now on. Throws CHANNEL_NOT_FOUND. */
export const removeIdentitySecret = (ctx: Ctx, channelId: string): Promise<ChatBox> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const { name } = await requireWebChannel(ctx, channelId)
    const { settings } = await findChatBox(ctx, channelId)
    const secrets = { identitySecret: null, formerSecret: null, formerUntil: null }
    await saveSecrets(ctx, channelId, secrets)
    // Otherwise nobody could use the chat.
    const open = { ...settings, requiresIdentity: false }
    await saveSettings(ctx, channelId, open)
    await recordAudit(ctx, {
      action: 'channel.updated',
      target: { type: 'channel', id: channelId, name },
      changes: { identitySecret: { to: null } },
    })
    return toChatBox({ ...secrets, settings: open })
  })

/** The secrets that are accepted now, the current one first. */
export const openIdentitySecrets = (
  { seal, workspaceId, now }: Pick<Ctx, 'workspaceId' | 'now'> & { seal: Seal },
  channelId: string,
  { identitySecret, formerSecret, formerUntil }: StoredChatBox,
): string[] => {
  const isFormerGood = formerUntil !== null && Date.parse(formerUntil) > now().getTime()
  return [identitySecret, isFormerGood ? formerSecret : null].flatMap((secret) =>
    secret ? [seal.open(secret, identitySecretOwner(workspaceId, channelId))] : [],
  )
}
