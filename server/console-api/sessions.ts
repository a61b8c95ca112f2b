import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { OidcProvider } from '../domain/accounts/oidc/provider.ts'
import { SecondFactorNeeded } from '../domain/accounts/passkeys/schema.ts'
import { findLanguage, updateLanguage } from '../domain/accounts/queries.ts'
import { requestSignInCode } from '../domain/accounts/request-sign-in-code.ts'
import {
  About,
  AccountLanguage,
  CodeSent,
  RequestCode,
  Session,
  SignedOut,
  SignIn,
  SignOut,
} from '../domain/accounts/schema.ts'
import { listSessionWorkspaces } from '../domain/accounts/session-queries.ts'
import { type SignedIn, signInWithCode, signInWithSecret } from '../domain/accounts/sign-in.ts'
import { signOut } from '../domain/accounts/sign-out.ts'
import type { MailOauth } from '../domain/channel-accounts/mailbox-oauth/provider.ts'
import { newIdAfter } from '../platform/db/id.ts'
import { ApiError } from '../platform/errors.ts'
import { hashSecret } from '../platform/hash-secret.ts'
import { type ApiDeps, type App, callOf, spend } from '../platform/http/api.ts'
import { addressKey } from '../platform/http/client-address.ts'
import { errors } from '../platform/http/error-responses.ts'
import { awaitSecondFactor } from './pending-cookie.ts'
import {
  browserSecretOf,
  type ConsoleSession,
  clearSessionCookie,
  findRequestSession,
  knownBrowserOf,
  setBrowserCookie,
  setKnownBrowserCookie,
  setSessionCookie,
} from './session.ts'

const BROWSER_SECRET_BYTES = 32
/**
 * Calls per minute by a known browser, or by an address: for requesting codes, which sends email, and for attempts.
 */
const CODES_PER_ASKER = 10
export const TRIES_PER_ASKER = 20
/** Calls per minute by an address: for the sign-in page's first request, and for signing out. */
const CALLS_PER_ADDRESS = 120
/** For people who are not signed in. */
export const BODY_MAX_BYTES = 16 * 1024

export type SessionDeps = ApiDeps & {
  /** Whether codes can be emailed. */
  sendsMail: boolean
  /** The demo's workspace, and the URL of its sandbox, which contains its key. */
  demo: { workspaceId: string; sandboxUrl: string } | null
  oidc: OidcProvider | null
  /** The providers whose mailboxes can be connected by signing in. */
  mailOauth: readonly MailOauth[]
  /** An account's session has ended: close its streams in this process now. */
  onSignOut: (accountId: string) => void
}

export const registerSessions = (app: App, given: SessionDeps): void => {
  const deps = { ...given, newId: newIdAfter }
  app.get(
    '/about',
    {
      config: { isOpen: true },
      onRequest: (request, reply) => spend(deps, reply, `about:${addressKey(request.ip)}`, CALLS_PER_ADDRESS),
      schema: { operationId: 'consoleAbout', response: { 200: About } },
    },
    async () => ({
      isDemo: deps.demo !== null,
      sendsMail: deps.sendsMail,
      provider: deps.oidc && { name: deps.oidc.name, isOnly: deps.oidc.isOnly },
    }),
  )
  registerCodes(app, deps)
  registerSignIn(app, deps)
  registerSignOut(app, deps)
  app.get(
    '/session',
    { schema: { operationId: 'consoleGetSession', response: { 200: Session } } },
    (request) => show(deps, request.session),
  )
  app.put(
    '/session/language',
    {
      schema: {
        operationId: 'consoleSetLanguage',
        summary: 'Set the language that your notifications and emails are in',
        body: AccountLanguage,
        response: { 200: Session },
      },
    },
    async ({ session, body }) => {
      await updateLanguage(deps, session.accountId, body)
      return show(deps, session)
    },
  )
}

type Deps = SessionDeps & { newId: typeof newIdAfter }

