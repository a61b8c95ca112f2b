// Built files, cached in memory with their compressed versions and reread when a new build replaces them. Files with
// fixed names (the widget's two scripts, the docs page) are served here, and browsers revalidate them after a few
// minutes. The console's files are served by console-pages.ts.
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { hasVersion } from './etag.ts'

const MAX_AGE_SECONDS = 300

type Encoding = 'br' | 'gzip' | 'identity'
/** What a server adds to a text that was built, such as its own address. */
type Edit = (text: string) => string
type Loaded = { mtimeMs: number; etag: string; bodies: Record<Encoding, Buffer> }

/** Nearly as small as the highest level, in a tenth of the time: someone is waiting for the first request. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const load = async (path: string, mtimeMs: number, edit?: Edit): Promise<Loaded> => {
  const built = await readFile(path)
  const identity = edit ? Buffer.from(edit(built.toString())) : built
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity, BROTLI),
    promisify(gzip)(identity),
  ])
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  // Weak: all three encodings share one tag.
  return { mtimeMs, etag: `W/"${hash}"`, bodies: { br, gzip: gzipped, identity } }
}

/** Nothing is won by compressing these again. */
const COMPRESSED = new Set(['application/gzip', 'application/zip', 'image/png'])

/** The first of our encodings that the client accepts; `;q=0` means that it does not. */
export const chooseEncoding = (header: string | undefined): Encoding => {
  const refused = /;\s*q=0(\.0*)?\s*$/
  const offered = new Set(
    (header ?? '')
      .toLowerCase()
      .split(',')
      .filter((part) => !refused.test(part))
      .map((part) => part.split(';', 1)[0]!.trim()),
  )
  return offered.has('br') ? 'br' : offered.has('gzip') ? 'gzip' : 'identity'
}

/** One file in its current version. Throws NOT_FOUND until it has been built. */
export const keepFile = (path: string, edit?: Edit): (() => Promise<Loaded>) => {
  let loaded: Promise<Loaded> | undefined
  let mtimeMs = -1

  return async () => {
    const found = await stat(path).catch(() => null)
    if (!found) throw new ApiError('NOT_FOUND')
    if (!loaded || found.mtimeMs !== mtimeMs) {
      mtimeMs = found.mtimeMs
      loaded = load(path, mtimeMs, edit)
      loaded.catch(() => {
        loaded = undefined
      })
    }
    return loaded
  }
}

/** A handler that serves one file. Throws NOT_FOUND until it has been built. */
export const serveFile = (path: string, type: string, headers: Record<string, string>, edit?: Edit) => {
  const current = keepFile(path, edit)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { etag, bodies } = await current()
    reply.headers({
      'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
      ...headers,
      etag,
      vary: 'Accept-Encoding',
    })
    if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const encoding = COMPRESSED.has(type) ? 'identity' : chooseEncoding(request.headers['accept-encoding'])
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type(type).send(bodies[encoding])
  }
}

/** A file that pages of any origin may load. */
const servePublicFile = (path: string, type: string) =>
  serveFile(path, type, {
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  })

export const serveScript = (path: string) => servePublicFile(path, 'text/javascript; charset=utf-8')
export const serveData = (path: string) => servePublicFile(path, 'application/json; charset=utf-8')
