// A sign-in whose code or link was right, and which waits for a passkey: only the browser that began it can end it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { obstacleOf } from '../domain/accounts/passkeys/relying-party.ts'
import type { SecondFactorNeeded } from '../domain/accounts/passkeys/schema.ts'
import { PENDING_MAX_MS, type SignInPending } from '../domain/accounts/sign-in.ts'
import type { Seal } from '../platform/seal.ts'
import { onlyForSignIn, openSigned, type SigningPlace, signed } from './session.ts'

const COOKIE = 'foyer_second_factor'
const PURPOSE = 'pending sign-in'

export const awaitSecondFactor = (
  place: SigningPlace,
  reply: FastifyReply,
  { pendingSecret }: SignInPending,
): SecondFactorNeeded => {
  reply.setCookie(COOKIE, signed(place.seal, PURPOSE, pendingSecret), {
    ...onlyForSignIn(place),
    maxAge: PENDING_MAX_MS / 1_000,
  })
  reply.code(202)
  return { needs: 'second_factor', obstacle: obstacleOf(place), origin: new URL(place.publicUrl).origin }
}

export const pendingSecretOf = ({ seal }: { seal: Seal }, request: FastifyRequest): string | undefined =>
  openSigned(seal, PURPOSE, request.cookies[COOKIE])

export const clearPendingCookie = (place: SigningPlace, reply: FastifyReply): void => {
  reply.clearCookie(COOKIE, onlyForSignIn(place))
}