const registerCodes = (app: App, deps: Deps): void => {
  app.post(
    '/sign-in/code',
    {
      config: { isOpen: true },
      bodyLimit: BODY_MAX_BYTES,
      // A browser that has signed in here before has its own limit, independent of others at its address.
      onRequest: (request, reply) => {
        const asker = knownBrowserOf(deps, request)?.name ?? addressKey(request.ip)
        return spend(deps, reply, `sign-in-code:${asker}`, CODES_PER_ASKER)
      },
      schema: {
        operationId: 'consoleRequestSignInCode',
        body: RequestCode,
        response: { 200: CodeSent, ...errors('SIGN_IN_CODES_OFF', 'SIGN_IN_BY_PROVIDER_ONLY') },
      },
    },
    async (request, reply) => {
      const email = request.body.email.toLowerCase()
      const known = knownBrowserOf(deps, request)
      const knownBrowser = known?.hasSignedIn(email) ? known.name : null
      const address = addressKey(request.ip)
      refuseCodes(deps)
      if (!deps.sendsMail) throw new ApiError('SIGN_IN_CODES_OFF')
      const browserSecret = randomBytes(BROWSER_SECRET_BYTES).toString('base64url')
      const isAsked = await requestSignInCode(deps, { email, browserSecret, knownBrowser, address })
      // If no new code is sent, any earlier one of this browser stays valid.
      if (isAsked || !browserSecretOf(deps, request)) setBrowserCookie(deps, reply, browserSecret)
      return { sent: true as const }
    },
  )
}

const registerSignIn = (app: App, deps: Deps): void => {
  app.post(
    '/sign-in',
    {
      config: { isOpen: true },
      bodyLimit: BODY_MAX_BYTES,
      // A browser that requested a code has its own limit.
      onRequest: (request, reply) => {
        const browserSecret = browserSecretOf(deps, request)
        const asker = browserSecret ? hashSecret(browserSecret).toString('base64url') : addressKey(request.ip)
        return spend(deps, reply, `sign-in:${asker}`, TRIES_PER_ASKER)
      },
      schema: {
        operationId: 'consoleSignIn',
        body: SignIn,
        response: {
          200: Session,
          202: SecondFactorNeeded,
          ...errors('SIGN_IN_REFUSED', 'SIGN_IN_BY_PROVIDER_ONLY'),
        },
      },
    },
    async (request, reply) => {
      const browserSecret = browserSecretOf(deps, request)
      const { email = '', code, secret } = request.body
      if (secret === undefined) refuseCodes(deps)
      const call = { ...deps, ...callOf(request) }
      const step =
        secret !== undefined
          ? await signInWithSecret(call, { secret })
          : await signInWithCode(call, {
              email: email.toLowerCase(),
              code: (code ?? '').replace(' ', ''),
              // A browser that never requested a code has none; it takes the same path to the same response.
              browserSecret: browserSecret ?? '',
            })
      return 'pendingSecret' in step ? awaitSecondFactor(deps, reply, step) : admit(deps, reply, step)
    },
  )
}

/** Signed in: the browser gets its session. */
export const admit = (deps: SessionDeps, reply: FastifyReply, signedIn: SignedIn): Promise<Session> => {
  setSessionCookie(deps, reply, signedIn.secret)
  setKnownBrowserCookie(deps, reply, signedIn.email)
  return show(deps, signedIn)
}

/** Links stay: the operator's are the way in while the provider is down. */
export const refuseCodes = ({ oidc }: SessionDeps): void => {
  if (oidc?.isOnly) throw new ApiError('SIGN_IN_BY_PROVIDER_ONLY')
}

const registerSignOut = (app: App, deps: Deps): void => {
  app.post(
    '/sign-out',
    {
      config: { isOpen: true },
      bodyLimit: BODY_MAX_BYTES,
      onRequest: (request, reply) =>
        spend(deps, reply, `sign-out:${addressKey(request.ip)}`, CALLS_PER_ADDRESS),
      schema: { operationId: 'consoleSignOut', body: SignOut, response: { 200: SignedOut } },
    },
    async (request, reply) => {
      const session = await findRequestSession(deps, request, null)
      if (session) {
        await signOut(deps, { ...session, everywhere: request.body.everywhere ?? false })
        deps.onSignOut(session.accountId)
      }
      clearSessionCookie(deps, reply)
      return { success: true as const }
    },
  )
}

const show = async (
  deps: SessionDeps,
  session: Pick<ConsoleSession, 'accountId' | 'email' | 'nickname' | 'undoSeconds' | 'signedInAt'>,
): Promise<Session> => {
  const { accountId: id, email, nickname, undoSeconds, signedInAt } = session
  const workspaces = await listSessionWorkspaces(deps, { accountId: id, signedInAt })
  const language = await findLanguage(deps, id)
  return {
    account: { id, email, nickname, undoSeconds, language },
    workspaces,
    // Anyone who can open the sandbox can read the codes of the demo's people, so only they are given its URL.
    sandboxUrl: workspaces.some(({ id }) => id === deps.demo?.workspaceId) ? deps.demo!.sandboxUrl : null,
  }
}
