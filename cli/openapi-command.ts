import type { FastifyInstance } from 'fastify'
import type { Command } from './command.ts'

/** The OpenAPI document. The application only describes itself, so it gets no database. */
export const makeOpenapiDocument = async () => {
  const { buildApp } = await import('../server/process/app.ts')
  const { openapiDocument, registerOpenapi } = await import('../server/platform/http/openapi.ts')
  const { EVENT_WEBHOOKS } = await import('../server/domain/feed/event-webhooks.ts')
  const { channels } = await import('../channels/index.ts')
  const { silentStream } = await import('../server/platform/live/stream.ts')
  const app = buildApp({
    config: { trustProxy: false, logLevel: 'silent', tls: null, publicUrl: '' },
    channels,
    limiter: null,
    now: () => new Date(),
    stream: silentStream,
    decorate: (app: FastifyInstance) => registerOpenapi(app, EVENT_WEBHOOKS),
  } as unknown as Parameters<typeof buildApp>[0])
  await app.ready()
  try {
    return openapiDocument(app)
  } finally {
    await app.close()
  }
}

export const openapiCommand: Command = {
  words: 'openapi',
  about: 'Print the OpenAPI document of the API.',
  run: makeOpenapiDocument,
}
