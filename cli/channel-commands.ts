import type { ChannelName } from '../server/db/tables.ts'
import { type Command, type Flag, required, WORKSPACE } from './command.ts'

const API_URL: Flag = { value: 'URL' }

/** The flags of each kind are the fields of add-channel-account.ts. */
const FLAGS: Record<ChannelName, { about: string; flags: Record<string, Flag> }> = {
  whatsapp: {
    about: 'Connect a WhatsApp number.',
    flags: {
      'phone-number': required('+NUMBER'),
      'phone-number-id': required('ID'),
      'business-account-id': required('ID'),
      'access-token': required('TOKEN'),
      'app-secret': required('SECRET'),
      'verify-token': required('TOKEN'),
      'api-url': API_URL,
      'messages-per-second': { value: 'NUMBER' },
    },
  },
  email: {
    about: 'Connect a mailbox.',
    flags: {
      address: required('EMAIL'),
      'smtp-url': required('URL'),
      'imap-url': { value: 'URL' },
      'plus-addressing': { value: 'true|false' },
      'inbound-secret': { value: 'SECRET' },
      'oauth-token-url': { value: 'URL' },
      'oauth-client-id': { value: 'ID' },
      'oauth-client-secret': { value: 'SECRET' },
      'oauth-refresh-token': { value: 'TOKEN' },
    },
  },
  web: {
    about: 'Connect a web site; without --allowed-origin, any.',
    flags: { name: { value: 'NAME' }, 'allowed-origin': { value: 'URL', isMultiple: true } },
  },
  telegram: {
    about: 'Connect a Telegram bot.',
    flags: { 'bot-token': required('TOKEN'), 'webhook-secret': required('SECRET'), 'api-url': API_URL },
  },
  facebook: {
    about: 'Connect a Facebook page for Messenger.',
    flags: {
      'page-id': required('ID'),
      'access-token': required('TOKEN'),
      'app-secret': required('SECRET'),
      'verify-token': required('TOKEN'),
      'api-url': API_URL,
    },
  },
  sms: {
    about: 'Connect a Twilio number for SMS.',
    flags: {
      'phone-number': required('+NUMBER'),
      'account-sid': required('SID'),
      'auth-token': required('TOKEN'),
      'api-url': API_URL,
    },
  },
}

const addChannel = (channel: ChannelName): Command => ({
  words: `channel add ${channel}`,
  about: FLAGS[channel].about,
  flags: { workspace: WORKSPACE, ...FLAGS[channel].flags },
  run: async ({ flag, flags: { workspace: _, ...fields } }, settings) => {
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    const { findSecretKey } = await import('../server/secret-key.ts')
    const { makeSeal } = await import('../server/seal.ts')
    const { addChannelAccount } = await import('../server/resources/channel-accounts/add-channel-account.ts')
    return withDatabase(config, async ({ ctxOf }) => {
      const ctx = await ctxOf(flag('workspace'))
      const seal = makeSeal(await findSecretKey(config))
      const deps = { seal, publicUrl: config.publicUrl }
      return { channel: await addChannelAccount({ ...ctx, ...deps }, { channel, fields }) }
    })
  },
})

export const channelCommands: Command[] = (
  ['whatsapp', 'email', 'web', 'telegram', 'facebook', 'sms'] as const
).map(addChannel)
