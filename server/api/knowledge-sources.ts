// Websites that knowledge is read from.

import { KnowledgeRemoved } from '../domain/knowledge/schema.ts'
import { listSources } from '../domain/knowledge/sources/list-sources.ts'
import { addWebsite, readAgain, removeSource } from '../domain/knowledge/sources/save-source.ts'
import { NewWebsite, SourceAnswer, SourceList, SourceParams } from '../domain/knowledge/sources/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const TAGS = ['Knowledge']
const WRITES = { scope: 'knowledge:write', budget: 'send', permission: 'manage_knowledge' } as const

export const registerKnowledgeSources = (app: App): void => {
  app.get(
    '/knowledge/sources',
    {
      config: { scope: 'knowledge:read' },
      schema: {
        operationId: 'listKnowledgeSources',
        tags: TAGS,
        summary: 'List websites and files',
        description: 'What articles are read from, newest first, and how far each has been read.',
        response: { 200: SourceList },
      },
    },
    ({ ctx }) => listSources(ctx),
  )
  app.post(
    '/knowledge/sources',
    {
      config: WRITES,
      schema: {
        operationId: 'addWebsite',
        tags: TAGS,
        summary: 'Add a website',
        description:
          'Reads a page, or the pages that a sitemap lists, into articles, and again every week. What robots.txt disallows for "Foyer" is not read.',
        body: NewWebsite,
        response: { 200: SourceAnswer, ...errors('VALIDATION_ERROR') },
      },
    },
    ({ ctx, body }) => addWebsite(ctx, body),
  )
  app.post(
    '/knowledge/sources/:sourceId/read',
    {
      config: WRITES,
      schema: {
        operationId: 'readWebsite',
        tags: TAGS,
        summary: 'Read a website again',
        description:
          'Does nothing while it is being read, nor for a file, which is read when it is uploaded.',
        params: SourceParams,
        response: { 200: SourceAnswer, ...errors('KNOWLEDGE_SOURCE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => readAgain(ctx, params.sourceId),
  )
  app.delete(
    '/knowledge/sources/:sourceId',
    {
      config: WRITES,
      schema: {
        operationId: 'removeKnowledgeSource',
        tags: TAGS,
        summary: 'Remove a website or file',
        description: 'With its articles. They are no longer found as soon as the call returns.',
        params: SourceParams,
        response: { 200: KnowledgeRemoved, ...errors('KNOWLEDGE_SOURCE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => removeSource(ctx, params.sourceId),
  )
}
