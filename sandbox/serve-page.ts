// The phone page's files, as Vite built them.
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { App } from './http.ts'

const ROOT = join(import.meta.dirname, '../dist/sandbox')
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const NOT_BUILT =
  'The phone page is not built. Build it with: node node_modules/vite/bin/vite.js build --config sandbox/vite.config.ts\n'
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob: https: http:; media-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'"

export const servePage = (app: App): void => {
  const showIndex = async (_request: unknown, reply: FastifyReply) => {
    const bytes = await readFile(join(ROOT, 'index.html')).catch(() => undefined)
    if (!bytes) return reply.code(404).type('text/plain; charset=utf-8').send(NOT_BUILT)
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', POLICY)
      .send(bytes)
  }
  // The page's relative URLs need the slash.
  app.get('/sandbox', (_request, reply) => reply.redirect('/sandbox/', 308))
  app.get('/', { exposeHeadRoute: true }, showIndex)
  app.get('/index.html', { exposeHeadRoute: true }, showIndex)
  app.get<{ Params: { name: string } }>(
    '/assets/:name',
    { exposeHeadRoute: true },
    async ({ params: { name } }, reply) => {
      const type = TYPES[extname(name)]
      const bytes =
        type && /^[\w.-]+$/.test(name)
          ? await readFile(join(ROOT, 'assets', name)).catch(() => undefined)
          : undefined
      if (!bytes) return reply.callNotFound()
      return reply
        .type(type!)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        .send(bytes)
    },
  )
}
