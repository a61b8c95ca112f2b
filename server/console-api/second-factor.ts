// What follows a code or an emailed link for people with a passkey: that passkey, or a recovery code.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { askForSecondFactor, finishSignIn } from '../domain/accounts/passkeys/finish-sign-in.ts'
import { PasskeyOptions, SecondFactorGiven } from '../domain/accounts/passkeys/schema.ts'
import { Session } from '../domain/accounts/schema.ts'
import { newIdAfter } from '../platform/db/id.ts'
import { hashSecret } from '../platform/hash-secret.ts'
import { type App, callOf, spend } from '../platform/http/api.ts'
import { addressKey } from '../platform/http/client-address.ts'
import { errors } from '../platform/http/error-responses.ts'
import { clearPendingCookie, pendingSecretOf } from './pending-cookie.ts'
import { admit, BODY_MAX_BYTES, type SessionDeps, TRIES_PER_ASKER } from './sessions.ts'

export const registerSecondFactor = (app: App, given: SessionDeps): void => {
  const deps = { ...given, newId: newIdAfter }
  const ctxOf = (request: FastifyRequest) => ({ ...deps, ...callOf(request), log: request.log })
  const open = {
    config: { isOpen: true },
    bodyLimit: BODY_MAX_BYTES,
    // A browser whose code was right has its own limit.
    onRequest: (request: FastifyRequest, reply: FastifyReply) => {
      const secret = pendingSecretOf(deps, request)
      const asker = secret ? hashSecret(secret).toString('base64url') : addressKey(request.ip)
      return spend(deps, reply, `second-factor:${asker}`, TRIES_PER_ASKER)
    },
  }
  app.post(
    '/sign-in/passkey-options',
    {
      ...open,
      schema: {
        operationId: 'consoleAskForPasskey',
        response: { 200: PasskeyOptions, ...errors('SIGN_IN_REFUSED', 'PASSKEYS_UNAVAILABLE') },
      },
    },
    (request) => askForSecondFactor(ctxOf(request), pendingSecretOf(deps, request) ?? ''),
  )
  app.post(
    '/sign-in/second-factor',
    {
      ...open,
      schema: {
        operationId: 'consoleFinishSignIn',
        body: SecondFactorGiven,
        response: {
          200: Session,
          ...errors('SIGN_IN_REFUSED', 'SECOND_FACTOR_REFUSED', 'PASSKEYS_UNAVAILABLE'),
        },
      },
    },
    async (request, reply) => {
      const pendingSecret = pendingSecretOf(deps, request) ?? ''
      const signedIn = await finishSignIn(ctxOf(request), { ...request.body, pendingSecret })
      clearPendingCookie(deps, reply)
      return admit(deps, reply, signedIn)
    },
  )
}
