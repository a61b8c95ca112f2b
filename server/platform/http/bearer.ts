export type TokenHolder = { tokenId: string; tokenName: string; workspaceId: string; workspaceName: string }

export type Tokens = {
  /** The holder of a secret, or undefined if it is unknown or revoked. */
  find(secret: string): TokenHolder | undefined | Promise<TokenHolder | undefined>
  /** Forgets a token, by id. */
  forget(tokenId: string): void
  /** Forgets all tokens: revocations may have been missed. */
  forgetAll(): void
}

/** The secret of an Authorization header, or undefined unless it is `Bearer <something>`. */
export const bearerOf = (header: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]
