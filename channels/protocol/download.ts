// Downloads a provider's file: only from URLs that the channel trusts, limited in size and time.
import { Transform } from 'node:stream'
import type { DeliveryError, FetchedMedia, MediaOptions } from '../contract/channel.ts'
import {
  type MakeFailure,
  openExchange,
  plainFailure,
  SERVER_ERROR_FROM,
  type StreamedAnswer,
  startTimeLimit,
} from './exchange.ts'
import { lineOf, numberOf } from './read-json.ts'

const REDIRECTS_MAX = 3

type Trust = { authorization?: string }

export type DownloadRequest = MediaOptions & {
  provider: string
  url: string
  /** The credentials for a URL; undefined if it must not be contacted. */
  trustOf: (url: URL, isFirst: boolean) => Trust | undefined
  /** The error for an unsuccessful response; by default, from the HTTP status. */
  failureOf?: (answer: Pick<StreamedAnswer, 'status' | 'headers'>) => DeliveryError | undefined
  /** Creates errors of the provider's own class; by default, plain DeliveryErrors. */
  failed?: MakeFailure
}

export type Download = FetchedMedia & {
  /** In bytes, if the response includes it. */
  size: number | null
}

/** The stream fails with a DeliveryError. The caller must read it to its end or destroy it. */
export const download = async (request: DownloadRequest): Promise<Download> => {
  const { provider, timeoutMs, trustOf, failed = plainFailure } = request
  const leftMs = startTimeLimit(timeoutMs)
  let url = URL.canParse(request.url) ? new URL(request.url) : undefined
  for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
    const trust = url && trustOf(url, hops === 0)
    if (!url || !trust) throw failed('refused', 'REDIRECTED', `The file URL doesn’t belong to ${provider}.`)
    const answer = await openExchange({
      ...trust,
      provider,
      method: 'GET',
      url,
      timeoutMs: leftMs(),
      isRepeatable: true,
      failed,
    })
    const { status, headers, body, done } = answer
    if (status === 200) return bounded(answer, request)
    done()
    body.destroy()
    if (status < 300 || status >= 400 || !headers.location)
      throw request.failureOf?.(answer) ?? httpFailure(provider, status, failed)
    url = URL.canParse(headers.location, url.href) ? new URL(headers.location, url) : undefined
  }
  throw failed('refused', 'REDIRECTED', 'The file URL redirects too many times.')
}

const httpFailure = (provider: string, status: number, failed: MakeFailure): DeliveryError => {
  const isTemporary = status === 429 || status === 408 || status >= SERVER_ERROR_FROM
  return failed(
    isTemporary ? 'retry' : 'refused',
    `HTTP_${status}`,
    `${provider} did not return the file (HTTP ${status}).`,
  )
}

const bounded = (
  { headers, body, done }: StreamedAnswer,
  { bytesMax, timeoutMs, signal, failed = plainFailure }: DownloadRequest,
): Download => {
  const size = numberOf(headers['content-length'])
  const tooLarge = () => failed('refused', 'MEDIA_TOO_LARGE', `The file is larger than ${bytesMax} bytes.`)
  if (size !== null && size > bytesMax) {
    done()
    body.destroy()
    throw tooLarge()
  }
  let seen = 0
  const content = new Transform({
    transform(chunk: Buffer, _, next) {
      seen += chunk.length
      if (seen > bytesMax) next(tooLarge())
      else next(null, chunk)
    },
  })
  body.on('error', (cause) => {
    const message = `The download was interrupted or took longer than ${timeoutMs} ms.`
    content.destroy(failed('retry', 'CONNECTION_LOST', message, { cause }))
  })
  const stop = () => body.destroy(new Error('stopped'))
  signal?.addEventListener('abort', stop)
  content.on('close', () => {
    signal?.removeEventListener('abort', stop)
    done()
    body.destroy()
  })
  body.pipe(content)
  return { content, mimeType: lineOf(headers['content-type'], 128), size }
}

/** A provider on this machine, as in the demo, may serve files from another port. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** An IP address isn't a provider's name, and may belong to our own network. */
export const isAddressLiteral = ({ hostname }: URL): boolean => /^[\d.]+$|^\[/.test(hostname)
