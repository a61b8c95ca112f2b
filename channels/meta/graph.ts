// The one client of Meta's Graph API, for WhatsApp and Messenger: its address and version, the token, what an answer
// means. Each call gives a definite answer or throws a failure of the product's, which says whether the request was
// refused, may be tried again, or may have gone through.
import type { ChannelAccount, DeliveryError } from '../contract/channel.ts'
import { type DownloadRequest, download, isLoopback } from '../protocol/download.ts'
import { type Answer, type ExchangeRequest, exchange, type MakeFailure } from '../protocol/exchange.ts'
import { type JsonObject, objectOf, readJson } from '../protocol/read-json.ts'
import { errorOf, type HttpAnswer } from './graph-answer.ts'

const DEFAULT_API_URL = 'https://graph.facebook.com'
/** Served until 28 July 2028, https://developers.facebook.com/docs/graph-api/changelog */
const API_VERSION = 'v25.0'

const ANSWER_BYTES_MAX = 1024 * 1024
const VERSION = /\/v\d+\.\d+$/

export type GraphAccess = {
  /** The address of the API, with or without a version at its end. */
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

/** What differs between the products that are behind the one API. */
export type GraphProduct = {
  /** For people: whom the messages of a failure speak of. */
  provider: string
  /** Where it keeps files, beside the API's own host. */
  mediaHosts: RegExp
  /** What an answer that is no success means. */
  refusalOf: (answer: HttpAnswer, isRepeatable: boolean) => DeliveryError
  /** Where no answer came, or one that cannot be read. */
  failed: MakeFailure
}

export type GraphCall = Pick<ExchangeRequest, 'body' | 'contentType' | 'timeoutMs' | 'isRepeatable'> & {
  url: URL
  bytesMax?: number
}

export const makeGraphClient = ({ provider, mediaHosts, refusalOf, failed }: GraphProduct) => {
  const urlOf = (
    { apiUrl = DEFAULT_API_URL, apiVersion = API_VERSION }: GraphAccess,
    path: string,
    query: Record<string, string> = {},
  ): URL => {
    const trimmed = apiUrl.replace(/(?<!\/)\/+$/, '')
    const text = `${VERSION.test(trimmed) ? trimmed : `${trimmed}/${apiVersion}`}/${path}`
    if (!URL.canParse(text)) throw failed('refused', 'REQUEST_INVALID', 'The API address is not a valid URL.')
    const url = new URL(text)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  // In a header the token stays out of every log.
  const authorizationOf = ({ accessToken }: GraphAccess) => ({ authorization: `Bearer ${accessToken}` })

  /** The JSON of a success; a POST where there is a body. */
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

  /** Whether an address is one of the provider's; a provider on this very machine may have another port for its files. */
  const isOurs = (access: GraphAccess, url: URL): boolean => {
    const base = urlOf(access, '')
    if (url.host === base.host && url.protocol === base.protocol) return true
    if (isLoopback(base)) return isLoopback(url) && /^https?:$/.test(url.protocol)
    return url.protocol === 'https:' && url.port === '' && mediaHosts.test(url.hostname)
  }

  /** The file at an address of the provider's; no other host is asked, or given the token. */
  const downloadFile = (
    access: GraphAccess,
    {
      hasToken,
      ...request
    }: Pick<DownloadRequest, 'url' | 'timeoutMs' | 'bytesMax' | 'signal' | 'failureOf'> & {
      /** Whether the file is given only for the token. */
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

/** A 200 whose body is an error is one. */
const isSuccess = ({ status, body }: Answer): boolean =>
  status >= 200 && status < 300 && !(body.includes('"error"') && errorOf(body))
