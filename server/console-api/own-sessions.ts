// A person's own sign-ins, of all their browsers.
import { endOtherSessions, endSession } from '../domain/accounts/end-sessions.ts'
import { listSessions } from '../domain/accounts/own-sessions-queries.ts'
import { OtherSessionsEnded, OwnSessionParams, OwnSessions, SignedOut } from '../domain/accounts/schema.ts'
import { sessionBounds } from '../domain/accounts/session-time.ts'
import { newIdAfter } from '../platform/db/id.ts'
import { type App, callOf } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'
import type { SessionDeps } from './sessions.ts'

export const registerOwnSessions = (app: App, given: SessionDeps): void => {
  const deps = { ...given, newId: newIdAfter }
  app.get(
    '/sessions',
    { schema: { operationId: 'consoleListSessions', response: { 200: OwnSessions } } },
    async ({ session }) => ({
      sessions: await listSessions(deps, { ...session, ...sessionBounds(deps.now()) }),
    }),
  )

  app.delete(
    '/sessions/:sessionId',
    {
      schema: {
        operationId: 'consoleEndSession',
        params: OwnSessionParams,
        response: { 200: SignedOut, ...errors('SIGN_IN_NOT_FOUND') },
      },
    },
    async (request) => {
      const { session: owner, params } = request
      await endSession({ ...deps, ...callOf(request) }, { owner, ...params })
      deps.onSignOut(owner.accountId)
      return { success: true as const }
    },
  )

  app.post(
    '/sessions/end-others',
    { schema: { operationId: 'consoleEndOtherSessions', response: { 200: OtherSessionsEnded } } },
    async (request) => {
      const { session: owner } = request
      const ended = await endOtherSessions({ ...deps, ...callOf(request) }, owner)
      deps.onSignOut(owner.accountId)
      return { ended }
    },
  )
}
