// Files that knowledge is read from, and the review of what has changed on websites.
import { getPageChange, getSourceDetails, reviewPage } from '../domain/knowledge/sources/list-sources.ts'
import { addFile, changeSource, replaceFile } from '../domain/knowledge/sources/save-source.ts'
import {
  Done,
  NewFile,
  NewVersion,
  PageChange,
  PageParams,
  PageReview,
  SourceAnswer,
  SourceChange,
  SourceDetails,
  SourceParams,
} from '../domain/knowledge/sources/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const FOR_EDITORS = { permission: 'manage_knowledge' } as const

export const registerKnowledgeSourcesConsoleRoutes = (app: App): void => {
  app.post(
    '/knowledge/files',
    {
      config: FOR_EDITORS,
      schema: {
        operationId: 'consoleAddKnowledgeFile',
        summary: 'Read an uploaded file',
        body: NewFile,
        response: { 200: SourceAnswer, ...errors('VALIDATION_ERROR') },
      },
    },
    ({ ctx, body }) => addFile(ctx, body),
  )
  app.put(
    '/knowledge/files/:sourceId',
    {
      config: FOR_EDITORS,
      schema: {
        operationId: 'consoleReplaceKnowledgeFile',
        summary: 'Replace a file by another version',
        params: SourceParams,
        body: NewVersion,
        response: { 200: SourceAnswer, ...errors('KNOWLEDGE_SOURCE_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, body }) => replaceFile(ctx, params.sourceId, body),
  )
  app.get(
    '/knowledge/sources/:sourceId',
    {
      schema: {
        operationId: 'consoleGetKnowledgeSource',
        summary: 'Get a website or file with its pages',
        params: SourceParams,
        response: { 200: SourceDetails, ...errors('KNOWLEDGE_SOURCE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getSourceDetails(ctx, params.sourceId),
  )
  app.patch(
    '/knowledge/sources/:sourceId',
    {
      config: FOR_EDITORS,
      schema: {
        operationId: 'consoleChangeKnowledgeSource',
        summary: 'Change the settings of a website or file',
        params: SourceParams,
        body: SourceChange,
        response: { 200: SourceDetails, ...errors('KNOWLEDGE_SOURCE_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, body }) => changeSource(ctx, params.sourceId, body),
  )
  app.get(
    '/knowledge/sources/:sourceId/pages/:pageId/change',
    {
      config: FOR_EDITORS,
      schema: {
        operationId: 'consoleGetPageChange',
        summary: 'Get the new text of a page, and the one it replaces',
        params: PageParams,
        response: { 200: PageChange, ...errors('KNOWLEDGE_SOURCE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getPageChange(ctx, params),
  )
  app.post(
    '/knowledge/sources/:sourceId/pages/:pageId/change',
    {
      config: FOR_EDITORS,
      schema: {
        operationId: 'consoleReviewPageChange',
        summary: 'Publish or dismiss the new text of a page',
        params: PageParams,
        body: PageReview,
        response: {
          200: Done,
          ...errors('KNOWLEDGE_SOURCE_NOT_FOUND', 'KNOWLEDGE_CHANGED', 'VALIDATION_ERROR'),
        },
      },
    },
    ({ ctx, params, body }) => reviewPage(ctx, params, body),
  )
}
