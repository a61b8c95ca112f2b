// What the webhooks of all providers have in common: outside /api/v1, proven before anything is parsed, with limits of
// their own. A proven delivery is answered with 200 once what it brought is stored, whether we understood it or not: the
// provider would send it again for days.

import { ID_PATTERN } from '../db/id.ts'
import type { ChannelName } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type ApiDeps, type App, watchMethods } from '../http/api.ts'
import type { Connected } from './accounts.ts'

/** Meta sends up to 3 MB, the others far less. */
export const WEBHOOK_MAX_BYTES = 3 * 1024 * 1024
/** Deliveries without a good proof from one address, a minute. Those with one are never held back. */
const FAILURES_PER_IP = 60

type Accounts<C extends ChannelName> = { find: (id: string) => Promise<Connected<C> | undefined> }

/** Bodies stay bytes: a proof covers what was on the wire, so nothing is parsed before it was checked. */
export const takeRawBodies = (app: App, deps: Pick<ApiDeps, 'limiter'>, bodyMaxBytes: number) => {
  const methods = watchMethods(app as never)
  app.setNotFoundHandler(() => {
    throw new ApiError('NOT_FOUND')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyMaxBytes }, (_request, body, done) =>
    done(null, body),
  )
  return {
    /** Throws the error, or RATE_LIMIT_EXCEEDED for who has failed too often. */
    refuse: async (ip: string, error: ApiError): Promise<never> => {
      const spent = await deps.limiter?.take(`webhook:${ip}`, FAILURES_PER_IP)
      if (spent?.isExceeded)
        throw new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': String(spent.resetSeconds) } })
      throw error
    },
    rawOf: (body: unknown): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0)),
    /** To be called once all routes are there. */
    refuseOthers: methods.refuseOthers,
  }
}

/** Makes a scope ready for the webhook of a channel. */
export const prepareWebhook = <C extends ChannelName>(app: App, deps: ApiDeps, accounts: Accounts<C>) => {
  const { refuse, rawOf, refuseOthers } = takeRawBodies(app, deps, WEBHOOK_MAX_BYTES)
  return {
    /** The account that the path names. Throws CHANNEL_NOT_FOUND. */
    connectedOf: async (channelId: string, ip: string): Promise<Connected<C>> => {
      const connected = ID_PATTERN.test(channelId) ? await accounts.find(channelId) : undefined
      return connected ?? refuse(ip, new ApiError('CHANNEL_NOT_FOUND'))
    },
    /** Whoever it was did not prove who they are. */
    refuseProof: (ip: string): Promise<never> => refuse(ip, new ApiError('INVALID_SIGNATURE')),
    rawOf,
    refuseOthers,
  }
}

/** A header that is given once. */
export const headerOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined
