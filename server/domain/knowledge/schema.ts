import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { ChannelEnum, Id, Moment, Name, nullable, Text } from '../schema.ts'

export const TITLE_MAX = 200
export const ARTICLE_MAX = 100_000
export const ANSWER_MAX = 4_000
export const PHRASING_MAX = 300
export const PHRASINGS_MAX = 200
export const EXTERNAL_ID_MAX = 200
export const URL_MAX = 2_000
export const COUNTRIES_MAX = 250
export const AUDIENCE_TAGS_MAX = 100
export const AUDIENCE_LANGUAGES_MAX = 100
export const LISTED_SEARCH_MAX = 160
/** A longer question is cut to this. */
export const QUERY_MAX = 10_000
export const RESULTS_MAX = 8
/** Articles and answers of a workspace, drafts included. */
export const ITEMS_MAX = 50_000

export const Language = Type.String({
  pattern: '^[a-z]{2,3}$',
  patternSays: 'must be an ISO 639 code such as "en"',
  description: 'ISO 639, lowercase.',
  examples: ['en'],
})
export const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  patternSays: 'must be an ISO 3166 code such as "DE"',
  description: 'ISO 3166-1 alpha-2.',
})

export const Audience = Type.Object(
  {
    channels: Type.Optional(Type.Array(ChannelEnum, { maxItems: 10, uniqueItems: true })),
    countries: Type.Optional(Type.Array(Country, { maxItems: COUNTRIES_MAX, uniqueItems: true })),
    tagIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
        maxItems: AUDIENCE_TAGS_MAX,
        uniqueItems: true,
        description: 'Customers with at least one of these tags.',
      }),
    ),
    languages: Type.Optional(Type.Array(Language, { maxItems: AUDIENCE_LANGUAGES_MAX, uniqueItems: true })),
  },
  {
    title: 'KnowledgeAudience',
    description:
      'Which customers it is for. Every list that is not empty must contain a value of the customer or the conversation.',
  },
)
export type Audience = Static<typeof Audience>

const State = Type.Enum(['draft', 'published'], { description: 'Drafts are never found or shown.' })
export const ReviewBy = Type.String({
  pattern: '^(19|20)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  patternSays: 'must be a date such as "2027-03-31"',
  examples: ['2027-03-31'],
})

/** What an article and an answer have in common, as it is written. */
const given = {
  externalId: Type.Optional(
    nullable(
      Text(EXTERNAL_ID_MAX, {
        description: 'Its id in the system that it is copied from. Unique among articles, and among answers.',
      }),
    ),
  ),
  title: Name(TITLE_MAX),
  language: Language,
  state: Type.Optional(Type.Enum(['draft', 'published'], { default: 'published' })),
  audience: Type.Optional(Audience),
  isInternal: Type.Optional(
    Type.Boolean({ default: false, description: 'Only for people, never for customers.' }),
  ),
  ifUpdatedAt: Type.Optional({
    ...Moment,
    description: 'The `updatedAt` it was read with. If it has changed since, it is not replaced.',
  }),
  reviewBy: Type.Optional(
    nullable({ ...ReviewBy, description: 'After this day it is offered, but not given as the answer.' }),
  ),
}

/** And as it is returned. */
const shown = {
  id: Id,
  externalId: nullable(Type.String()),
  title: Type.String(),
  language: Type.String(),
  state: State,
  audience: Type.Object({
    channels: Type.Array(ChannelEnum),
    countries: Type.Array(Type.String()),
    tagIds: Type.Array(Type.String()),
    languages: Type.Array(Type.String()),
  }),
  isInternal: Type.Boolean(),
  reviewBy: nullable(Type.String()),
  createdAt: Moment,
  updatedAt: Moment,
}

const exampleOf = <T extends object>(more: T) => ({
  id: 'cmi8q2f5c0000x7h2k9d3m1vb',
  externalId: 'help-112',
  language: 'en',
  state: 'published' as const,
  audience: { channels: [], countries: ['DE', 'AT'], tagIds: [], languages: [] },
  isInternal: false,
  reviewBy: null,
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
  ...more,
})
const exampleArticle = { ...exampleOf({ title: 'Returns' }), url: 'https://help.example.com/returns' }
const articleBody = '## How long\n\nYou can return everything within 30 days.'
const exampleAnswer = exampleOf({
  title: 'Return deadline',
  body: 'You can return everything within 30 days.',
  phrasings: ['How long do I have to return something?'],
})

const ArticleSummary = Type.Object({ ...shown, url: nullable(Type.String()) }, { title: 'ArticleSummary' })
export const Article = Type.Object(
  { ...shown, url: nullable(Type.String()), body: Type.String({ description: 'Markdown.' }) },
  { title: 'Article' },
)
export type Article = Static<typeof Article>
export const Answer = Type.Object(
  { ...shown, body: Type.String(), phrasings: Type.Array(Type.String()) },
  { title: 'Answer' },
)
export type Answer = Static<typeof Answer>

