// /sandbox: the customers' phones and mailboxes of the demo, handed through from the sandbox to people's browsers.
import { timingSafeEqual } from 'node:crypto'
import proxy from '@fastify/http-proxy'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { DemoSandbox } from './sandbox.ts'

const COOKIE = 'foyer_sandbox'
const COOKIE_DAYS = 30
/** Where webhooks go and what they are signed with is the keeper's business, never a page's. */
const KEPT_BACK = new Set([
  'PATCH /sandbox/control/settings',
  'PATCH /sandbox/control/connections',
  'POST /sandbox/control/numbers',
])

/** What a proxy on this machine adds for somebody who is not. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

const NOT_FOR_EVERYBODY =
  'The sandbox shows every message of the demo and its sign-in codes, so it opens on the machine that Foyer runs on. ' +
  'To open it from elsewhere, set PUBLIC_URL to the address that you use, start Foyer anew, and take the link to the ' +
  'sandbox that it prints.\n'

export const registerSandboxPage = (app: FastifyInstance, sandbox: DemoSandbox): void => {
  // What is streamed to a page has no end of its own.
  const open = new Set<FastifyReply>()
  app.addHook('preClose', async () => {
    for (const { raw } of open) raw.destroy()
  })
  app.register(async (scope) => {
    // The bodies are handed on as they come.
    scope.removeAllContentTypeParsers()
    scope.addHook('onRequest', async (request, reply) => {
      open.add(reply)
      reply.raw.once('close', () => open.delete(reply))
      return admit(sandbox, request, reply)
    })
    // Relative addresses in the page need the slash.
    scope.get('/sandbox', { schema: { hide: true } }, (request, reply) =>
      reply.redirect(`/sandbox/${request.url.slice('/sandbox'.length)}`, 308),
    )
    scope.register(proxy, {
      upstream: sandbox.url,
      prefix: '/sandbox/',
      rewritePrefix: '/sandbox/',
      httpMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      // Node's own client neither buffers nor ends a stream that stays quiet for a while.
      http: { requestOptions: { timeout: 0 } },
      config: { hide: true },
      replyOptions: {
        rewriteRequestHeaders: (_request, { cookie: _, authorization: __, ...headers }) => ({
          ...headers,
          'x-sandbox-key': sandbox.controlKey,
        }),
      },
    })
  })
}

/** Throws FORBIDDEN; answers by itself when the visitor came with the key, or without it from elsewhere. */
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
  const isOpen = sandbox.isLocal && isFromThisMachine(request)
  if (!isOpen && !isKey(sandbox, cookieOf(request) ?? ''))
    return reply.code(403).type('text/plain; charset=utf-8').send(NOT_FOR_EVERYBODY)
  if (isForeign(request)) throw new ApiError('FORBIDDEN')
  const path = request.url.split('?', 1)[0]
  if (KEPT_BACK.has(`${request.method} ${path}`)) throw new ApiError('FORBIDDEN')
  return undefined
}

const cookieOf = ({ headers }: FastifyRequest): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]

const isKey = ({ visitorKey }: DemoSandbox, given: string): boolean =>
  given.length === visitorKey.length && timingSafeEqual(Buffer.from(given), Buffer.from(visitorKey))

/** By its name too: a name of somebody else's that leads here (DNS rebinding, a proxy) is not this machine's. */
const isFromThisMachine = ({ headers, socket }: FastifyRequest): boolean => {
  const host = URL.canParse(`http://${headers.host}`) ? new URL(`http://${headers.host}`).hostname : ''
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host) &&
    /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '') &&
    !FORWARDED.some((name) => headers[name] !== undefined)
  )
}

/** Another site's page that the same browser shows must not steer this one. */
const isForeign = ({ headers }: FastifyRequest): boolean => {
  const site = headers['sec-fetch-site']
  // A link may lead here; only what this page asks for itself may go on to the controls.
  if (site !== undefined) return !['same-origin', 'none'].includes(String(site)) && !isVisit(headers)
  const { origin } = headers
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== headers.host)
}

const isVisit = (headers: FastifyRequest['headers']): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
