// What a channel account keeps: settings are readable, secrets are sealed. One entry for each kind.
import type { ChannelName } from '../../db/tables.ts'

export const ACCOUNT_NAME_MAX = 120
export const SECRET_MAX = 4096
export const URL_MAX = 2048
export const ALLOWED_ORIGINS_MAX = 100
/** Meta's highest throughput for one number; the default is what every number has. */
export const MESSAGES_PER_SECOND_MAX = 1000
export const MESSAGES_PER_SECOND_DEFAULT = 80

export type ChannelAccountSettings = {
  /** No origin: the widget answers on every site. */
  web: { allowedOrigins: string[] }
  whatsapp: {
    phoneNumberId: string
    businessAccountId: string
    apiUrl: string | null
    messagesPerSecond: number
  }
  email: Record<string, never>
  telegram: { apiUrl: string | null }
  facebook: { pageId: string; apiUrl: string | null }
  sms: { accountSid: string; apiUrl: string | null }
}

/** The URLs of a mailbox carry its password, so they are secrets as a whole. */
export type ChannelAccountSecrets = {
  web: Record<string, never>
  whatsapp: { accessToken: string; appSecret: string; verifyToken: string }
  email: { smtpUrl: string; imapUrl?: string; inboundSecret?: string }
  telegram: { botToken: string; webhookSecret: string }
  facebook: { accessToken: string; appSecret: string; verifyToken: string }
  sms: { authToken: string }
}

/** A channel account as it is stored. `address` is the phone number, email address or page id. */
export type StoredChannelAccount<C extends ChannelName = ChannelName> = {
  [K in C]: {
    workspaceId: string
    id: string
    channel: K
    name: string
    address: string | null
    settings: ChannelAccountSettings[K]
    /** Sealed; see openSecrets. */
    secrets: Buffer | null
  }
}[C]
