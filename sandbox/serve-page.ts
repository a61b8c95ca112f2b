// The phone page's files, as Vite built them.
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../dist/sandbox')
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const NOT_BUILT =
  'The phone page is not built. Build it with: node node_modules/vite/bin/vite.js build --config sandbox/vite.config.ts\n'

/** `asked` is the path before a leading /sandbox was taken off. */
export const answerPage = async (
  asked: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  // Relative addresses in the page need the slash.
  if (asked === '/sandbox') {
    response.writeHead(308, { location: '/sandbox/' }).end()
    return
  }
  const path = request.url!.split('?', 1)[0]!
  const name = path === '/' ? '/index.html' : path
  const type = TYPES[extname(name)]
  const bytes =
    type && /^(\/[\w-]+(\.[\w-]+)*)+$/.test(name)
      ? await readFile(join(ROOT, name)).catch(() => undefined)
      : undefined
  if (!type || !bytes) {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(name === '/index.html' ? NOT_BUILT : 'Not found\n')
    return
  }
  response.writeHead(200, {
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob: https: http:; media-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'",
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}
