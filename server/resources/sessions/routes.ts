import { randomBytes } from 'node:crypto'
import { newId } from '../../db/id.ts'
import { ApiError } from '../../errors.ts'
import { type ApiDeps, type App, spend } from '../../http/api.ts'
import {
  browserSecretOf,
  clearSessionCookie,
  findRequestSession,
  setBrowserCookie,
  setSessionCookie,
} from '../../http/console-session.ts'
import { errors } from '../../http/error-responses.ts'
import { listSessionWorkspaces } from './queries.ts'
import { requestSignInCode } from './request-sign-in-code.ts'
import { About, CodeSent, RequestCode, Session, SignedOut, SignIn, SignOut } from './schema.ts'
import { signInWithCode, signInWithSecret } from './sign-in.ts'
import { signOut } from './sign-out.ts'

const BROWSER_SECRET_BYTES = 32
/** Calls a minute by an address: for codes, which are mails to somebody, and for tries. */
const CODES_PER_IP = 10
const TRIES_PER_IP = 20

export type SessionDeps = ApiDeps & {
  /** Whether codes can be mailed. */
  sendsMail: boolean
  isDemo: boolean
  sandboxUrl: string | null
  /** An account's session has ended: what it has open in this process ends now. */
  onSignOut: (accountId: string) => void
}

export const registerSessions =
  (deps: SessionDeps) =>
  (app: App): void => {
    const platform = { ...deps, newId: () => newId() }

    const show = async (session: {
      accountId: string
      email: string
      nickname: string
    }): Promise<Session> => {
      const { accountId: id, email, nickname } = session
      const workspaces = await listSessionWorkspaces(deps, id)
      return {
        account: { id, email, nickname },
        workspaces,
        isDemo: deps.isDemo,
        sandboxUrl: deps.sandboxUrl,
      }
    }

    app.get(
      '/about',
      {
        config: { isOpen: true },
        schema: { operationId: 'consoleAbout', response: { 200: About } },
      },
      async () => ({ isDemo: deps.isDemo, sandboxUrl: deps.sandboxUrl, sendsMail: deps.sendsMail }),
    )

    app.post(
      '/sign-in/code',
      {
        config: { isOpen: true },
        schema: {
          operationId: 'consoleRequestSignInCode',
          body: RequestCode,
          response: { 200: CodeSent, ...errors('SIGN_IN_CODES_OFF') },
        },
      },
      async (request, reply) => {
        await spend(deps, reply, `sign-in-code:${request.ip}`, CODES_PER_IP)
        if (!deps.sendsMail) throw new ApiError('SIGN_IN_CODES_OFF')
        const browserSecret = randomBytes(BROWSER_SECRET_BYTES).toString('base64url')
        await requestSignInCode(platform, { email: request.body.email.toLowerCase(), browserSecret })
        setBrowserCookie(deps, reply, browserSecret)
        return { sent: true as const }
      },
    )

    app.post(
      '/sign-in',
      {
        config: { isOpen: true },
        schema: {
          operationId: 'consoleSignIn',
          body: SignIn,
          response: { 200: Session, ...errors('SIGN_IN_REFUSED') },
        },
      },
      async (request, reply) => {
        await spend(deps, reply, `sign-in:${request.ip}`, TRIES_PER_IP)
        const { email = '', code, secret } = request.body
        const browserSecret = browserSecretOf(request)
        const signedIn =
          secret !== undefined
            ? await signInWithSecret(platform, { secret })
            : await signInWithCode(platform, {
                email: email.toLowerCase(),
                code: (code ?? '').replace(' ', ''),
                // A browser that never asked has no code; the way to that answer is the same.
                browserSecret: browserSecret ?? '',
              })
        setSessionCookie(deps, reply, signedIn.secret)
        return show(signedIn)
      },
    )

    app.post(
      '/sign-out',
      {
        config: { isOpen: true },
        schema: { operationId: 'consoleSignOut', body: SignOut, response: { 200: SignedOut } },
      },
      async (request, reply) => {
        const session = await findRequestSession(deps, request, null)
        if (session) {
          await signOut(platform, { ...session, everywhere: request.body.everywhere ?? false })
          deps.onSignOut(session.accountId)
        }
        clearSessionCookie(deps, reply)
        return { success: true as const }
      },
    )

    app.get(
      '/session',
      { schema: { operationId: 'consoleGetSession', response: { 200: Session } } },
      (request) => show(request.session),
    )
  }
