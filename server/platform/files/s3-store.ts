// Files in S3-compatible storage, for installations with several machines. Every request carries the hash of its
// body, and a stream is uploaded in parts, so that no file is ever completely in memory.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { type FileStore, MissingFileError, StorageError } from './store.ts'

type S3Settings = {
  /** Without a trailing slash. The bucket follows in the path. */
  endpoint: string
  region: string
  bucket: string
  /** Prefix for every key; empty or ending in a slash. */
  prefix: string
  accessKeyId: string
  secretAccessKey: string
}

type S3Options = { partBytes?: number; answerTimeoutMs?: number; retryWaitMs?: number }

const MIB = 1024 * 1024
/** S3's minimum part size is 5 MiB, except for the last part. */
const PART_BYTES = 8 * MIB
/** Per attempt, so that three of them end within half a minute: proxies and providers wait a minute for us. */
const ANSWER_TIMEOUT_MS = 10_000
/** A larger body takes longer to upload. */
const SENT_PER_MS_MIN_BYTES = 500
const TRIES_MAX = 3
const RETRY_WAIT_MS = 250
const ERROR_SHOWN_MAX = 300

type S3Request = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer
}

export const makeS3Store = (settings: S3Settings, options: S3Options = {}): FileStore => {
  const call = makeCall(settings, options)
  const { partBytes = PART_BYTES } = options
  return {
    async put(key, content, { mimeType }) {
      const headers = { 'content-type': mimeType }
      const parts = Buffer.isBuffer(content) ? [content].values() : partsOf(content, partBytes)
      try {
        const { value: first } = await parts.next()
        const { value: second } = await parts.next()
        if (first && second)
          return { size: await putParts(call, key, resumed([first, second], parts), headers) }
        const body = first ?? Buffer.alloc(0)
        const answer = await call({ method: 'PUT', key, headers, body })
        await answer.body?.cancel()
        return { size: body.length }
      } finally {
        // The sender must not be blocked because we stopped reading.
        if (content instanceof Readable) content.destroy()
      }
    },
    async open(key, range) {
      const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
      const { body } = await call({ method: 'GET', key, headers })
      // The two declarations of this type differ only in names.
      return body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([])
    },
    async remove(key) {
      const answer = await call({ method: 'DELETE', key })
      await answer.body?.cancel()
    },
  }
}

/** Throws MissingFileError for a GET of a missing key, and StorageError. */
type Call = (request: S3Request) => Promise<Response>

/** Signs requests, and repeats those that fail for the moment: every request here is safe to repeat. */
const makeCall = (
  { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey }: S3Settings,
  { answerTimeoutMs = ANSWER_TIMEOUT_MS, retryWaitMs = RETRY_WAIT_MS }: S3Options,
): Call => {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
  const base = `${endpoint}/${encodeURIComponent(bucket)}/`

  const ask = async ({ method, key, query = {}, headers = {}, body }: S3Request): Promise<Response> => {
    const url = new URL(base + `${prefix}${key}`.split('/').map(encodeURIComponent).join('/'))
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signed = await client.sign(url.href, {
      method,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
    })
    const timeout = new AbortController()
    const timer = setTimeout(
      () => timeout.abort(new Error('the storage did not respond in time')),
      answerTimeoutMs + (body?.length ?? 0) / SENT_PER_MS_MIN_BYTES,
    )
    try {
      return await fetch(url, {
        method,
        headers: signed.headers,
        body: body ? new Uint8Array(body) : null,
        redirect: 'manual',
        signal: timeout.signal,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === TRIES_MAX
      const answer = await ask(request).catch((error) => {
        if (isLast)
          throw new StorageError(`the storage cannot be reached: ${error.message}`, { cause: error })
        return null
      })
      if (answer?.ok) return answer
      if (answer?.status === 404 && request.method === 'GET') {
        await answer.body?.cancel()
        throw new MissingFileError(request.key)
      }
      const isPassing = !answer || answer.status >= 500 || answer.status === 429
      if (answer && (!isPassing || isLast)) throw await refusalOf(answer)
      await answer?.body?.cancel()
      await delay(retryWaitMs * 2 ** (attempt - 1))
    }
  }
}

const putParts = async (
  call: Call,
  key: string,
  parts: AsyncIterable<Buffer>,
  headers: Record<string, string>,
): Promise<number> => {
  const started = await call({ method: 'POST', key, query: { uploads: '' }, headers })
  const uploadId = elementOf(await started.text(), 'UploadId')
  if (!uploadId) throw new StorageError('the storage did not start the upload')
  try {
    const etags: string[] = []
    let size = 0
    for await (const body of parts) {
      const query = { partNumber: String(etags.length + 1), uploadId }
      const answer = await call({ method: 'PUT', key, query, body })
      await answer.body?.cancel()
      etags.push(answer.headers.get('etag') ?? '')
      size += body.length
    }
    const list = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
    const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`)
    const answer = await call({ method: 'POST', key, query: { uploadId }, body })
    // S3 may send status 200 first and fail afterwards.
    const result = await answer.text()
    if (result.includes('<Error>'))
      throw new StorageError(`the storage rejected the request: ${result.slice(0, ERROR_SHOWN_MAX)}`)
    return size
  } catch (error) {
    await call({ method: 'DELETE', key, query: { uploadId } })
      .then((answer) => answer.body?.cancel())
      .catch(() => {})
    throw error
  }
}

/** Splits a stream into chunks of equal size, except for the last. */
async function* partsOf(stream: Readable, partBytes: number): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let size = 0
  for await (const given of stream as AsyncIterable<Buffer>) {
    let piece = given
    while (size + piece.length >= partBytes) {
      const taken = piece.subarray(0, partBytes - size)
      yield Buffer.concat([...pieces, taken])
      pieces = []
      size = 0
      piece = piece.subarray(taken.length)
    }
    if (piece.length > 0) pieces.push(piece)
    size += piece.length
  }
  if (size > 0) yield Buffer.concat(pieces)
}

async function* resumed(
  taken: readonly Buffer[],
  rest: Iterator<Buffer> | AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  yield* taken
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

const elementOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1]

const refusalOf = async (answer: Response): Promise<Error> => {
  const text = await answer.text().catch(() => '')
  const code = elementOf(text, 'Code') ?? `HTTP ${answer.status}`
  const message = elementOf(text, 'Message') ?? ''
  return new StorageError(`the storage rejected the request: ${code} ${message}`.slice(0, ERROR_SHOWN_MAX))
}
