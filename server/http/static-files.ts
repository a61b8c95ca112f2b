// Built files, kept in memory with their compressed twins and read again when a new build replaced them. The widget's two
// scripts are served here: pages of any origin load them, and their names are fixed, so a browser asks anew after a few
// minutes. The console's files are served by console-pages.ts.
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'

const MAX_AGE_SECONDS = 300

type Encoding = 'br' | 'gzip' | 'identity'
type Loaded = { mtimeMs: number; etag: string; bodies: Record<Encoding, Buffer> }

/** Nearly as small as the highest, in a tenth of the time: somebody waits for the first of them. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const load = async (path: string, mtimeMs: number): Promise<Loaded> => {
  const identity = await readFile(path)
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity, BROTLI),
    promisify(gzip)(identity),
  ])
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  // Weak: the same tag stands for all three encodings.
  return { mtimeMs, etag: `W/"${hash}"`, bodies: { br, gzip: gzipped, identity } }
}

/** The first of ours that the client takes; `;q=0` means that it does not. */
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

/** One file as it is now. Throws NOT_FOUND while it has not been built. */
export const keepFile = (path: string): (() => Promise<Loaded>) => {
  let loaded: Promise<Loaded> | undefined
  let mtimeMs = -1

  return async () => {
    const found = await stat(path).catch(() => null)
    if (!found) throw new ApiError('NOT_FOUND')
    if (!loaded || found.mtimeMs !== mtimeMs) {
      mtimeMs = found.mtimeMs
      loaded = load(path, mtimeMs)
      loaded.catch(() => {
        loaded = undefined
      })
    }
    return loaded
  }
}

/** A handler that serves one file to every origin. Throws NOT_FOUND while it has not been built. */
export const serveScript = (path: string) => {
  const current = keepFile(path)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { etag, bodies } = await current()
    reply.headers({
      'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
      etag,
      vary: 'Accept-Encoding',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(etag)) return reply.code(304).send()
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type('text/javascript; charset=utf-8').send(bodies[encoding])
  }
}
