// Serves attachments at their signed URLs. Their contents are untrusted: everything is a download that no browser
// runs, except images, audio and video of types that can't contain scripts.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findFile, type StoredFile } from '../domain/attachments/queries.ts'
import { ApiError } from '../platform/errors.ts'
import { cleanFileName, cleanMimeType } from '../platform/files/file-name.ts'
import { secondsLeft } from '../platform/files/links.ts'
import { type FileRange, MissingFileError } from '../platform/files/store.ts'
import { type ApiDeps, type SchemaTypes, watchMethods } from '../platform/http/api.ts'
import { hasVersion } from '../platform/http/etag.ts'

/** What browsers show and can't run. Excludes SVG and PDF. */
const SHOWN_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'audio/aac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'video/3gpp',
  'video/mp4',
  'video/ogg',
  'video/webm',
])

const NOT_AVAILABLE = {
  uploading: 'The upload is not complete yet.',
  pending: 'The file is still being downloaded from the provider. Try again shortly.',
  failed: 'The file could not be downloaded from the provider.',
} as const

export const registerFiles = (app: FastifyInstance, deps: ApiDeps): void => {
  const methods = watchMethods(app.withTypeProvider<SchemaTypes>())
  app.route({
    method: ['GET', 'HEAD'],
    url: '/files/:attachmentId',
    schema: { hide: true },
    handler: (request, reply) => serve(deps, request, reply),
  })
  methods.refuseOthers()
}

const serve = async (deps: ApiDeps, request: FastifyRequest, reply: FastifyReply) => {
  const { attachmentId } = request.params as { attachmentId: string }
  // The page showing the file must be able to read errors too.
  reply.headers({ 'cross-origin-resource-policy': 'cross-origin', 'x-content-type-options': 'nosniff' })
  // Nothing is looked up without a valid signature, so the response does not reveal whether, and whose, such a file
  // exists.
  const left = secondsLeft(deps.seal, deps.now(), attachmentId, request.query as Record<string, unknown>)
  if (left === undefined) throw new ApiError('FILE_LINK_INVALID')
  const file = await findFile(deps.db, attachmentId)
  if (!file) throw new ApiError('FILE_NOT_AVAILABLE')
  if (file.state in NOT_AVAILABLE)
    throw new ApiError('FILE_NOT_AVAILABLE', {
      message: NOT_AVAILABLE[file.state as keyof typeof NOT_AVAILABLE],
    })

  return sendFile(deps, request, reply, {
    ...file,
    left,
    etag: `"${attachmentId}"`,
    content: file.state === 'inline' ? Buffer.from(JSON.stringify(file.source)) : null,
  })
}

type SentFile = Pick<StoredFile, 'name' | 'mimeType' | 'size' | 'key'> & {
  etag: string
  /** In seconds. */
  left: number
  /** Instead of a stored file. */
  content: Buffer | null
}

/** Sends a file, or the range that was asked for. The caller has checked the link. */
export const sendFile = async (
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  file: SentFile,
) => {
  const { etag, left, content } = file
  const headers = {
    ...headersOf(file),
    etag,
    'cache-control': `private, max-age=${left}, immutable`,
    'accept-ranges': 'bytes',
  }
  if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).headers(headers).send()
  const size = content?.length ?? file.size
  const range = rangeOf(request.headers, etag, size)
  if (range === 'unsatisfiable')
    throw new ApiError('RANGE_NOT_SATISFIABLE', { headers: { 'content-range': `bytes */${size}` } })
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const body =
    request.method === 'HEAD'
      ? undefined
      : (content?.subarray(start, end + 1) ?? (await open(deps, request, file, range ?? undefined)))
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  return reply
    .headers(headers)
    .header('content-length', end - start + 1)
    .send(body)
}

const open = async (
  { files }: ApiDeps,
  request: FastifyRequest,
  { key }: Pick<StoredFile, 'key'>,
  range: FileRange | undefined,
): Promise<Readable> => {
  try {
    return await files.open(key ?? '', range)
  } catch (error) {
    request.log.error({ err: error, key }, 'a stored file cannot be read')
    if (error instanceof MissingFileError)
      throw new ApiError('FILE_NOT_AVAILABLE', { message: 'The file is no longer available.' })
    throw new ApiError('SERVICE_UNAVAILABLE', {
      message: 'The file cannot be read right now. Try again shortly.',
      headers: { 'retry-after': '5' },
    })
  }
}

const headersOf = ({ name, mimeType }: Pick<StoredFile, 'name' | 'mimeType'>): Record<string, string> => {
  const type = cleanMimeType(mimeType)
  return {
    'content-type': type,
    'content-disposition': disposition(SHOWN_TYPES.has(type) ? 'inline' : 'attachment', cleanFileName(name)),
    'content-security-policy': "sandbox; default-src 'none'",
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  }
}

/** Contains the name twice: in plain ASCII, and in full for clients that support RFC 8187. */
const disposition = (kind: 'inline' | 'attachment', name: string): string => {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^ -~]|["\\%]/g, '_')
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`
}

/** One range of bytes. Several ranges, another unit or another version count as none: the whole file is sent. */
const rangeOf = (
  headers: FastifyRequest['headers'],
  etag: string,
  size: number,
): FileRange | 'unsatisfiable' | null => {
  const given = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range?.trim() ?? '')
  const ifRange = headers['if-range']
  if (!given || (ifRange !== undefined && ifRange !== etag)) return null
  const [, from = '', to = ''] = given
  if (from === '' && to === '') return null
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null
  return start >= size || (from === '' && Number(to) === 0) ? 'unsatisfiable' : { start, end }
}
