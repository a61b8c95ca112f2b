// The demo's channel accounts whose provider is the sandbox: found again, or created with new secrets.
import { randomBytes, randomInt } from 'node:crypto'
import { addChannelAccount } from '../domain/channel-accounts/add-channel-account.ts'
import { listChannelAccounts, openSecrets } from '../domain/channel-accounts/queries.ts'
import { updateChannelAccount } from '../domain/channel-accounts/update-channel-account.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { isLoopbackUrl } from '../platform/loopback.ts'

const SANDBOX_CHANNELS = ['whatsapp', 'email', 'telegram', 'facebook', 'sms'] as const
type SandboxChannel = (typeof SANDBOX_CHANNELS)[number]
export type ChannelIds = Record<SandboxChannel, string>

export const SHOP = 'Hollow & Kiln'
export const SUPPORT_ADDRESS = 'support@demo.invalid'

type Fields = Record<string, string>
/** `id` is null until it is stored; `url` is where its provider was last reached. */
type Account = { id: string | null; url: string | null; fields: Fields }
export type SandboxAccounts = Record<SandboxChannel, Account>

const newSecret = (): string => randomBytes(24).toString('base64url')
const digits = (count: number): string => randomInt(10 ** (count - 1), 10 ** count).toString()
const meta = () => ({ accessToken: `EAA${newSecret()}`, appSecret: newSecret(), verifyToken: newSecret() })

const NEW: { [C in SandboxChannel]: () => Fields } = {
  whatsapp: () => ({
    phoneNumber: '+15550783881',
    phoneNumberId: '106540352242922',
    businessAccountId: '102290129340398',
    ...meta(),
  }),
  email: () => ({ address: SUPPORT_ADDRESS, inboundSecret: newSecret() }),
  telegram: () => ({ botToken: `${digits(10)}:${newSecret()}`, webhookSecret: newSecret() }),
  facebook: () => ({ name: SHOP, pageId: '108242318712345', ...meta() }),
  sms: () => ({
    phoneNumber: '+15005550006',
    accountSid: `AC${randomBytes(16).toString('hex')}`,
    authToken: newSecret(),
  }),
}

/**
 * For each kind, the first account whose provider is on this machine; otherwise the demo's own account, which stays
 * where a user has pointed it.
 */
export const findSandboxAccounts = async (ctx: Ctx): Promise<SandboxAccounts> => {
  const accounts: Partial<SandboxAccounts> = {}
  for (const channel of SANDBOX_CHANNELS) {
    const known = (await listChannelAccounts(ctx, channel)).map((account) => {
      const secrets = openSecrets(ctx.seal, account) as Fields
      const { apiUrl = secrets.smtpUrl, ...settings } = account.settings as Fields
      const address: Fields =
        account.address === null ? {} : { address: account.address, phoneNumber: account.address }
      return { id: account.id, url: apiUrl ?? null, fields: { ...address, ...settings, ...secrets } }
    })
    const created = NEW[channel]()
    const isSame = ({ fields }: Account): boolean =>
      ['address', 'phoneNumberId', 'pageId', 'phoneNumber'].some(
        (name) => created[name] && fields[name] === created[name],
      )
    accounts[channel] = known.find(({ url }) => url !== null && isLoopbackUrl(url)) ??
      known.find(isSame) ?? { id: null, url: null, fields: created }
  }
  return accounts as SandboxAccounts
}

/** Stores new accounts and updates the sandbox's address in existing ones. */
export const pointSandboxAccounts = async (
  ctx: Ctx,
  accounts: SandboxAccounts,
  { url, smtpUrl }: { url: string; smtpUrl: string },
): Promise<ChannelIds> => {
  const ids: Partial<ChannelIds> = {}
  for (const channel of SANDBOX_CHANNELS) {
    const { id, fields, url: knownUrl } = accounts[channel]
    const place = channel === 'email' ? { smtpUrl } : { apiUrl: url }
    const now = channel === 'email' ? smtpUrl : url
    if (id !== null && knownUrl !== now)
      await updateChannelAccount(ctx, { channelId: id, changes: { ...fields, ...place } })
    ids[channel] = id ?? (await addChannelAccount(ctx, { channel, fields: { ...fields, ...place } })).id
  }
  return ids as ChannelIds
}
