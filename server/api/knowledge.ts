// Articles and saved answers, for help centers that are copied here, and the search over both.
import { getAnswer, listAnswers, saveAnswer } from '../domain/knowledge/answers.ts'
import { getArticle, listArticles, saveArticle } from '../domain/knowledge/articles.ts'
import { deleteItem } from '../domain/knowledge/save-item.ts'
import {
  AnswerAnswer,
  AnswerBody,
  AnswerList,
  AnswerParams,
  ArticleAnswer,
  ArticleBody,
  ArticleList,
  ArticleParams,
  KnowledgeMatches,
  KnowledgeQuery,
  KnowledgeRemoved,
  SearchQuery,
} from '../domain/knowledge/schema.ts'
import { tryQuestion } from '../domain/knowledge/search-knowledge.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const TAGS = ['Knowledge']
const WRITES = { scope: 'knowledge:write', budget: 'send', permission: 'manage_knowledge' } as const
const SAVING =
  'Replaces everything that can be set; what is left out gets its default. A published one can be found as soon as the call returns.'

export const registerKnowledge = (app: App): void => {
  registerArticles(app)
  registerAnswers(app)
  app.get(
    '/knowledge/search',
    {
      config: { scope: 'knowledge:read' },
      schema: {
        operationId: 'searchKnowledge',
        tags: TAGS,
        summary: 'Search knowledge',
        description:
          'The published articles and answers that fit a question best. What is for certain customers only is found if the parameters say that the question comes from one of them.',
        querystring: SearchQuery,
        response: { 200: KnowledgeMatches },
      },
    },
    ({ ctx, query }) => tryQuestion(ctx, query),
  )
}

const registerArticles = (app: App): void => {
  app.get(
    '/knowledge/articles',
    {
      config: { scope: 'knowledge:read' },
      schema: {
        operationId: 'listArticles',
        tags: TAGS,
        summary: 'List articles',
        description: 'Articles without their bodies, newest first. Filters are combined with AND.',
        querystring: KnowledgeQuery,
        response: { 200: ArticleList },
      },
    },
    ({ ctx, query }) => listArticles(ctx, query),
  )
  app.get(
    '/knowledge/articles/:articleId',
    {
      config: { scope: 'knowledge:read' },
      schema: {
        operationId: 'getArticle',
        tags: TAGS,
        summary: 'Get an article',
        description: 'The article with its body in markdown, whether it is published or a draft.',
        params: ArticleParams,
        response: { 200: ArticleAnswer, ...errors('ARTICLE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getArticle(ctx, params.articleId),
  )
  app.post(
    '/knowledge/articles',
    {
      config: WRITES,
      schema: {
        operationId: 'saveArticle',
        tags: TAGS,
        summary: 'Create or replace an article',
        description: `Replaces the article with the same \`externalId\`, if there is one. ${SAVING}`,
        body: ArticleBody,
        response: { 200: ArticleAnswer, ...errors('KNOWLEDGE_CHANGED', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, body }) => saveArticle(ctx, null, body),
  )
  app.put(
    '/knowledge/articles/:articleId',
    {
      config: WRITES,
      schema: {
        operationId: 'replaceArticle',
        tags: TAGS,
        summary: 'Replace an article',
        description: SAVING,
        params: ArticleParams,
        body: ArticleBody,
        response: {
          200: ArticleAnswer,
          ...errors('ARTICLE_NOT_FOUND', 'KNOWLEDGE_CHANGED', 'VALIDATION_ERROR'),
        },
      },
    },
    ({ ctx, params, body }) => saveArticle(ctx, params.articleId, body),
  )
  app.delete(
    '/knowledge/articles/:articleId',
    {
      config: WRITES,
      schema: {
        operationId: 'deleteArticle',
        tags: TAGS,
        summary: 'Delete an article',
        description: 'It is no longer found as soon as the call returns.',
        params: ArticleParams,
        response: { 200: KnowledgeRemoved, ...errors('ARTICLE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteItem(ctx, { kind: 'article', id: params.articleId }),
  )
}

const registerAnswers = (app: App): void => {
  app.get(
    '/knowledge/answers',
    {
      config: { scope: 'knowledge:read' },
      schema: {
        operationId: 'listAnswers',
        tags: TAGS,
        summary: 'List answers',
        description: 'Saved answers, newest first. Filters are combined with AND.',
        querystring: KnowledgeQuery,
        response: { 200: AnswerList },
      },
    },
    ({ ctx, query }) => listAnswers(ctx, query),
  )
  app.get(
    '/knowledge/answers/:answerId',
    {
      config: { scope: 'knowledge:read' },
      schema: {
        operationId: 'getAnswer',
        tags: TAGS,
        summary: 'Get an answer',
        description: 'The saved answer with its phrasings, whether it is published or a draft.',
        params: AnswerParams,
        response: { 200: AnswerAnswer, ...errors('ANSWER_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getAnswer(ctx, params.answerId),
  )
  app.post(
    '/knowledge/answers',
    {
      config: WRITES,
      schema: {
        operationId: 'saveAnswer',
        tags: TAGS,
        summary: 'Create or replace an answer',
        description: `Replaces the answer with the same \`externalId\`, if there is one. ${SAVING}`,
        body: AnswerBody,
        response: { 200: AnswerAnswer, ...errors('KNOWLEDGE_CHANGED', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, body }) => saveAnswer(ctx, null, body),
  )
  app.put(
    '/knowledge/answers/:answerId',
    {
      config: WRITES,
      schema: {
        operationId: 'replaceAnswer',
        tags: TAGS,
        summary: 'Replace an answer',
        description: SAVING,
        params: AnswerParams,
        body: AnswerBody,
        response: {
          200: AnswerAnswer,
          ...errors('ANSWER_NOT_FOUND', 'KNOWLEDGE_CHANGED', 'VALIDATION_ERROR'),
        },
      },
    },
    ({ ctx, params, body }) => saveAnswer(ctx, params.answerId, body),
  )
  app.delete(
    '/knowledge/answers/:answerId',
    {
      config: WRITES,
      schema: {
        operationId: 'deleteAnswer',
        tags: TAGS,
        summary: 'Delete an answer',
        description: 'It is no longer found as soon as the call returns.',
        params: AnswerParams,
        response: { 200: KnowledgeRemoved, ...errors('ANSWER_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteItem(ctx, { kind: 'answer', id: params.answerId }),
  )
}
