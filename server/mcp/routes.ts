// POST /mcp: the tools for AI clients. Stateless, with the API's tokens and limits.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../platform/errors.ts'
import { type ApiDeps, type App, admit, watchMethods } from '../platform/http/api.ts'
import { WRITES_PER_MINUTE } from './run-tool.ts'

const PATH = '/mcp'

export const registerMcp = (app: App, deps: ApiDeps): void => {
  const methods = watchMethods(app)
  // Read with each request: the document of the API is made from an application without an address.
  const own = () => new URL(deps.publicUrl)
  app.decorateRequest('ctx')
  app.decorateRequest('rawBody', null)
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    requireOwnAddress(request, own())
    requireNoQuery(request)
    await admit(deps, request, reply)
  }
  app.post(PATH, { onRequest, config: { scope: 'any' }, schema: { hide: true } }, async (request, reply) => {
    const { ctx, body, headers } = request
    const { actor } = ctx
    const { limiter } = deps
    if (actor.type !== 'token') throw new Error('only tokens can call tools')
    const { answerMcp } = await import('./handler.ts')
    const response = await answerMcp(
      {
        ctx,
        takeWrite: limiter && (() => limiter.take(`mcp-writes:${actor.tokenId}`, WRITES_PER_MINUTE)),
      },
      new Request(new URL(PATH, own()), { method: 'POST', headers: forwarded(headers) }),
      body,
      headers['user-agent'],
    )
    reply.status(response.status).headers(Object.fromEntries(response.headers))
    // A client of 2025 gets its one message as a stream of events.
    return reply.send(response.body ?? undefined)
  })
  // There is no stream to open and no session to end.
  methods.refuseOthers()
}

/** What the protocol reads. The token stays here. */
const PROTOCOL_HEADER = /^(accept|content-type|mcp-.*)$/

const forwarded = (headers: FastifyRequest['headers']): [string, string][] =>
  Object.entries(headers)
    .filter(([name]) => PROTOCOL_HEADER.test(name))
    .map(([name, value]) => [name, String(value)])

const IP_ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i

/**
 * A page of another site has no business here, whatever name it gives to this server's address. Throws FORBIDDEN.
 */
const requireOwnAddress = ({ headers, host }: FastifyRequest, own: URL): void => {
  if (headers.origin !== undefined && headers.origin !== own.origin)
    throw new ApiError('FORBIDDEN', { message: 'This server can’t be called from web pages of other sites.' })
  const name = URL.parse(`http://${host}`)?.hostname ?? ''
  if (name !== own.hostname && name !== 'localhost' && !IP_ADDRESS.test(name))
    throw new ApiError('FORBIDDEN', { message: `This server is at ${own.origin}${PATH}.` })
}

/** Addresses are logged on their way, so a token has no place there. Throws VALIDATION_ERROR. */
const requireNoQuery = ({ url }: FastifyRequest): void => {
  if (!url.includes('?')) return
  throw new ApiError('VALIDATION_ERROR', {
    message:
      'The address takes no parameters. Send the token as "Authorization: Bearer", and revoke it if it was in the address.',
  })
}
