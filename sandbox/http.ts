// The HTTP server for the providers' APIs and the controls. Bodies arrive as raw bytes. `Refusal` rejects a call;
// `Unanswered` leaves it without a response.
import assert from 'node:assert/strict'
import type { AddressInfo, Server } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { App as PhoneApp } from './entry.ts'

export type App = FastifyInstance
export type Json = Record<string, unknown>

/** Enough for the largest upload to WhatsApp. */
const BODY_MAX_BYTES = 110 * 1024 * 1024
/** Enough for the longest template name, escaped. */
const PARAM_MAX = 2000
const KEEP_ALIVE_MS = 60_000

type Activity = { app?: PhoneApp; code: number; details?: string }

/** A rejected call, with the response that its caller gets. */
export class Refusal extends Error {
  readonly http: number
  readonly body: unknown
  readonly headers: Record<string, string | number>
  /** The entry in the page's activity log; null for controls, whose caller sees the error anyway. */
  readonly activity: Activity | null

  constructor(
    message: string,
    { http, body, headers = {}, activity = null }: Partial<Refusal> & Pick<Refusal, 'http' | 'body'>,
  ) {
    super(message)
    this.http = http
    this.body = body
    this.headers = headers
    this.activity = activity
  }
}

/** A control that can't be carried out. */
export class ControlError extends Refusal {
  constructor(message: string, http = 400) {
    super(message, { http, body: { error: message } })
  }
}

/** Thrown to leave a call without a response: the connection breaks, or stays open until the caller gives up. */
export class Unanswered extends Error {
  readonly isBroken: boolean

  constructor(kind: string) {
    super(kind)
    this.isBroken = kind === 'drop'
  }
}

export const makeApp = (onRefused: (refusal: Refusal) => void): App => {
  const app = Fastify({
    bodyLimit: BODY_MAX_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // Foyer serves the page and its controls at /sandbox/, so this server accepts those paths too.
    rewriteUrl: ({ url = '/' }) => url.replace(/^\/sandbox\/(?=$|[?]|index\.html|assets\/|control\/)/, '/'),
    routerOptions: { maxParamLength: PARAM_MAX },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setValidatorCompiler<TSchema>(validator)
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    if (error instanceof Unanswered) {
      reply.hijack()
      if (error.isBroken) request.raw.socket.destroy()
    } else if (error instanceof Refusal) {
      onRefused(error)
      reply.code(error.http).headers(error.headers).send(error.body)
    } else if (error.statusCode !== undefined && error.statusCode < 500)
      reply.code(error.statusCode).send({ error: error.message })
    // A caller that disconnected is not an error; anything else is.
    else if (!reply.raw.destroyed) {
      console.error(error)
      reply.code(500).send({ error: 'The sandbox failed. See its standard error for the reason.' })
    }
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'Not found.' }))
  return app
}

// Fastify awaits asynchronous validators; its types only allow promises of its own brand.
const validator = ({ schema }: { schema: TSchema }) =>
  ((value: unknown) => check(schema, value)) as unknown as () => boolean

// Replaces Fastify's two compilers, which load slowly: responses have no schema, and `check` validates input.
const noCompiler = (() => assert.fail('nothing is compiled here')) as never

const check = async (schema: TSchema, value: unknown): Promise<true> => {
  // Loaded on first use: the demo, and so Foyer, starts faster without it.
  const { default: Value } = await import('typebox/value')
  if (Value.Check(schema, value)) return true
  const [error] = Value.Errors(schema, value)
  const where = error?.instancePath.slice(1).replaceAll('/', '.') || 'The body'
  throw new ControlError(`${where} ${error?.message ?? 'is not valid'}.`)
}

/** The URL of a server that listens. */
export const urlOf = (scheme: string, server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** The parameters of a call: its query string, and its body as JSON, a form or a multipart form. */
export const parametersOf = async ({ query, body, headers }: FastifyRequest): Promise<Json> => ({
  ...(query as Json),
  ...(await readBody(body as Buffer | undefined, headers['content-type'] ?? '')),
})

const readBody = async (body: Buffer | undefined, type: string): Promise<Json> => {
  if (!body || body.length === 0) return {}
  try {
    if (/^(multipart\/form-data|application\/x-www-form-urlencoded)/.test(type)) {
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
      return Object.fromEntries(
        [...new Set(form.keys())].map((name) => {
          const values = form.getAll(name)
          return [name, values.length > 1 ? values : values[0]]
        }),
      )
    }
    return objectOf(JSON.parse(body.toString()))
  } catch {
    return {}
  }
}

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}
