// Signing in through the operator's identity provider: the console asks where to send the browser, which comes back with
// a code. Whatever goes wrong then is told by the sign-in page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { OidcError } from '../domain/accounts/oidc/oidc-error.ts'
import { OIDC_CALLBACK_PATH, type OidcProvider } from '../domain/accounts/oidc/provider.ts'
import { takeState } from '../domain/accounts/oidc/queries.ts'
import { type OidcProblem, OidcStarted, StartOidc } from '../domain/accounts/oidc/schema.ts'
import { signInByOidc } from '../domain/accounts/oidc/sign-in-by-oidc.ts'
import { newIdAfter } from '../platform/db/id.ts'
import { ApiError } from '../platform/errors.ts'
import { hashSecret } from '../platform/hash-secret.ts'
import { type App, callOf, spend } from '../platform/http/api.ts'
import { addressKey } from '../platform/http/client-address.ts'
import { isScreenPath } from '../platform/http/console-pages.ts'
import { toApiError } from '../platform/http/error-handler.ts'
import { errors } from '../platform/http/error-responses.ts'
import { attemptOf, clearAttemptCookie, setAttemptCookie, startAttempt } from './oidc-attempt.ts'
import { CONSOLE_PREFIX } from './register.ts'
import { setKnownBrowserCookie, setSessionCookie } from './session.ts'
import type { SessionDeps } from './sessions.ts'

const BODY_MAX_BYTES = 16 * 1_024
/** Of each of the two steps, per minute and address: people of one office share it. */
const STEPS_PER_ADDRESS = 60
const HOME = '/inbox'
const SIGN_IN = '/sign-in'
/** Longer ones don't fit into a cookie. */
const SCREEN_MAX = 2_000
const ANY_ORIGIN = 'http://console'

type Deps = SessionDeps & { newId: typeof newIdAfter }

export const registerOidc = (app: App, given: SessionDeps): void => {
  const deps: Deps = { ...given, newId: newIdAfter }
  app.post(
    '/sign-in/oidc',
    {
      config: { isOpen: true },
      bodyLimit: BODY_MAX_BYTES,
      onRequest: (request, reply) =>
        spend(deps, reply, `oidc-start:${addressKey(request.ip)}`, STEPS_PER_ADDRESS),
      schema: {
        operationId: 'consoleStartOidc',
        body: StartOidc,
        response: { 200: OidcStarted, ...errors('NOT_FOUND', 'SIGN_IN_PROVIDER_UNAVAILABLE') },
      },
    },
    async (request, reply) => {
      const attempt = startAttempt(deps, screenOf(request.body.to))
      const url = await providerOf(deps)
        .authorizationUrl(attempt.keys)
        .catch((error: unknown) => {
          if (!(error instanceof OidcError)) throw error
          logFailure(request, error)
          throw new ApiError('SIGN_IN_PROVIDER_UNAVAILABLE')
        })
      setAttemptCookie(deps, reply, attempt)
      return { url }
    },
  )
  app.get(
    OIDC_CALLBACK_PATH.slice(CONSOLE_PREFIX.length),
    { config: { isOpen: true } },
    async (request, reply) => {
      // The address has the code; the next page must not pass it on.
      reply.header('referrer-policy', 'no-referrer')
      const to = attemptOf(deps, request)?.to ?? HOME
      const provider = providerOf(deps)
      try {
        await finish(deps, provider, request, reply)
        return reply.redirect(to, 303)
      } catch (error) {
        const search = new URLSearchParams({ problem: problemOf(request, error), ...(to !== HOME && { to }) })
        return reply.redirect(`${SIGN_IN}?${search}`, 303)
      }
    },
  )
}

const providerOf = ({ oidc }: Deps): OidcProvider => {
  if (!oidc) throw new ApiError('NOT_FOUND')
  return oidc
}

/** A path in the console, spelled as a browser reads it, so that it can't lead to another site. */
const screenOf = (given = HOME): string => {
  if (!URL.canParse(given, ANY_ORIGIN)) return HOME
  const { origin, pathname, search, hash } = new URL(given, ANY_ORIGIN)
  const path = `${pathname}${search}${hash}`
  const isScreen = isScreenPath(pathname) && pathname !== SIGN_IN && !pathname.startsWith('//')
  return origin === ANY_ORIGIN && isScreen && path.length <= SCREEN_MAX ? path : HOME
}

/** Throws OidcError, or RATE_LIMIT_EXCEEDED. */
const finish = async (
  deps: Deps,
  provider: OidcProvider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  await spend(deps, reply, `oidc-callback:${addressKey(request.ip)}`, STEPS_PER_ADDRESS)
  const parameters = new URL(request.url, ANY_ORIGIN).searchParams
  const attempt = attemptOf(deps, request)
  // One that another site made up doesn't end the browser's own.
  if (!attempt || parameters.get('state') !== attempt.keys.state)
    throw new OidcError('expired', 'the browser has no sign-in with this state')
  clearAttemptCookie(deps, reply)
  if (!(await takeState(deps, hashSecret(attempt.secret))))
    throw new OidcError('expired', 'the callback was used before')
  const person = await provider.identify(parameters, attempt.keys)
  const signedIn = await signInByOidc({ ...deps, ...callOf(request) }, person, provider)
  setSessionCookie(deps, reply, signedIn.secret)
  setKnownBrowserCookie(deps, reply, signedIn.email)
}

const problemOf = (request: FastifyRequest, error: unknown): OidcProblem => {
  if (error instanceof OidcError) {
    logFailure(request, error)
    return error.problem
  }
  const { code } = toApiError(error as Error)
  if (code === 'RATE_LIMIT_EXCEEDED') return 'too_many'
  request.log.error({ err: error }, 'signing in through the identity provider failed')
  return 'failed'
}

const logFailure = (request: FastifyRequest, { problem, message }: OidcError): void =>
  request.log.warn({ problem, reason: message }, 'signing in through the identity provider failed')
