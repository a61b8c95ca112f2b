// The API's own description: the OpenAPI document and the page that shows it. Both are public.
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { App } from './api.ts'
import { openapiDocument } from './openapi.ts'

const OpenapiDocument = Type.Object(
  { openapi: Type.String() },
  { additionalProperties: true, examples: [{ openapi: '3.1.0' }] },
)

export const registerReference = (app: App): void => {
  app.get(
    '/openapi.json',
    {
      config: { isPublic: true },
      schema: {
        operationId: 'getOpenapiDocument',
        tags: ['Reference'],
        summary: 'Read this document',
        description:
          'The OpenAPI 3.1 description of the API, generated from the schemas that check the requests. Needs no token.',
        response: { 200: OpenapiDocument },
      },
    },
    () => openapiDocument(app as unknown as FastifyInstance),
  )
}

/** Only what this server sends may run. The page sets inline styles. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

/** The page's own bar is for picking other documents; there is one here. */
const STYLE = '.swagger-ui .topbar, .swagger-ui .scheme-container .servers { display: none }'

/** The browsable page at /docs; its script and style are served from here. */
export const registerDocsPage = (app: FastifyInstance): void => {
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_POLICY,
    transformSpecification: () => openapiDocument(app) as never,
    uiConfig: {
      deepLinking: true,
      docExpansion: 'list',
      tryItOutEnabled: true,
      displayRequestDuration: true,
    },
    theme: { title: 'Foyer API', css: [{ filename: 'foyer.css', content: STYLE }] },
  })
}
