import type { ChannelName, Scope } from '../db/tables.ts'
import type { Networks } from '../networks.ts'

export type TokenHolder = {
  tokenId: string
  workspaceId: string
  /** Null: full access. */
  scopes: readonly Scope[] | null
  /** Null: all. */
  channels: readonly ChannelName[] | null
  expiresAtMs: number | null
  /** Null: from anywhere. */
  addresses: Networks | null
}

export type Tokens = {
  /** The holder of a secret, or undefined if it is unknown, replaced or revoked. Expiry and address are the caller's to check. */
  find(secret: string): TokenHolder | undefined | Promise<TokenHolder | undefined>
  /** Forgets a token, by id. */
  forget(tokenId: string): void
  /** Forgets all tokens: revocations may have been missed. */
  forgetAll(): void
}

/** The secret of an Authorization header, or undefined unless it is `Bearer <something>`. */
export const bearerOf = (header: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
