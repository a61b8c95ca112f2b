// The console's search, which finds more than the API's `q`: any order of words, notes, files, tags and phone numbers.
import Type from 'typebox'
import { findPeople } from '../domain/contacts/find-people.ts'
import { PeopleFound } from '../domain/contacts/people-found-schema.ts'
import { readTerms } from '../domain/contacts/search-terms.ts'
import { listThreadMatches } from '../domain/conversations/found-queries.ts'
import {
  FoundConversations,
  FoundElsewhere,
  Language,
  ThreadMatches,
} from '../domain/conversations/inbox-schema.ts'
import { ConversationParams } from '../domain/conversations/schema.ts'
import { countFound, searchInbox } from '../domain/conversations/search-inbox.ts'
import { conversationExists } from '../domain/conversations/thread-queries.ts'
import { ChannelEnum, Id } from '../domain/schema.ts'
import { PAGE_MAX } from '../platform/db/pagination.ts'
import { ApiError } from '../platform/errors.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

/** Longer than anyone types; of a pasted text the first words count. */
const Q = Type.String({ maxLength: 2000 })

const SearchQuery = Type.Object({
  q: Q,
  status: Type.Optional(Type.Enum(['open', 'closed', 'unassigned', 'all'])),
  mine: Type.Optional(Type.Boolean()),
  channel: Type.Optional(ChannelEnum),
  unread: Type.Optional(Type.Boolean()),
  snoozed: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Boolean()),
  agentId: Type.Optional(Id),
  ownTagId: Type.Optional(Id),
  teamId: Type.Optional(Id),
  ownTeams: Type.Optional(Type.Boolean()),
  overdue: Type.Optional(Type.Boolean()),
  channelAccountId: Type.Optional(Id),
  language: Type.Optional(Language),
  hasFailedMessage: Type.Optional(Type.Boolean()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX })),
})
const LISTS = { reads: 'current replica' } as const
const LIMIT_DEFAULT = 30
const NARROWING = [
  'channel',
  'unread',
  'agentId',
  'ownTagId',
  'teamId',
  'ownTeams',
  'overdue',
  'channelAccountId',
  'language',
  'hasFailedMessage',
] as const

const PeopleQuery = Type.Object({
  q: Q,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
})
const PEOPLE_DEFAULT = 5

export const registerSearchConsoleRoutes = (app: App): void => {
  app.get(
    '/search',
    {
      config: LISTS,
      schema: {
        operationId: 'consoleSearch',
        querystring: SearchQuery,
        response: { 200: FoundConversations },
      },
    },
    ({ ctx, query: { status = 'all', limit = LIMIT_DEFAULT, ...query } }) =>
      searchInbox(ctx, { ...query, status, limit }),
  )

  app.get(
    '/search/counts',
    {
      config: LISTS,
      schema: {
        operationId: 'consoleCountFound',
        querystring: Type.Pick(SearchQuery, ['q', ...NARROWING]),
        response: { 200: FoundElsewhere },
      },
    },
    ({ ctx, query }) => countFound(ctx, query),
  )

  app.get(
    '/search/people',
    {
      config: LISTS,
      schema: {
        operationId: 'consoleSearchPeople',
        querystring: PeopleQuery,
        response: { 200: PeopleFound },
      },
    },
    ({ ctx, query: { q, limit = PEOPLE_DEFAULT } }) => findPeople(ctx, readTerms(q), limit),
  )

  app.get(
    '/conversations/:conversationId/matches',
    {
      schema: {
        operationId: 'consoleListThreadMatches',
        params: ConversationParams,
        querystring: Type.Object({ q: Type.Optional(Q) }),
        response: { 200: ThreadMatches, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { conversationId }, query: { q = '' } }) => {
      if (!(await conversationExists(ctx, conversationId))) throw new ApiError('CONVERSATION_NOT_FOUND')
      const terms = readTerms(q)
      return {
        entryIds: await listThreadMatches(ctx, conversationId, terms),
        expressions: terms.map(({ marked }) => marked.source),
      }
    },
  )
}
