import { randomBytes } from 'node:crypto'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import { changesBetween, recordAudit } from '../audit/record-audit.ts'
import { makeFieldReader } from '../read-fields.ts'
import { type GivenAccess, readAccess } from './access.ts'
import {
  announceRevocation,
  findToken,
  insertToken,
  type RevokedToken,
  replaceSecret,
  revokeTokenRow,
} from './queries.ts'
import { type ApiToken, OVERLAP_HOURS_DEFAULT, OVERLAP_HOURS_MAX, TOKEN_NAME_MAX } from './schema.ts'

const TOKEN_PREFIX_LENGTH = 12
const SECRET_BYTES = 32
const HOUR_MS = 3_600_000

const makeSecret = () => {
  const secret = `foyer_${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { secret, prefix: secret.slice(0, TOKEN_PREFIX_LENGTH), hash: hashSecret(secret) }
}

type WithSecret = { token: ApiToken; secret: string }

/** Tokens are created by people and operators: one that a token had made would outlive it. */
const requireNoToken = ({ actor }: Ctx): void => {
  if (actor.type === 'token') throw new ApiError('FORBIDDEN')
}

/**
 * Creates an API token for the workspace, with full access unless told otherwise. The secret is only in this response:
 * only its hash is stored. What a token may do never changes afterwards. Throws VALIDATION_ERROR.
 */
export const createToken = async (ctx: Ctx, input: { name: string } & GivenAccess): Promise<WithSecret> => {
  requireNoToken(ctx)
  const reader = makeFieldReader({ name: input.name })
  const name = reader.text('name', TOKEN_NAME_MAX)
  const access = readAccess(reader, input, ctx.now())
  reader.finish()
  const { secret, prefix, hash } = makeSecret()
  return inTransaction(ctx, async (ctx) => {
    const id = ctx.newId()
    const createdBy = ctx.actor.type === 'agent' ? ctx.actor.accountId : null
    await insertToken(ctx, { id, name, prefix, hash, access, createdBy })
    const token = await getToken(ctx, id)
    await recordAudit(ctx, {
      action: 'token.created',
      target: { type: 'token', id, name },
      changes: changesBetween({}, access),
    })
    return { token, secret }
  })
}

/**
 * Gives a token a new secret; the old one goes on for `overlapHours`, one before it ends at once. Every process is notified
 * when the transaction commits, and the caller drops the token in its own (Tokens.forget). Throws NOT_FOUND, and
 * TOKEN_NOT_ACTIVE for one that is revoked or has expired.
 */
export const rotateToken = async (
  ctx: Ctx,
  { tokenId, overlapHours = OVERLAP_HOURS_DEFAULT }: { tokenId: string; overlapHours?: number },
): Promise<WithSecret> => {
  requireNoToken(ctx)
  if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > OVERLAP_HOURS_MAX)
    throw invalid({ field: 'overlapHours', message: `must be a whole number from 0 to ${OVERLAP_HOURS_MAX}` })
  const { secret, prefix, hash } = makeSecret()
  return inTransaction(ctx, async (ctx) => {
    const until = overlapHours === 0 ? null : new Date(ctx.now().getTime() + overlapHours * HOUR_MS)
    const isReplaced = await replaceSecret(ctx, tokenId, { prefix, hash, until })
    const token = await getToken(ctx, tokenId)
    if (!isReplaced) throw new ApiError('TOKEN_NOT_ACTIVE')
    await recordAudit(ctx, {
      action: 'token.rotated',
      target: { type: 'token', id: tokenId, name: token.name },
      changes: { overlapHours: { to: overlapHours } },
    })
    await announceRevocation(ctx, tokenId)
    return { token, secret }
  })
}

/** Throws NOT_FOUND. */
export const getToken = async (ctx: Ctx, tokenId: string): Promise<ApiToken> => {
  const token = await findToken(ctx, tokenId)
  if (!token) throw new ApiError('NOT_FOUND', { message: 'Token not found.' })
  return token
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
    await recordAudit(ctx, {
      action: 'token.revoked',
      target: { type: 'token', id: tokenId, name: token.name },
    })
    return { token }
  })
