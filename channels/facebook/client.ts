// The calls to the Graph API for Messenger. Each returns the response or throws a DeliveryError.
// https://developers.facebook.com/docs/messenger-platform/reference/send-api
import type { ChannelAccount, FetchedMedia, MediaOptions } from '../contract/channel.ts'
import { accessOf, makeGraphClient } from '../meta/graph.ts'
import { type BodyPart, plainFailure } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/read-json.ts'
import { refusalOf } from './errors.ts'

const graph = makeGraphClient({
  provider: 'Facebook',
  mediaHosts: /(^|\.)(fbcdn\.net|fbsbx\.com|facebook\.com|cdninstagram\.com)$/,
  refusalOf,
  failed: plainFailure,
})

export type Call = {
  path: string
  query?: Record<string, string>
  /** Without it, the request is a GET. */
  content?: { body: BodyPart | readonly BodyPart[]; contentType: string }
  timeoutMs: number
  /** Repeating it is harmless. */
  isRepeatable: boolean
  signal?: AbortSignal
}

/** The JSON of a successful response. */
export const call = (
  account: ChannelAccount,
  { path, query, content, ...rest }: Call,
): Promise<JsonObject> => {
  const access = accessOf(account)
  return graph.call(access, { url: graph.urlOf(access, path, query), ...content, ...rest })
}

/** Customers' files don't require the token, so it isn't sent. */
export const downloadFile = (
  account: ChannelAccount,
  url: string,
  options: MediaOptions,
): Promise<FetchedMedia> => graph.downloadFile(accessOf(account), { ...options, url, hasToken: false })
