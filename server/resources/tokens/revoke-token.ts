import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { announceRevocation, type RevokedToken, revokeTokenRow } from './queries.ts'

/**
 * Ends a token for good; it stays listed. Revoking one that is revoked succeeds and keeps its first time. Every process
 * hears of it as the transaction commits. The caller forgets it in its own process (Tokens.forget). Throws NOT_FOUND.
 */
export const revokeToken = (ctx: Ctx, { tokenId }: { tokenId: string }): Promise<{ token: RevokedToken }> =>
  inTransaction(ctx, async (ctx) => {
    const token = await revokeTokenRow(ctx, tokenId)
    if (!token) throw new ApiError('NOT_FOUND', { message: 'The workspace has no such token.' })
    await announceRevocation(ctx, tokenId)
    return { token }
  })
