// What a server is reached with. The token in the clear is never returned to anybody or logged.
import type { McpAccount } from '../../../mcp-client/contract.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { SealError } from '../../platform/seal.ts'
import type { StoredServer } from './queries.ts'

type Opener = Pick<Ctx, 'workspaceId' | 'seal'>

/** A token only opens for the server and the origin that it was entered for. */
export const tokenOwner = (
  { workspaceId }: Pick<Opener, 'workspaceId'>,
  { id, url }: Pick<StoredServer, 'id' | 'url'>,
) => ({
  workspaceId,
  id: `${id} ${new URL(url).origin}`,
})

export const sealToken = (
  ctx: Opener,
  server: Pick<StoredServer, 'id' | 'url'>,
  token: string | null | undefined,
): Buffer | null => (token ? ctx.seal.seal(token, tokenOwner(ctx, server)) : null)

export const UNREADABLE = {
  code: 'SECRETS_UNREADABLE',
  message: 'The token can’t be decrypted because SECRET_KEY has changed. Enter it again.',
} as const

/** Null if SECRET_KEY is not the key that the token was encrypted with. */
export const openAccount = (
  ctx: Opener,
  server: Pick<StoredServer, 'id' | 'url' | 'token'>,
): McpAccount | null => {
  const { url, token } = server
  if (!token) return { url, token: null }
  try {
    return { url, token: ctx.seal.open(token, tokenOwner(ctx, server)) }
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}
