// The API's own description: the OpenAPI document, and a page to try operations on. Both are public.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { encode, type JsonText } from '../db/json-text.ts'
import type { App } from './api.ts'
import { serveFile } from './static-files.ts'

const OpenapiDocument = Type.Object(
  { openapi: Type.String() },
  { additionalProperties: true, examples: [{ openapi: '3.1.0' }] },
)

/** Generated and checked in, because generating it takes longer than any request should; a test compares the two. */
const DOCUMENT = join(import.meta.dirname, '../../../openapi.json')

export const registerReference = (app: App): void => {
  let json: JsonText<Static<typeof OpenapiDocument>> | undefined
  app.get(
    '/openapi.json',
    {
      config: { isPublic: true },
      schema: {
        operationId: 'getOpenapiDocument',
        tags: ['Reference'],
        summary: 'Get this document',
        description:
          'The OpenAPI 3.1 description of the API, generated from the schemas that validate requests. No token required.',
        response: { 200: OpenapiDocument },
      },
    },
    async () => {
      json ??= encode(JSON.parse(readFileSync(DOCUMENT, 'utf8')))
      return json
    },
  )
}

/** Only what this server sends may run. The page sets inline styles. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

// Swagger UI's own colours have too little contrast, and its empty column of links is wider than a phone.
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Foyer API</title>
    <link rel="icon" type="image/png" href="/docs/static/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/static/swagger-ui.css">
    <style>
      body { margin: 0 }
      .swagger-ui .servers, .swagger-ui .servers-title { display: none }
      .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1c5fa8 }
      .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1f7a4d }
      .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #1f6f6a }
      .swagger-ui .opblock.opblock-put .opblock-summary-method { background: #9a5a00 }
      .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e }
      .swagger-ui .info .title small { background: #565b66 }
      .swagger-ui .info .title small.version-stamp { background: #3f6a1a }
      .swagger-ui .info a, .swagger-ui .url { color: #1c5fa8 }
      .swagger-ui .btn.authorize, .swagger-ui .btn.authorize span { color: #1f6b45 }
      .swagger-ui .try-out__btn, .swagger-ui .btn.cancel { border-color: currentColor; color: #b3261e }
      .swagger-ui .btn.execute { background: #1c5fa8; border-color: #1c5fa8 }
      .swagger-ui .json-schema-2020-12-expand-deep-button { color: #565b66 }
      .swagger-ui .response-col_links { display: none }
    </style>
  </head>
  <body>
    <div id="page"></div>
    <script src="/docs/static/swagger-ui-bundle.js"></script>
    <script src="/docs/static/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

/** Swagger UI's build. Only these files of the package are used, because its plugin would slow down every start. */
const BUILT = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')
const BUILT_FILES: Record<string, string> = {
  'favicon-32x32.png': 'image/png',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
}

const HEADERS = { 'content-security-policy': CONTENT_POLICY, 'x-content-type-options': 'nosniff' }

/** The page at /docs/try, which sends requests. */
export const registerTryPage = (app: FastifyInstance): void => {
  const schema = { hide: true }
  app.get('/docs/try', { schema }, (_request, reply) =>
    reply.headers(HEADERS).type('text/html; charset=utf-8').send(PAGE),
  )
  app.get('/docs/static/start.js', { schema }, (_request, reply) =>
    reply.headers(HEADERS).type('text/javascript; charset=utf-8').send(START),
  )
  for (const [name, type] of Object.entries(BUILT_FILES))
    app.get(`/docs/static/${name}`, { schema }, serveFile(join(BUILT, name), type, HEADERS))
}
