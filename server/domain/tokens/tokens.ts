import { randomBytes } from 'node:crypto'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import { makeFieldReader } from '../read-fields.ts'
import { announceRevocation, insertToken, type RevokedToken, revokeTokenRow } from './queries.ts'
import { TOKEN_NAME_MAX } from './schema.ts'

const TOKEN_PREFIX_LENGTH = 12
const SECRET_BYTES = 32

type CreatedToken = { token: { id: string; name: string; prefix: string }; secret: string }

/** Creates an API token for the workspace. The secret is only in this response: only its hash is stored. */
export const createToken = async (ctx: Ctx, input: { name: string }): Promise<CreatedToken> => {
  const reader = makeFieldReader(input)
  const name = reader.text('name', TOKEN_NAME_MAX)
  reader.finish()
  const secret = `foyer_${randomBytes(SECRET_BYTES).toString('base64url')}`
  return inTransaction(ctx, async (ctx) => {
    const token = { id: ctx.newId(), name, prefix: secret.slice(0, TOKEN_PREFIX_LENGTH) }
    await insertToken(ctx, {
      ...token,
      hash: hashSecret(secret),
      createdBy: ctx.actor.type === 'agent' ? ctx.actor.accountId : null,
    })
    return { token, secret }
  })
}

/**
 * Revokes a token permanently; it stays listed. Revoking it again succeeds and keeps the first time. Every process is
 * notified when the transaction commits. The caller drops it in its own process (Tokens.forget). Throws NOT_FOUND.
 */
export const revokeToken = (ctx: Ctx, { tokenId }: { tokenId: string }): Promise<{ token: RevokedToken }> =>
  inTransaction(ctx, async (ctx) => {
    const token = await revokeTokenRow(ctx, tokenId)
    if (!token) throw new ApiError('NOT_FOUND', { message: 'Token not found.' })
    await announceRevocation(ctx, tokenId)
    return { token }
  })
