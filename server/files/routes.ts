// Serves attachments at their signed addresses. What is in them comes from strangers: everything is a download that no
// browser runs, but for pictures, sounds and films of kinds that hold no script.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { type ApiDeps, watchMethods } from '../http/api.ts'
import { findFile, type StoredFile } from '../resources/attachments/queries.ts'
import { cleanFileName, cleanMimeType } from './file-name.ts'
import { secondsLeft } from './links.ts'
import { type FileRange, MissingFileError } from './store.ts'

/** What browsers show and cannot run. SVG and PDF are not among it. */
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
  uploading: 'The file is not complete yet.',
  pending: 'The file is still being fetched from the provider. Try again shortly.',
  failed: 'The file could not be fetched from the provider.',
} as const

export const registerFiles = (app: FastifyInstance, deps: ApiDeps): void => {
  const methods = watchMethods(app)
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
  // Errors too are read by whoever shows the file.
  reply.headers({ 'cross-origin-resource-policy': 'cross-origin', 'x-content-type-options': 'nosniff' })
  // Without a right signature nothing is looked up: it makes no difference whether, and whose, there is such a file.
  const left = secondsLeft(deps.seal, deps.now(), attachmentId, request.query as Record<string, unknown>)
  if (left === undefined) throw new ApiError('FILE_LINK_INVALID')
  const file = await findFile(deps.db, attachmentId)
  if (!file) throw new ApiError('FILE_NOT_AVAILABLE')
  if (file.state in NOT_AVAILABLE)
    throw new ApiError('FILE_NOT_AVAILABLE', {
      message: NOT_AVAILABLE[file.state as keyof typeof NOT_AVAILABLE],
    })

  const etag = `"${attachmentId}"`
  const headers = {
    ...headersOf(file),
    etag,
    'cache-control': `private, max-age=${left}, immutable`,
    'accept-ranges': 'bytes',
  }
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).headers(headers).send()
  const content = file.state === 'inline' ? Buffer.from(JSON.stringify(file.source)) : null
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
  { key }: StoredFile,
  range: FileRange | undefined,
): Promise<Readable> => {
  try {
    return await files.open(key ?? '', range)
  } catch (error) {
    request.log.error({ err: error, key }, 'a file that is stored cannot be read')
    if (error instanceof MissingFileError)
      throw new ApiError('FILE_NOT_AVAILABLE', { message: 'The file is lost.' })
    throw new ApiError('SERVICE_UNAVAILABLE', {
      message: 'The file cannot be read right now. Try again shortly.',
      headers: { 'retry-after': '5' },
    })
  }
}

const headersOf = ({ name, mimeType }: StoredFile): Record<string, string> => {
  const type = cleanMimeType(mimeType)
  return {
    'content-type': type,
    'content-disposition': disposition(SHOWN_TYPES.has(type) ? 'inline' : 'attachment', cleanFileName(name)),
    'content-security-policy': "sandbox; default-src 'none'",
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  }
}

/** With the name twice: in plain ASCII, and whole for who understands RFC 8187. */
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

const matches = (header = '', etag: string): boolean =>
  header.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag)

/** One range of bytes. Several, another unit, or one of another version are as none: then all of it is sent. */
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
