import type { Command } from './command.ts'

/** The OpenAPI document. Nothing is asked of the application but what it would answer, so it gets no database. */
export const makeOpenapiDocument = async () => {
  const { buildApp } = await import('../server/app.ts')
  const { openapiDocument } = await import('../server/http/openapi.ts')
  const { channels } = await import('../channels/index.ts')
  const { silentStream } = await import('../server/events/stream.ts')
  const app = buildApp({
    config: { trustProxy: false, logLevel: 'silent', tls: null, publicUrl: '' },
    channels,
    limiter: null,
    now: () => new Date(),
    stream: silentStream,
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
