// Built files that pages of any origin load: the widget's two scripts. Kept in memory with their compressed twins, and
// read again when a new build replaced them. Their names are fixed, so a browser asks anew after a few minutes.
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'

const MAX_AGE_SECONDS = 300

type Encoding = 'br' | 'gzip' | 'identity'
type Loaded = { mtimeMs: number; etag: string; bodies: Record<Encoding, Buffer> }

const load = async (path: string, mtimeMs: number): Promise<Loaded> => {
  const identity = await readFile(path)
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)])
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  // Weak: the same tag stands for all three encodings.
  return { mtimeMs, etag: `W/"${hash}"`, bodies: { br, gzip: gzipped, identity } }
}

/** The first of ours that the client takes; `;q=0` means that it does not. */
const chooseEncoding = (header: string | undefined): Encoding => {
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

/** A handler that serves one file to every origin. Throws NOT_FOUND while it has not been built. */
export const serveScript = (path: string) => {
  let loaded: Promise<Loaded> | undefined
  let mtimeMs = -1

  const current = async (): Promise<Loaded> => {
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
