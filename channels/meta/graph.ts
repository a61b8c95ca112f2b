// The client of Meta's Graph API, for WhatsApp and Messenger: URL and version, token, responses. Each call returns the
// response or throws the product's error, which says whether the request was refused, may be retried, or may have
// succeeded.
import type { ChannelAccount, DeliveryError } from '../contract/channel.ts'
import { type DownloadRequest, download, isLoopback } from '../protocol/download.ts'
import {
  type Answer,
  type ExchangeRequest,
  exchange,
  type MakeFailure,
  parseApiUrl,
  trimSlashes,
} from '../protocol/exchange.ts'
import { type JsonObject, objectOf, readJson } from '../protocol/read-json.ts'
import { errorOf, type HttpAnswer } from './graph-answer.ts'

const DEFAULT_API_URL = 'https://graph.facebook.com'
/** Served until 28 July 2028, https://developers.facebook.com/docs/graph-api/changelog */
const API_VERSION = 'v25.0'

const ANSWER_BYTES_MAX = 1024 * 1024
const VERSION = /\/v\d+\.\d+$/

export type GraphAccess = {
  /** The URL of the API, with or without a version at its end. */
  apiUrl?: string
  apiVersion?: string
  accessToken: string
}

export const accessOf = ({
  settings,
  secrets,
}: Pick<ChannelAccount, 'settings' | 'secrets'>): GraphAccess => ({
  accessToken: secrets.accessToken ?? '',
  ...(typeof settings.apiUrl === 'string' && { apiUrl: settings.apiUrl }),
})

/** What differs between the products. */
type GraphProduct = {
  /** The name in error messages. */
  provider: string
  /** The hosts of its files, besides the API's own. */
  mediaHosts: RegExp
  /** The error for an unsuccessful response. */
  refusalOf: (answer: HttpAnswer, isRepeatable: boolean) => DeliveryError
  /** The error if there is no response, or an unreadable one. */
  failed: MakeFailure
}

type GraphCall = Pick<ExchangeRequest, 'body' | 'contentType' | 'timeoutMs' | 'isRepeatable' | 'signal'> & {
  url: URL
  bytesMax?: number
}

export const makeGraphClient = ({ provider, mediaHosts, refusalOf, failed }: GraphProduct) => {
  const urlOf = (
    { apiUrl = DEFAULT_API_URL, apiVersion = API_VERSION }: GraphAccess,
    path: string,
    query: Record<string, string> = {},
  ): URL => {
    const base = trimSlashes(apiUrl)
    const url = parseApiUrl(`${VERSION.test(base) ? base : `${base}/${apiVersion}`}/${path}`, failed)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  // In a header, to keep the token out of logs.
  const authorizationOf = ({ accessToken }: GraphAccess) => ({ authorization: `Bearer ${accessToken}` })

  /** The JSON of a successful response. With a body, the request is a POST. */
  const call = async (
    access: GraphAccess,
    { bytesMax = ANSWER_BYTES_MAX, ...request }: GraphCall,
  ): Promise<JsonObject> => {
    const { isRepeatable } = request
    const method = request.body === undefined ? 'GET' : 'POST'
    const answer = await exchange(
      { ...request, ...authorizationOf(access), provider, method, failed },
      bytesMax,
    )
    if (answer.status >= 300 && answer.status < 400)
      throw failed(
        'refused',
        'REDIRECTED',
        'The API address redirects to another address. Enter the final one.',
      )
    if (!isSuccess(answer)) throw refusalOf(answer, isRepeatable)
    const read = answer.isComplete ? readJson(answer.body) : undefined
    if (!read || !('value' in read) || read.value === null || typeof read.value !== 'object')
      throw failed(
        isRepeatable ? 'retry' : 'unknown',
        'ANSWER_UNREADABLE',
        `${provider}’s response can’t be read.`,
      )
    return objectOf(read.value)
  }

  /** Whether a URL belongs to the provider. A provider on this machine may serve files from another port. */
  const isOurs = (access: GraphAccess, url: URL): boolean => {
    const base = urlOf(access, '')
    if (url.host === base.host && url.protocol === base.protocol) return true
    if (isLoopback(base)) return isLoopback(url) && /^https?:$/.test(url.protocol)
    return url.protocol === 'https:' && url.port === '' && mediaHosts.test(url.hostname)
  }

  /** Downloads a file from the provider. Other hosts are not contacted, and never get the token. */
  const downloadFile = (
    access: GraphAccess,
    {
      hasToken,
      ...request
    }: Pick<DownloadRequest, 'url' | 'timeoutMs' | 'bytesMax' | 'signal' | 'failureOf'> & {
      /** Whether the file requires the token. */
      hasToken: boolean
    },
  ) =>
    download({
      ...request,
      provider,
      failed,
      trustOf: (url) => (isOurs(access, url) ? (hasToken ? authorizationOf(access) : {}) : undefined),
    })

  return { urlOf, call, downloadFile }
}

/** A 200 may have an error in its body. */
const isSuccess = ({ status, body }: Answer): boolean =>
  status >= 200 && status < 300 && !(body.includes('"error"') && errorOf(body))
