import { type Ctx, inTransaction } from '../../ctx.ts'
import type { ChannelName } from '../../db/tables.ts'
import type { Seal } from '../../seal.ts'
import { type FieldReader, type Fields, makeFieldReader } from '../read-fields.ts'
import { insertChannelAccount } from './queries.ts'
import { refuseTwins } from './refuse-twins.ts'
import {
  ACCOUNT_NAME_MAX,
  ALLOWED_ORIGINS_MAX,
  type ChannelAccountSecrets,
  type ChannelAccountSettings,
  MESSAGES_PER_SECOND_DEFAULT,
  MESSAGES_PER_SECOND_MAX,
  SECRET_MAX,
  URL_MAX,
} from './schema.ts'

const EXTERNAL_ID_MAX = 200

export type Account<C extends ChannelName = ChannelName> = {
  name: string
  address: string | null
  settings: ChannelAccountSettings[C]
  secrets: ChannelAccountSecrets[C]
}

export type AddedChannelAccount = { id: string; channel: ChannelName; webhookUrl: string }

/** What the operation needs beyond ctx: the key for the secrets, and where providers reach us. */
export type ChannelAccountDeps = { seal: Seal; publicUrl: string }

/**
 * Connects a channel account: checks what was given for its kind, seals the secrets, and answers where its provider
 * (or, for web chat, its widget) finds us. Throws VALIDATION_ERROR naming every field that is wrong, and where the
 * workspace has connected the same number, mailbox, page or bot already.
 */
export const addChannelAccount = async (
  ctx: Ctx & ChannelAccountDeps,
  { channel, fields }: { channel: ChannelName; fields: Fields },
): Promise<AddedChannelAccount> => {
  const { secrets, ...account } = readChannelAccount(channel, fields)
  const id = ctx.newId()
  await inTransaction(ctx, async (ctx) => {
    await refuseTwins(ctx, { id, channel, ...account, secrets })
    const sealed = sealSecrets(ctx, id, secrets)
    // One kind's reader made settings of that kind; the compiler cannot follow the pair through the table.
    await insertChannelAccount(ctx, { ...account, id, channel, secrets: sealed } as never)
  })
  return { id, channel, webhookUrl: webhookUrl(ctx.publicUrl, channel, id) }
}

export const sealSecrets = (
  { seal, workspaceId }: Pick<Ctx, 'workspaceId'> & { seal: Seal },
  id: string,
  secrets: Record<string, string | undefined>,
): Buffer | null =>
  Object.keys(secrets).length > 0 ? seal.seal(JSON.stringify(secrets), { workspaceId, id }) : null

/** What the fields say of an account. Throws VALIDATION_ERROR naming every field that is wrong. */
export const readChannelAccount = <C extends ChannelName>(channel: C, fields: Fields): Account<C> => {
  const reader = makeFieldReader(fields)
  const account = READERS[channel](reader, fields)
  const name = reader.optional('name', () => reader.text('name', ACCOUNT_NAME_MAX))
  reader.finish()
  return { ...account, ...(name && { name }) }
}

export const webhookUrl = (publicUrl: string, channel: ChannelName, id: string): string =>
  channel === 'web' ? `${publicUrl}/widget/${id}` : `${publicUrl}/webhooks/${channel}/${id}`

const apiUrlOf = (reader: FieldReader): string | null =>
  reader.optional('apiUrl', () => reader.url('apiUrl', URL_MAX, 'https:', 'http:').replace(/\/+$/, '')) ??
  null

const secret = (reader: FieldReader, field: string): string => reader.text(field, SECRET_MAX)

/** Each site as a browser writes it in the Origin header. */
const allowedOriginsOf = (reader: FieldReader, fields: Fields): string[] => {
  // The command line's flag is given once for each; the console sends them together.
  const field = fields.allowedOrigins === undefined ? 'allowedOrigin' : 'allowedOrigins'
  const origins = [fields[field] ?? []].flat().map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null
    const isOrigin =
      url &&
      /^https?:$/.test(url.protocol) &&
      url.pathname === '/' &&
      !url.search &&
      !url.hash &&
      !url.username
    return isOrigin
      ? url.origin
      : reader.refuse(field, 'must be like https://www.example.com, without a path')
  })
  if (origins.length > ALLOWED_ORIGINS_MAX)
    reader.refuse(field, `may be given at most ${ALLOWED_ORIGINS_MAX} times`)
  return [...new Set(origins)]
}