export const ArticleAnswer = Type.Object(
  { article: Article },
  { title: 'ArticleAnswer', examples: [{ article: { ...exampleArticle, body: articleBody } }] },
)
export const AnswerAnswer = Type.Object(
  { answer: Answer },
  { title: 'AnswerAnswer', examples: [{ answer: exampleAnswer }] },
)
export const ArticleList = Type.Object(
  { articles: Type.Array(ArticleSummary), nextCursor: nullable(Type.String()) },
  { title: 'ArticleList', examples: [{ articles: [exampleArticle], nextCursor: null }] },
)
export const AnswerList = Type.Object(
  { answers: Type.Array(Answer), nextCursor: nullable(Type.String()) },
  { title: 'AnswerList', examples: [{ answers: [exampleAnswer], nextCursor: null }] },
)
export const KnowledgeRemoved = Type.Object(
  { success: Type.Literal(true) },
  { title: 'KnowledgeRemoved', examples: [{ success: true }] },
)

export const ArticleBody = Type.Object(
  {
    ...given,
    body: Text(ARTICLE_MAX, { description: 'Markdown. HTML is left out of what is searched.' }),
    url: Type.Optional(
      nullable(
        Type.String({
          maxLength: URL_MAX,
          pattern: '^https?://[^\\s<>"]+$',
          patternSays: 'must be an http or https URL',
          description: 'Where customers can read it.',
        }),
      ),
    ),
  },
  {
    title: 'ArticleBody',
    examples: [
      {
        externalId: 'help-112',
        title: 'Returns',
        language: 'en',
        body: articleBody,
        url: 'https://help.example.com/returns',
      },
    ],
  },
)
export type ArticleBody = Static<typeof ArticleBody>

export const AnswerBody = Type.Object(
  {
    ...given,
    body: Text(ANSWER_MAX, { description: 'Without a language model, sent to the customer word for word.' }),
    phrasings: Type.Optional(
      Type.Array(Text(PHRASING_MAX), {
        maxItems: PHRASINGS_MAX,
        description: 'How customers ask for it. Ten or more make it easy to find.',
      }),
    ),
  },
  {
    title: 'AnswerBody',
    examples: [
      {
        title: 'Return deadline',
        language: 'en',
        body: 'You can return everything within 30 days.',
        phrasings: ['How long do I have to return something?'],
      },
    ],
  },
)
export type AnswerBody = Static<typeof AnswerBody>

export const ArticleParams = Type.Object({ articleId: Id })
export const AnswerParams = Type.Object({ answerId: Id })

export const KnowledgeQuery = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: LISTED_SEARCH_MAX, description: 'Part of the title or of a phrasing.' }),
  ),
  externalId: Type.Optional(Type.String({ maxLength: EXTERNAL_ID_MAX })),
  state: Type.Optional(State),
  language: Type.Optional(Language),
  reviewBefore: Type.Optional({ ...ReviewBy, description: 'Only those to be reviewed before this day.' }),
  cursor: Type.Optional(Type.String({ description: 'The nextCursor of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `Default ${PAGE_DEFAULT}.` }),
  ),
})
export type KnowledgeQuery = Static<typeof KnowledgeQuery>

export const SearchQuery = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: QUERY_MAX,
    description: 'The question, as a customer writes it.',
  }),
  channel: Type.Optional(ChannelEnum),
  country: Type.Optional(Country),
  language: Type.Optional(Language),
  tagId: Type.Optional(Type.String({ maxLength: 40, description: 'A tag of the customer.' })),
  includeInternal: Type.Optional(Type.Boolean({ description: 'Default false.' })),
})
export type SearchQuery = Static<typeof SearchQuery>

export const KnowledgeMatch = Type.Object(
  {
    type: Type.Enum(['article', 'answer']),
    id: Id,
    title: Type.String(),
    text: Type.String({ description: 'The answer, or the section of the article that matches best.' }),
    headings: Type.String({ description: 'Of the section: the headings above it. Empty for an answer.' }),
    language: Type.String(),
    url: nullable(Type.String()),
    needsReview: Type.Boolean({ description: 'Its review date has passed.' }),
    certainty: Type.Number({
      description: '0 to 1: how close the question is to the best phrasing, title or heading.',
    }),
  },
  { title: 'KnowledgeMatch' },
)
export type KnowledgeMatch = Static<typeof KnowledgeMatch>

const exampleMatch = {
  type: 'answer' as const,
  id: exampleAnswer.id,
  title: exampleAnswer.title,
  text: exampleAnswer.body,
  headings: '',
  language: 'en',
  url: null,
  needsReview: false,
  certainty: 0.81,
}

export const KnowledgeMatches = Type.Object(
  {
    matches: Type.Array(KnowledgeMatch, { description: `The best ${RESULTS_MAX}, the best first.` }),
    decision: Type.Enum(['say', 'offer', 'nothing'], {
      description:
        'What the AI agent would do without a model: say the first match, offer the first three, or neither.',
    }),
  },
  { title: 'KnowledgeMatches', examples: [{ matches: [exampleMatch], decision: 'say' }] },
)
export type KnowledgeMatches = Static<typeof KnowledgeMatches>
