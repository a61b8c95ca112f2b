// Mail that a mail server or a provider hands over as it is: POST /webhooks/email/{channelId}, proven by the mailbox's
// inbound secret. Answered with 200 once it is stored; a mail that cannot be stored is kept raw, so that nobody sends it
// for days.
import { createHash, timingSafeEqual } from 'node:crypto'
import { ID_PATTERN } from '../../db/id.ts'
import { ApiError } from '../../errors.ts'
import { type ApiDeps, type App, ctxOf } from '../../http/api.ts'
import { bearerOf } from '../../http/authenticate.ts'
import { isDatabaseUnavailable } from '../../http/error-handler.ts'
import { findChannelAccountAnywhere, openSecrets } from '../../resources/channel-accounts/queries.ts'
import { insertLeftovers, leftoverOf } from '../leftovers.ts'
import { takeRawBodies } from '../webhook-scope.ts'
import { receiveEmail } from './receive-email.ts'

/** What the largest providers take, encoded. */
export const MAIL_MAX_BYTES = 35 * 1024 * 1024
/** A mail is held in memory while it is taken in: no more of them than this at once, of all mailboxes. */
const AT_ONCE_MAX = 8
/** The others wait, not yet read; beyond a number they are asked to come again. */
const WAITING_MAX = 200

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Registers the route under /webhooks/email. */
export const registerEmailWebhook = (app: App, deps: ApiDeps): void => {
  const { refuse, rawOf, refuseOthers } = takeRawBodies(app, deps, MAIL_MAX_BYTES)
  const turns = makeTurns()
  const ends = new WeakMap<object, () => void>()
  const end = async (request: object) => ends.get(request)?.()
  app.addHook('onResponse', end)
  app.addHook('onRequestAbort', end)

  app.post<{ Params: { channelId: string } }>(
    '/:channelId',
    {
      bodyLimit: MAIL_MAX_BYTES,
      // Before the body: nobody without the secret makes us hold 35 MB, and nobody with it makes us hold many.
      onRequest: async (request) => {
        const { params, headers, ip } = request
        const account = ID_PATTERN.test(params.channelId)
          ? await findChannelAccountAnywhere(deps.db, 'email', params.channelId)
          : undefined
        if (!account) return refuse(ip, new ApiError('CHANNEL_NOT_FOUND'))
        const { inboundSecret } = openSecrets(deps.seal, account)
        const given = bearerOf(headers.authorization)
        if (!inboundSecret || given === undefined || !timingSafeEqual(digest(given), digest(inboundSecret)))
          return refuse(ip, new ApiError('INVALID_SIGNATURE'))
        ends.set(request, await turns.take())
        if (request.raw.destroyed) await end(request)
      },
    },
    async ({ params, body, log }) => {
      const account = await findChannelAccountAnywhere(deps.db, 'email', params.channelId)
      if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
      const raw = rawOf(body)
      if (raw.length === 0) throw new ApiError('VALIDATION_ERROR', { message: 'The body must be a mail.' })
      const ctx = ctxOf(deps, log, account.workspaceId, { type: 'customer', contactId: null })
      try {
        await receiveEmail(ctx, account, raw)
      } catch (error) {
        if (isDatabaseUnavailable(error as Error)) throw error
        log.error({ err: error, channelAccountId: account.id }, 'a mail could not be stored')
        await insertLeftovers(ctx, [leftoverOf(account.id, 'failed', raw.toString('latin1'))])
      }
      return { success: true }
    },
  )
  refuseOthers()
}

/** Lets so many through at once, first come, first served. What take() gives ends the turn, however often it is called. */
const makeTurns = () => {
  let taken = 0
  const waiting: (() => void)[] = []
  const give = (): (() => void) => {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const next = waiting.shift()
      if (next) next()
      else taken--
    }
  }
  return {
    take: async (): Promise<() => void> => {
      if (taken < AT_ONCE_MAX) taken++
      else if (waiting.length >= WAITING_MAX)
        throw new ApiError('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '2' } })
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return give()
    },
  }
}
