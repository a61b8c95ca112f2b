// The demo's channel accounts whose provider is the sandbox: found again, or made with secrets of their own.
import { randomBytes, randomInt } from 'node:crypto'
import type { Ctx } from '../ctx.ts'
import { addChannelAccount } from '../resources/channel-accounts/add-channel-account.ts'
import { listChannelAccounts, openSecrets } from '../resources/channel-accounts/queries.ts'
import { updateChannelAccount } from '../resources/channel-accounts/update-channel-account.ts'

export const SANDBOX_CHANNELS = ['whatsapp', 'email', 'telegram', 'facebook', 'sms'] as const
export type SandboxChannel = (typeof SANDBOX_CHANNELS)[number]
export type ChannelIds = Record<SandboxChannel, string>

export const SHOP = 'Hollow & Kiln'
export const SUPPORT_ADDRESS = 'support@demo.invalid'

type Fields = Record<string, string>
/** `id` is null until it is stored; `url` is where its provider was reached last. */
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

export const isLoopback = (url: string): boolean =>
  URL.canParse(url) && /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname)

/**
 * Of each kind the first account whose provider is on this machine; else the demo's own, which somebody has pointed
 * elsewhere and which stays so.
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
    const anew = NEW[channel]()
    const isTwin = ({ fields }: Account): boolean =>
      ['address', 'phoneNumberId', 'pageId', 'phoneNumber'].some(
        (name) => anew[name] && fields[name] === anew[name],
      )
    accounts[channel] = known.find(({ url }) => url !== null && isLoopback(url)) ??
      known.find(isTwin) ?? { id: null, url: null, fields: anew }
  }
  return accounts as SandboxAccounts
}

/** Stores those that are new, and points those of the sandbox where it is now. */
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
    if (id !== null && knownUrl !== now) await updateChannelAccount(ctx, { channelId: id, changes: place })
    ids[channel] = id ?? (await addChannelAccount(ctx, { channel, fields: { ...fields, ...place } })).id
  }
  return ids as ChannelIds
}
