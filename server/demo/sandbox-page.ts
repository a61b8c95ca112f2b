// /sandbox: the demo customers' phones and mailboxes, proxied from the sandbox to browsers.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../platform/errors.ts'
import type { DemoSandbox } from './sandbox.ts'
import { isSandboxRequest } from './sandbox-paths.ts'

const COOKIE = 'foyer_sandbox'
const COOKIE_DAYS = 30
const NO_KEY =
  'The sandbox shows every demo message and sign-in code, so it requires a key. Use the sandbox link ' +
  'that Foyer prints when it starts, or sign in to the console and open the sandbox from the account menu.\n'

export const registerSandboxPage = (app: FastifyInstance, sandbox: DemoSandbox): void => {
  // Streams to a page never end by themselves.
  const open = new Set<FastifyReply>()
  app.addHook('preClose', async () => {
    for (const { raw } of open) raw.destroy()
  })
  app.register(async (scope) => {
    // Only loaded for the demo.
    const { default: proxy } = await import('@fastify/http-proxy')
    // Bodies are passed through unparsed.
    scope.removeAllContentTypeParsers()
    scope.addHook('onRequest', async (request, reply) => {
      open.add(reply)
      reply.raw.once('close', () => open.delete(reply))
      return admit(sandbox, request, reply)
    })
    // Relative addresses in the page need the slash.
    scope.get('/sandbox', { schema: { hide: true } }, (_request, reply) => reply.redirect('/sandbox/', 308))
    scope.register(proxy, {
      upstream: sandbox.url,
      prefix: '/sandbox/',
      rewritePrefix: '/sandbox/',
      httpMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      // Node's own client neither buffers nor ends a stream that stays quiet for a while.
      http: { requestOptions: { timeout: 0 } },
      config: { hide: true, body: 'streamed' },
      replyOptions: {
        rewriteRequestHeaders: (_request, { cookie: _, authorization: __, ...headers }) => ({
          ...headers,
          'x-sandbox-key': sandbox.controlKey,
        }),
        // These headers apply to a single connection, but the library would forward the upstream's.
        rewriteHeaders: ({ connection: _, 'keep-alive': __, ...headers }) => headers,
      },
    })
  })
}

/** Throws FORBIDDEN or NOT_FOUND; replies itself when the visitor came with the key, or has none. */
const admit = async (sandbox: DemoSandbox, request: FastifyRequest, reply: FastifyReply) => {
  const { key } = request.query as { key?: unknown }
  if (typeof key === 'string' && isKey(sandbox, key)) {
    const secure = request.protocol === 'https' ? '; Secure' : ''
    return reply
      .header(
        'set-cookie',
        `${COOKIE}=${key}; Path=/sandbox; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_DAYS * 86_400}${secure}`,
      )
      .redirect('/sandbox/', 303)
  }
  if (!isKey(sandbox, cookieOf(request) ?? ''))
    return reply.code(403).type('text/plain; charset=utf-8').send(NO_KEY)
  if (isForeign(request)) throw new ApiError('FORBIDDEN')
  if (request.url !== '/sandbox' && !isSandboxRequest(request.method, request.url))
    throw new ApiError('NOT_FOUND')
  return undefined
}

const cookieOf = ({ headers }: FastifyRequest): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]

const isKey = ({ visitorKey }: DemoSandbox, given: string): boolean => {
  const [own, theirs] = [Buffer.from(visitorKey), Buffer.from(given)]
  return own.length === theirs.length && timingSafeEqual(own, theirs)
}

/** Another site open in the same browser must not control this one. */
const isForeign = ({ headers }: FastifyRequest): boolean => {
  const site = headers['sec-fetch-site']
  // Other sites may link here, but only this page's own requests may reach the controls.
  if (site !== undefined) return !['same-origin', 'none'].includes(String(site)) && !isVisit(headers)
  const { origin } = headers
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== headers.host)
}

const isVisit = (headers: FastifyRequest['headers']): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
