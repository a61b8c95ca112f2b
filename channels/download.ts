// A file of a provider's: only from addresses that the channel trusts, and never more or for longer than allowed.
import { Transform } from 'node:stream'
import { DeliveryError, type FetchedMedia, type MediaOptions } from './channel.ts'
import { openExchange, type StreamedAnswer } from './exchange.ts'
import { lineOf, numberOf } from './read-json.ts'

const REDIRECTS_MAX = 3

type Trust = { authorization?: string }

export type DownloadRequest = MediaOptions & {
  provider: string
  url: string
  /** What to send along to an address; undefined where it must not be asked. */
  trustOf: (url: URL, isFirst: boolean) => Trust | undefined
  /** What an answer that is no file means; left out, what HTTP says. */
  failureOf?: (status: number) => DeliveryError | undefined
}

/** The stream breaks with a DeliveryError; whoever takes it reads or destroys it. */
export const download = async (request: DownloadRequest): Promise<FetchedMedia> => {
  const { provider, timeoutMs, trustOf } = request
  const until = performance.now() + timeoutMs
  let url = URL.canParse(request.url) ? new URL(request.url) : undefined
  for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
    const trust = url && trustOf(url, hops === 0)
    if (!url || !trust)
      throw new DeliveryError('refused', 'REDIRECTED', `The address of the file is not one of ${provider}’s.`)
    const leftMs = Math.max(1, Math.ceil(until - performance.now()))
    const answer = await openExchange({
      ...trust,
      provider,
      method: 'GET',
      url,
      timeoutMs: leftMs,
      isRepeatable: true,
    })
    const { status, headers, body, done } = answer
    if (status === 200) return bounded(answer, request)
    done()
    body.destroy()
    if (status < 300 || status >= 400 || !headers.location)
      throw request.failureOf?.(status) ?? httpFailure(provider, status)
    url = URL.canParse(headers.location, url.href) ? new URL(headers.location, url) : undefined
  }
  throw new DeliveryError('refused', 'REDIRECTED', 'The address of the file redirects too often.')
}

const httpFailure = (provider: string, status: number): DeliveryError => {
  const isPassing = status === 429 || status === 408 || status >= 500
  return new DeliveryError(
    isPassing ? 'retry' : 'refused',
    `HTTP_${status}`,
    `${provider} did not hand over the file (HTTP ${status}).`,
  )
}

const bounded = (
  { headers, body, done }: StreamedAnswer,
  { bytesMax, timeoutMs, signal }: DownloadRequest,
): FetchedMedia => {
  const size = numberOf(headers['content-length'])
  const tooLarge = () =>
    new DeliveryError('refused', 'MEDIA_TOO_LARGE', `The file is larger than ${bytesMax} bytes.`)
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
    const message = `The file broke off, or took longer than ${timeoutMs} ms.`
    content.destroy(new DeliveryError('retry', 'CONNECTION_LOST', message, { cause }))
  })
  const stop = () => body.destroy(new Error('stopped'))
  signal?.addEventListener('abort', stop)
  content.on('close', () => {
    signal?.removeEventListener('abort', stop)
    done()
    body.destroy()
  })
  body.pipe(content)
  return { content, mimeType: lineOf(headers['content-type'], 128) }
}

/** A provider on this very machine, as in a demo, may serve its files from another port. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** An address literal names no provider, and may be one of our own network. */
export const isAddressLiteral = ({ hostname }: URL): boolean => /^[\d.]+$|^\[/.test(hostname)
