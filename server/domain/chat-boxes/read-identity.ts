// Signed identities: the site's server says who is signed in, in a JWT that only it can make.
import type { JWTPayload } from 'jose'
import { Format } from 'typebox/format'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Seal } from '../../platform/seal.ts'
import { CONTACT_NAME_MAX } from '../contacts/schema.ts'
import { EMAIL_MAX } from '../schema.ts'
import { findChatBox } from './queries.ts'
import { IDENTITY_MAX_HOURS } from './schema.ts'
import { openIdentitySecrets } from './update-chat-box.ts'

export type SignedIdentity = {
  /** The site's own id for the person. */
  id: string
  name: string | null
  email: string | null
  /** Whether the site vouches for the address. */
  isEmailVerified: boolean
  until: Date
}

const ID_MAX = 128
/** How far the site's clock may be off. */
const SKEW_SECONDS = 60
const MAX_SECONDS = IDENTITY_MAX_HOURS * 3_600

const refused = (message: string): ApiError =>
  new ApiError('IDENTITY_REFUSED', { details: [{ field: 'identity', message }] })

/**
 * Who a token says is signed in. HS256 with a secret of this very channel, `aud` its id, `sub` the person, `exp` at most
 * a day ahead. Throws IDENTITY_REFUSED, and says what is wrong.
 */
export const readIdentity = async (
  ctx: Ctx & { seal: Seal },
  { channelAccountId, token }: { channelAccountId: string; token: string },
): Promise<SignedIdentity> => {
  const secrets = openIdentitySecrets(ctx, channelAccountId, await findChatBox(ctx, channelAccountId))
  if (secrets.length === 0) throw refused('cannot be verified: this channel has no secret for identities')
  const payload = await verify(token, secrets, { audience: channelAccountId, now: ctx.now() })
  const { sub, exp, aud } = payload
  if (aud !== channelAccountId) throw refused('must have only the id of this channel as its aud')
  if (typeof sub !== 'string' || sub.trim() === '' || sub.length > ID_MAX || sub.includes('\0'))
    throw refused(`must have a sub of 1 to ${ID_MAX} characters`)
  if (exp === undefined || exp > ctx.now().getTime() / 1_000 + MAX_SECONDS + SKEW_SECONDS)
    throw refused(`must have an exp at most ${IDENTITY_MAX_HOURS} hours ahead`)
  const email = textOf(payload.email, EMAIL_MAX)?.toLowerCase() ?? null
  if (email !== null && !Format.IsEmail(email)) throw refused('must have a valid email, or none')
  return {
    id: sub,
    name: textOf(payload.name, CONTACT_NAME_MAX),
    email,
    // Anything but the word itself is a claim, as "false" in a string would be.
    isEmailVerified: email !== null && payload.email_verified === true,
    until: new Date(exp * 1_000),
  }
}

const verify = async (
  token: string,
  secrets: readonly string[],
  { audience, now }: { audience: string; now: Date },
): Promise<JWTPayload> => {
  const { errors, jwtVerify } = await import('jose')
  let problem = refused('has a signature of another secret')
  for (const secret of secrets) {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
        algorithms: ['HS256'],
        audience,
        requiredClaims: ['sub', 'exp', 'aud'],
        clockTolerance: SKEW_SECONDS,
        currentDate: now,
      })
      return payload
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      if (!(error instanceof errors.JWSSignatureVerificationFailed))
        problem = refused(reasonOf(error, errors))
    }
  }
  throw problem
}

const reasonOf = (error: Error, errors: typeof import('jose').errors): string => {
  if (error instanceof errors.JWTExpired) return 'has expired'
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.reason === 'missing' ? `must have ${error.claim}` : `has the wrong ${error.claim}`
  if (error instanceof errors.JOSEAlgNotAllowed) return 'must be signed with HS256'
  return 'must be a JWT'
}

const textOf = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? [...value.trim()].slice(0, max).join('') || null : null
