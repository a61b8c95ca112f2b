// The whole application on a database of its own, without a port. Every answer under /api/v1 is held against the
// schema that its route declares.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Ajv } from 'ajv'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { channels as realChannels } from '../channels/index.ts'
import { type AppDeps, buildApp } from '../server/app.ts'
import type { Ctx } from '../server/ctx.ts'
import { newId } from '../server/db/id.ts'
import { silentStream, startStream } from '../server/events/stream.ts'
import { makeFolderStore } from '../server/files/folder-store.ts'
import { makeTokens } from '../server/http/authenticate.ts'
import { memoryRateLimiter } from '../server/http/rate-limit.ts'
import type { DeliveryTiming } from '../server/jobs/delivery-timing.ts'
import { startWorker } from '../server/jobs/worker.ts'
import type { Mailer } from '../server/mail.ts'
import { makeSeal } from '../server/seal.ts'
import { makeDatabase } from './database.ts'
import { makeFactory } from './make.ts'

const ajv = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true, validateFormats: false })

/** The same schema with no key allowed beyond those it names. */
const closed = (schema: unknown): unknown => {
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

const holdAnswersAgainstSchemas = (app: FastifyInstance): void => {
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

/** What the tests seal credentials with. */
export const TEST_SECRET_KEY = 'a secret key for the tests and nothing else'

export type TestOptions = {
  /** On to test the limits themselves; off otherwise. */
  rateLimits?: boolean
  channels?: Partial<Ctx['channels']>
  /** On for what follows events live, or waits for them. */
  stream?: boolean
  /** What a running server has beyond the rest. */
  deps?: Partial<AppDeps>
  /** Runs the jobs; implies `stream`. An object sets its times. */
  worker?: boolean | Partial<DeliveryTiming>
  /** What the jobs mail sign-in codes with. */
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
  const clock = { now: () => new Date() }
  const tokens = makeTokens({
    db: database.db,
    now: () => clock.now(),
    hearsRevocations: () => true,
    onError: (error) => {
      throw error
    },
  })
  const seal = makeSeal(TEST_SECRET_KEY)
  const folder = await mkdtemp(join(tmpdir(), 'foyer-files-'))
  const quiet = { error: () => {}, warn: () => {} }
  const deps = {
    config: { trustProxy: true, logLevel: 'silent' as const, tls: null, publicUrl: 'http://foyer.test' },
    db: database.db,
    searchDb: database.searchDb,
    channels: { ...realChannels, ...channels },
    tokens,
    limiter: rateLimits ? memoryRateLimiter(() => clock.now().getTime()) : null,
    now: () => clock.now(),
    stream: stream ? startStream({ db: database.db, log: quiet, now: () => clock.now() }) : silentStream,
    seal,
    files: makeFolderStore(folder),
    publicUrl: 'http://foyer.test',
    ...more,
    decorate: (app: FastifyInstance) => {
      holdAnswersAgainstSchemas(app)
      more.decorate?.(app)
    },
  }
  const app = buildApp(deps)
  await app.ready()
  const { connectionString } = database
  const jobs = {
    db: deps.db,
    searchDb: deps.searchDb,
    channels: deps.channels,
    stream: deps.stream,
    seal,
    files: deps.files,
    publicUrl: deps.publicUrl,
    log: app.log,
    ...(mail && { mail }),
  }
  const running = worker
    ? await startWorker({
        connectionString,
        deps: { ...jobs, now: () => clock.now() },
        timing: worker === true ? {} : worker,
        pollMs: 50,
      })
    : null
  after(async () => {
    await running?.stop()
    await app.close()
    await deps.stream.close()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  const make = makeFactory(database.db, () => clock.now())

  /** A context as an operation gets it, for tests of what has no route. */
  const ctxOf = (workspaceId: string): Ctx => ({
    db: database.db,
    searchDb: database.searchDb,
    channels: deps.channels,
    workspaceId,
    actor: { type: 'system' },
    now: () => clock.now(),
    newId: () => newId(),
    log: app.log,
    stream: deps.stream,
    seal,
    files: deps.files,
    publicUrl: deps.publicUrl,
    afterCommit: null,
  })

  /** Calls the API with a token (or none) and gives back the status, the parsed body and the headers. */
  const call = async (
    secret: string | null,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    options: Partial<InjectOptions> = {},
  ) => {
    const response = await app.inject({
      method,
      url: `/api/v1${path}`,
      ...(body !== undefined && { payload: JSON.stringify(body) }),
      ...options,
      headers: {
        ...(secret && { authorization: `Bearer ${secret}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
    })
    return {
      status: response.statusCode,
      // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape; the schemas hold them
      body: response.json() as any,
      headers: response.headers,
      text: response.body,
    }
  }
  return { app, call, clock, ctxOf, database, db: database.db, deps, make, seal, tokens, worker: running }
}

export type TestApp = Awaited<ReturnType<typeof startApp>>