/** A mailbox that takes no password: all of it or nothing, but for the secret, which public clients do not have. */
const oauthOf = (reader: FieldReader): Partial<ChannelAccountSecrets['email']> =>
  reader.isGiven('oauthRefreshToken', 'oauthTokenUrl', 'oauthClientId', 'oauthClientSecret')
    ? {
        oauthTokenUrl: reader.url('oauthTokenUrl', URL_MAX, 'https:', 'http:'),
        oauthClientId: secret(reader, 'oauthClientId'),
        oauthRefreshToken: secret(reader, 'oauthRefreshToken'),
        ...reader.optional('oauthClientSecret', () => ({
          oauthClientSecret: secret(reader, 'oauthClientSecret'),
        })),
      }
    : {}

const READERS: { [C in ChannelName]: (reader: FieldReader, fields: Fields) => Account<C> } = {
  whatsapp: (reader) => {
    const address = reader.phone('phoneNumber')
    return {
      name: address,
      address,
      settings: {
        phoneNumberId: reader.text('phoneNumberId', EXTERNAL_ID_MAX),
        businessAccountId: reader.text('businessAccountId', EXTERNAL_ID_MAX),
        apiUrl: apiUrlOf(reader),
        messagesPerSecond:
          reader.optional('messagesPerSecond', () =>
            reader.integer('messagesPerSecond', 1, MESSAGES_PER_SECOND_MAX),
          ) ?? MESSAGES_PER_SECOND_DEFAULT,
      },
      secrets: {
        accessToken: secret(reader, 'accessToken'),
        appSecret: secret(reader, 'appSecret'),
        verifyToken: secret(reader, 'verifyToken'),
      },
    }
  },
  email: (reader) => {
    const address = reader.email('address')
    const imapUrl = reader.optional('imapUrl', () => reader.url('imapUrl', URL_MAX, 'imap:', 'imaps:'))
    const inboundSecret = reader.optional('inboundSecret', () => secret(reader, 'inboundSecret'))
    return {
      name: address,
      address,
      settings:
        reader.optional('plusAddressing', () => ({ plusAddressing: reader.flag('plusAddressing') })) ?? {},
      secrets: {
        smtpUrl: reader.url('smtpUrl', URL_MAX, 'smtp:', 'smtps:'),
        ...(imapUrl && { imapUrl }),
        ...(inboundSecret && { inboundSecret }),
        ...oauthOf(reader),
      },
    }
  },
  web: (reader, fields) => ({
    name: 'Web chat',
    address: null,
    settings: { allowedOrigins: allowedOriginsOf(reader, fields) },
    secrets: {},
  }),
  telegram: (reader) => ({
    name: 'Telegram',
    address: null,
    settings: { apiUrl: apiUrlOf(reader) },
    secrets: { botToken: secret(reader, 'botToken'), webhookSecret: secret(reader, 'webhookSecret') },
  }),
  facebook: (reader) => {
    const pageId = reader.text('pageId', EXTERNAL_ID_MAX)
    return {
      name: `Page ${pageId}`,
      address: pageId,
      settings: { pageId, apiUrl: apiUrlOf(reader) },
      secrets: {
        accessToken: secret(reader, 'accessToken'),
        appSecret: secret(reader, 'appSecret'),
        verifyToken: secret(reader, 'verifyToken'),
      },
    }
  },
  sms: (reader) => {
    const address = reader.phone('phoneNumber')
    return {
      name: address,
      address,
      settings: { accountSid: reader.text('accountSid', EXTERNAL_ID_MAX), apiUrl: apiUrlOf(reader) },
      secrets: { authToken: secret(reader, 'authToken') },
    }
  },
}
