// Connecting a mailbox of Google or Microsoft by signing in there. The browser comes back to a page of the console, which
// hands over what the provider said; only the browser that began can end it, in the workspace in which it began.
import Type from 'typebox'
import { MAIL_PROVIDERS, type MailProviderName } from '../../channels/channel.ts'
import { OidcError } from '../domain/accounts/oidc/oidc-error.ts'
import { takeState } from '../domain/accounts/oidc/queries.ts'
import { connectMailbox } from '../domain/channel-accounts/mailbox-oauth/connect-mailbox.ts'
import type { MailOauth } from '../domain/channel-accounts/mailbox-oauth/provider.ts'
import { ChannelAdded } from '../domain/channel-accounts/schema.ts'
import { getChannel } from '../domain/channel-accounts/show-channel-accounts.ts'
import { Text } from '../domain/schema.ts'
import { ApiError } from '../platform/errors.ts'
import { hashSecret } from '../platform/hash-secret.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'
import {
  attemptOf,
  clearAttemptCookie,
  MAILBOX_COOKIE,
  setAttemptCookie,
  startAttempt,
} from './oidc-attempt.ts'
import type { SessionDeps } from './sessions.ts'

const SEARCH_MAX = 8_000

const Provider = Type.Enum(Object.keys(MAIL_PROVIDERS) as MailProviderName[])
const Providers = Type.Object({
  providers: Type.Array(Type.Object({ name: Provider, label: Type.String() })),
})
const Start = Type.Object({
  provider: Provider,
  channelId: Type.Optional(Text(25, { description: 'A mailbox to reconnect.' })),
})
const Started = Type.Object({ url: Type.String() })
const Finish = Type.Object({
  search: Text(SEARCH_MAX, { description: 'The query that the browser came back with.' }),
})

/** What the attempt's cookie says beside its secret. */
type Begun = { workspaceId: string; provider: MailProviderName; channelId: string | null }

export const registerMailboxOauthConsoleRoutes = (app: App, deps: SessionDeps): void => {
  const providerOf = (name: MailProviderName): MailOauth => {
    const provider = deps.mailOauth.find((one) => one.name === name)
    if (!provider)
      throw new ApiError('MAILBOX_SIGN_IN_FAILED', { message: 'This provider isn’t set up here.' })
    return provider
  }
  const config = { permission: 'admin' } as const

  app.get(
    '/mailbox-sign-in',
    {
      config,
      schema: {
        operationId: 'consoleListMailProviders',
        summary: 'List the providers whose mailboxes can be connected by signing in',
        response: { 200: Providers },
      },
    },
    async () => ({ providers: deps.mailOauth.map(({ name, label }) => ({ name, label })) }),
  )

  app.post(
    '/mailbox-sign-in',
    {
      config,
      schema: {
        operationId: 'consoleStartMailboxSignIn',
        summary: 'Start connecting a mailbox by signing in',
        body: Start,
        response: { 200: Started, ...errors('CHANNEL_NOT_FOUND', 'MAILBOX_SIGN_IN_FAILED') },
      },
    },
    async ({ ctx, body, log }, reply) => {
      const { provider, channelId = null } = body
      if (channelId !== null) await getChannel(ctx, channelId)
      const begun: Begun = { workspaceId: ctx.workspaceId, provider, channelId }
      const attempt = startAttempt(deps, JSON.stringify(begun))
      const url = await providerOf(provider)
        .authorizationUrl(attempt.keys)
        .catch((error: unknown) => {
          throw failureOf(error, log)
        })
      setAttemptCookie(deps, reply, attempt, MAILBOX_COOKIE)
      return { url }
    },
  )

  app.post(
    '/mailbox-sign-in/finish',
    {
      config,
      schema: {
        operationId: 'consoleFinishMailboxSignIn',
        summary: 'Connect the mailbox that was signed in to',
        body: Finish,
        response: {
          200: ChannelAdded,
          ...errors('NOT_FOUND', 'CHANNEL_NOT_FOUND', 'MAILBOX_SIGN_IN_FAILED'),
        },
      },
    },
    async (request, reply) => {
      const { ctx, body, log } = request
      const parameters = new URLSearchParams(body.search)
      const attempt = attemptOf(deps, request, MAILBOX_COOKIE)
      const begun = attempt && (JSON.parse(attempt.to) as Begun)
      const isOurs = attempt && parameters.get('state') === attempt.keys.state
      if (!isOurs || begun?.workspaceId !== ctx.workspaceId) throw signInFailed('expired')
      clearAttemptCookie(deps, reply, MAILBOX_COOKIE)
      if (!(await takeState(deps, hashSecret(attempt.secret)))) throw signInFailed('expired')
      const fields = await providerOf(begun.provider)
        .grant(parameters, attempt.keys)
        .catch((error: unknown) => {
          throw failureOf(error, log)
        })
      const { id, checks } = await connectMailbox(ctx, { channelId: begun.channelId, fields })
      return { channel: id === null ? null : await getChannel(ctx, id), checks }
    },
  )
}

const MESSAGES: Partial<Record<OidcError['problem'], string>> = {
  denied: 'You didn’t give access to the mailbox.',
  expired: 'This sign-in has expired or was already used. Start again.',
  unavailable: 'The provider isn’t responding. Try again shortly.',
}

const signInFailed = (problem: OidcError['problem']): ApiError => {
  const message = MESSAGES[problem]
  return new ApiError('MAILBOX_SIGN_IN_FAILED', { ...(message && { message }) })
}

type Log = { warn: (details: object, message: string) => void }

const failureOf = (error: unknown, log: Log): Error => {
  if (!(error instanceof OidcError)) return error as Error
  log.warn({ problem: error.problem, reason: error.message }, 'signing in to a mailbox failed')
  return signInFailed(error.problem)
}
