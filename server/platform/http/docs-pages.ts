// The documentation at /docs: pages built beforehand (site/), with this server's address in their examples. Public, and
// readable without JavaScript.
import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { serveFile } from './static-files.ts'

const BUILT = join(import.meta.dirname, '../../../dist/docs')
/** The address in the examples, as site/page.ts writes it. */
const EXAMPLE_URL = 'https://inbox.example.com'

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}

/** One or two names; none begins with a dot. */
const PATH_PATTERN = /^\w[\w.-]*(\/\w[\w.-]*)?$/

export const registerDocsPages = (app: FastifyInstance, publicUrl: string): void => {
  const handlers = new Map<string, ReturnType<typeof serveFile>>()

  const handlerOf = (name: string) => {
    const known = handlers.get(name)
    if (known) return known
    if (!existsSync(join(BUILT, name))) return undefined
    const handler = serveFile(join(BUILT, name), TYPES[extname(name)]!, HEADERS, (text) =>
      text.replaceAll(EXAMPLE_URL, publicUrl),
    )
    handlers.set(name, handler)
    return handler
  }

  const serve = (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.params as { '*'?: string })['*'] || 'index'
    const name = extname(path) in TYPES ? path : `${path}.html`
    const found = PATH_PATTERN.test(path) ? handlerOf(name) : undefined
    if (found) return found(request, reply)
    const missing = name.endsWith('.html') ? handlerOf('404.html') : undefined
    if (!missing) throw new ApiError('NOT_FOUND')
    return missing(request, reply.code(404))
  }

  const schema = { hide: true }
  app.get('/docs', { schema }, serve)
  app.get('/docs/*', { schema }, serve)
}
