// The whole application on its own database, without a port. Every response under /api/v1 is checked against its
// route's schema.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { channels as realChannels } from '../channels/index.ts'
import { configureOutbound } from '../channels/protocol/outbound.ts'
import { EVENT_WEBHOOKS } from '../server/domain/feed/event-webhooks.ts'
import { listenForEvents } from '../server/domain/feed/listen-for-events.ts'
import { makeTokens } from '../server/domain/tokens/find-tokens.ts'
import type { DeliveryTiming } from '../server/jobs/delivery-timing.ts'
import type { Ctx } from '../server/platform/ctx/ctx.ts'
import { databaseNow } from '../server/platform/db/clock.ts'
import { newIdAfter, timeOfId } from '../server/platform/db/id.ts'
import { makeFolderStore } from '../server/platform/files/folder-store.ts'
import { registerOpenapi } from '../server/platform/http/openapi.ts'
import { memoryRateLimiter } from '../server/platform/http/rate-limit.ts'
import { silentStream, startStream } from '../server/platform/live/stream.ts'
import type { Mailer } from '../server/platform/mail.ts'
import { makeSeal } from '../server/platform/seal.ts'
import { type AppDeps, buildApp } from '../server/process/app.ts'
import { atTheEnd } from './at-the-end.ts'
import { makeDatabase } from './database.ts'
import { makeFactory } from './make.ts'
import { OUTBOUND_ALLOW } from './outbound.ts'

const ajv = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true, validateFormats: false })

/** The same schema, rejecting keys it does not name. */
export const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!schema || typeof schema !== 'object') return schema
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'examples' ? value : closed(value)]),
  )
  if (
    copy.type === 'object' &&
    copy.properties &&
    copy.additionalProperties === undefined &&
    !copy.patternProperties
  )
    copy.additionalProperties = false
  return copy
}

const checkResponses = (app: FastifyInstance): void => {
  app.addHook('onRoute', (route) => {
    // Registered on the root, so it sees the schema after the scope's own hooks completed it.
    const compiled = new Map<string, ReturnType<Ajv['compile']>>()
    const own = route.onSend ? [route.onSend].flat() : []
    route.onSend = [
      ...own,
      async (_request: unknown, reply: { statusCode: number }, payload: unknown) => {
        const responses = route.schema?.response as Record<string, object> | undefined
        if (!responses || typeof payload !== 'string') return payload
        const schema = responses[reply.statusCode]
        if (!schema)
          throw new Error(
            `${route.method} ${route.url} answered ${reply.statusCode}, which it does not declare: ${payload}`,
          )
        const key = String(reply.statusCode)
        const validate = compiled.get(key) ?? ajv.compile(closed(schema) as object)
        compiled.set(key, validate)
        if (!validate(JSON.parse(payload)))
          throw new Error(
            `${route.method} ${route.url} ${key}: ${ajv.errorsText(validate.errors)} in ${payload.slice(0, 600)}`,
          )
        return payload
      },
    ] as never
  })
}

/** The key that the tests encrypt credentials with. */
export const TEST_SECRET_KEY = 'a secret key for the tests and nothing else'

type TestOptions = {
  /** On to test the limits themselves; off otherwise. */
  rateLimits?: boolean
  channels?: Partial<Ctx['channels']>
  /** On for tests that follow live events. */
  stream?: boolean
  /** What only a running server has. */
  deps?: Partial<AppDeps>
  /** Runs the jobs; implies `stream`. An object sets its times. */
  worker?: boolean | Partial<DeliveryTiming>
  /** The mailer for sign-in codes. */
  mail?: Mailer
}

/** The application, a factory and a caller. Everything is closed and dropped when the test file ends. */
export const startApp = async ({
  rateLimits = false,
  channels = {},
  worker = false,
  stream = Boolean(worker),
  deps: more = {},
  mail,
}: TestOptions = {}) => {
  const database = await makeDatabase()
  configureOutbound({ allow: OUTBOUND_ALLOW })
  const clock = { now: databaseNow }
  /** A test that sets the clock decides creation times; ids keep their own time. */
  const createdAt = (id: string): Date => (clock.now === databaseNow ? timeOfId(id) : clock.now())
  const tokens = makeTokens({
    db: database.db,
    now: () => clock.now(),
    receivesRevocations: () => true,
    onError: (error) => {
      throw error
    },
  })
  const seal = makeSeal(TEST_SECRET_KEY)
  const { connectionString } = database
  const quiet = { error: () => {}, warn: () => {}, info: () => {} }
  const events = stream ? await listenForEvents({ connectionString, db: database.db, log: quiet }) : null
  const folder = await mkdtemp(join(tmpdir(), 'foyer-files-'))
  const deps = {
    config: { trustProxy: true, logLevel: 'silent' as const, tls: null, publicUrl: 'http://foyer.test' },
    db: database.db,
    searchDb: database.searchDb,
    channels: { ...realChannels, ...channels },
    tokens,
    limiter: rateLimits ? memoryRateLimiter(() => clock.now().getTime()) : null,
    now: () => clock.now(),
    createdAt,
    stream: stream ? startStream({ db: database.db, log: quiet, now: () => clock.now() }) : silentStream,
    seal,
    files: makeFolderStore(folder),
    publicUrl: 'http://foyer.test',
    ...(events && { feedNews: events.news }),
    ...more,
    decorate: (app: FastifyInstance) => {
      checkResponses(app)
      registerOpenapi(app, EVENT_WEBHOOKS)
      more.decorate?.(app)
    },
  }
  const app = buildApp(deps)
  await app.ready()
  const running = worker
    ? await (await import('../server/jobs/worker.ts')).startWorker({
        connectionString,
        deps: { ...deps, log: app.log, ...(mail && { mail }) },
        timing: worker === true ? {} : worker,
        pollMs: 50,
      })
    : null
  atTheEnd(() => rm(folder, { recursive: true, force: true }))
  atTheEnd(database.drop)
  atTheEnd(deps.stream.close)
  atTheEnd(() => events?.close())
  atTheEnd(() => app.close())
  atTheEnd(() => running?.stop())
  const make = makeFactory(database.db, () => clock.now())

  /** A context like an operation's, for testing code without a route. */
  const ctxOf = (workspaceId: string): Ctx => ({
    ...deps,
    workspaceId,
    actor: { type: 'system' },
    newId: newIdAfter,
    log: app.log,
    afterCommit: null,
  })
  return {
    app,
    call: makeCall(app),
    clock,
    ctxOf,
    database,
    db: database.db,
    deps,
    make,
    seal,
    tokens,
    worker: running,
  }
}

const isJson = ({ headers }: { headers: Record<string, unknown> }): boolean =>
  String(headers['content-type']).startsWith('application/json')

/** Calls the API with a token (or none) and returns the status, the parsed body and the headers. */
const makeCall =
  (app: FastifyInstance) =>
  async (
    secret: string | null,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    options: Partial<InjectOptions> = {},
  ) => {
    const response = await app.inject({
      method,
      url: `/api/v1${path}`,
      ...(body !== undefined && { payload: body instanceof FormData ? body : JSON.stringify(body) }),
      ...options,
      headers: {
        ...(secret && { authorization: `Bearer ${secret}` }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...options.headers,
      },
    })
    return {
      status: response.statusCode,
      // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape; the schemas hold them
      body: (isJson(response) ? response.json() : undefined) as any,
      headers: response.headers,
      text: response.body,
    }
  }

export type TestApp = Awaited<ReturnType<typeof startApp>>
