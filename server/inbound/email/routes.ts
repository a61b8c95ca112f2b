// Raw email delivered by a mail server or provider: POST /webhooks/email/{channelId}, authenticated by the mailbox's
// inbound secret. Responds 200 once it is stored, otherwise 503 so that the mail server retries. If the email itself
// is the cause, it is kept raw, so that it isn't resent for days.
import { createHash, timingSafeEqual } from 'node:crypto'
import { findChannelAccountAnywhere, openSecrets } from '../../domain/channel-accounts/queries.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { requireOpen } from '../../platform/db/closed-workspaces.ts'
import { ID_PATTERN } from '../../platform/db/id.ts'
import { ApiError } from '../../platform/errors.ts'
import { type ApiDeps, type App, ctxOf } from '../../platform/http/api.ts'
import { bearerOf } from '../../platform/http/bearer.ts'
import { keepLeftover } from '../leftovers/keep-leftover.ts'
import { isBadValue, makeRetryPeriod, tryAgain } from '../verdict.ts'
import { takeRawBodies } from '../webhook-scope.ts'
import { leftoverOfMail, type MailAccount, mailAccountOf, receiveEmail } from './receive-email.ts'

/** The size limit of the largest providers, encoded. */
export const MAIL_MAX_BYTES = 35 * 1024 * 1024
/** An email is held in memory while it is processed: at most this many at once, across all mailboxes. */
const AT_ONCE_MAX = 8
/** Further ones wait, not yet read; beyond a limit they are told to retry. */
const WAITING_MAX = 200

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Registers the route under /webhooks/email. */
export const registerEmailWebhook = (app: App, deps: ApiDeps): void => {
  const { refuse, rawOf, refuseRest } = takeRawBodies(app, deps, MAIL_MAX_BYTES)
  const turns = makeTurns()
  const retryPeriod = makeRetryPeriod(() => performance.now())
  const ends = new WeakMap<object, () => void>()
  const end = async (request: object) => ends.get(request)?.()
  app.addHook('onResponse', end)
  app.addHook('onRequestAbort', end)

  app.post<{ Params: { channelId: string } }>(
    '/:channelId',
    {
      bodyLimit: MAIL_MAX_BYTES,
      config: { body: 'counted' },
      // Before the body: without the secret nobody can make us hold 35 MB, and with it nobody can make us hold many.
      onRequest: async (request) => {
        const { params, headers, ip } = request
        const account = ID_PATTERN.test(params.channelId)
          ? await findChannelAccountAnywhere(deps.db, 'email', params.channelId)
          : undefined
        if (!account) return refuse(ip, new ApiError('CHANNEL_NOT_FOUND'))
        requireOpen(deps.db, account.workspaceId)
        const { inboundSecret } = openSecrets(deps.seal, account)
        const given = bearerOf(headers.authorization)
        if (!inboundSecret || given === undefined || !timingSafeEqual(digest(given), digest(inboundSecret)))
          return refuse(ip, new ApiError('INVALID_SIGNATURE'))
        ends.set(request, await turns.take())
        if (request.raw.destroyed) await end(request)
      },
    },
    async (request) => {
      const { params, body, log } = request
      const account = await findChannelAccountAnywhere(deps.db, 'email', params.channelId)
      if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
      const raw = rawOf(body)
      if (raw.length === 0)
        throw new ApiError('VALIDATION_ERROR', { message: 'The body must be an email message.' })
      const ctx = ctxOf(deps, request, account.workspaceId, { type: 'customer', contactId: null })
      const error = await takeMail(ctx, mailAccountOf(ctx, account, openSecrets(deps.seal, account)), raw)
      if (error === null) return { success: true }
      log.error({ err: error, channelAccountId: account.id }, 'an email could not be stored')
      const leftover = leftoverOfMail(account.id, raw, error)
      if (!isBadValue(error) && !retryPeriod.isOver(leftover.hash, error)) throw tryAgain()
      await keepLeftover(ctx, leftover)
      return { success: true }
    },
  )
  refuseRest()
}

/** Null if the email was stored, otherwise why not. One that seems bad is tried twice: it may have lost a race. */
const takeMail = async (ctx: Ctx, account: MailAccount, raw: Buffer): Promise<unknown> => {
  for (let attempt = 1; ; attempt++)
    try {
      await receiveEmail(ctx, account, raw)
      return null
    } catch (error) {
      if (attempt === 2 || !isBadValue(error)) return error
    }
}

/**
 * Admits this many at once, first come, first served. The function from take() releases the slot and may be called
 * repeatedly.
 */
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
