import Type, { type Static } from 'typebox'
import { PAGE_STATES, SOURCE_KINDS, SOURCE_STATES, SOURCE_UPDATES } from '../../../platform/db/tables.ts'
import { Id, Moment, Name, nullable } from '../../schema.ts'
import { Audience, Language, ReviewBy, URL_MAX } from '../schema.ts'

/** Websites and files of a workspace. */
export const SOURCES_MAX = 200
/** Pages of a website. */
export const PAGES_MAX = 500
const MIB = 1024 * 1024
export const FILE_BYTES_MAX = 10 * MIB

export const Problem = Type.Object(
  { code: Type.String(), message: Type.String() },
  { title: 'SourceProblem' },
)

const Updates = Type.Enum(SOURCE_UPDATES, {
  description: 'Whether changed text is published at once or waits until someone has reviewed it.',
})

export const Source = Type.Object(
  {
    id: Id,
    type: Type.Enum(SOURCE_KINDS),
    name: Type.String({ description: 'The address without its scheme, or the file’s name.' }),
    url: nullable(Type.String()),
    language: Type.String(),
    updates: Updates,
    state: Type.Enum(SOURCE_STATES, {
      description: '`reading` includes waiting for its turn. A failed one is read again the next day.',
    }),
    problem: nullable(Problem),
    version: Type.Integer({ description: 'How often it was read, or which upload of the file it is.' }),
    pages: Type.Object(
      {
        total: Type.Integer({ description: 'Pages of a website; articles of a file.' }),
        read: Type.Integer({ description: 'Those that have had their turn this time.' }),
        published: Type.Integer({ description: 'Those with an article.' }),
        changed: Type.Integer({ description: 'Those whose new text waits for review.' }),
        unavailable: Type.Integer({
          description: 'Those that are gone or may no longer be read. Their articles keep the last text.',
        }),
        failed: Type.Integer({ description: 'Those that could not be read, or had no text.' }),
      },
      { title: 'SourcePages' },
    ),
    readAt: nullable(Moment),
    createdAt: Moment,
  },
  { title: 'KnowledgeSource' },
)
export type Source = Static<typeof Source>

const exampleSource: Source = {
  id: 'cmi8q2f5c0000x7h2k9d3m1vb',
  type: 'sitemap',
  name: 'help.example.com/sitemap.xml',
  url: 'https://help.example.com/sitemap.xml',
  language: 'en',
  updates: 'review',
  state: 'ready',
  problem: null,
  version: 3,
  pages: { total: 12, read: 12, published: 11, changed: 1, unavailable: 0, failed: 1 },
  readAt: '2026-11-21T09:32:00.000Z',
  createdAt: '2026-11-07T09:30:00.000Z',
}

export const SourceAnswer = Type.Object(
  { source: Source },
  { title: 'KnowledgeSourceAnswer', examples: [{ source: exampleSource }] },
)
export const SourceList = Type.Object(
  { sources: Type.Array(Source) },
  { title: 'KnowledgeSourceList', examples: [{ sources: [exampleSource] }] },
)
export const SourceParams = Type.Object({ sourceId: Id })

const given = {
  language: { ...Language, description: 'Of pages that don’t declare theirs, and of files.' },
  audience: Type.Optional(Audience),
  isInternal: Type.Optional(Type.Boolean({ description: 'Only for the team.' })),
  reviewBy: Type.Optional(nullable(ReviewBy)),
}

export const NewWebsite = Type.Object(
  {
    type: Type.Enum(['page', 'sitemap']),
    url: Type.String({
      maxLength: URL_MAX,
      pattern: '^https?://[^\\s<>"]+$',
      patternSays: 'must be an http or https URL',
      description: 'Of the page, or of a sitemap with up to 500 pages of the same site.',
    }),
    updates: Type.Optional(Updates),
    ...given,
  },
  {
    title: 'NewWebsite',
    examples: [{ type: 'sitemap', url: 'https://help.example.com/sitemap.xml', language: 'en' }],
  },
)
export type NewWebsite = Static<typeof NewWebsite>

const attachmentId = Type.String({ maxLength: 40, description: 'Of the upload.' })
export const NewFile = Type.Object({ attachmentId, ...given }, { title: 'NewFile' })
export type NewFile = Static<typeof NewFile>
export const NewVersion = Type.Object({ attachmentId }, { title: 'NewVersion' })

export const SourcePage = Type.Object(
  {
    id: Id,
    location: Type.String({ description: 'The address, or the number of the part.' }),
    title: nullable(Type.String({ description: 'Of its article, or of the text that waits.' })),
    articleId: nullable(Type.String()),
    state: Type.Enum(PAGE_STATES),
    problem: nullable(Problem),
    hasChange: Type.Boolean({ description: 'A new text waits for review.' }),
    isRemoved: Type.Boolean({ description: 'Someone has deleted its article, so it isn’t read again.' }),
  },
  { title: 'SourcePage' },
)
export type SourcePage = Static<typeof SourcePage>
const SOURCE_NAME_MAX = 200
const settings = {
  name: Name(SOURCE_NAME_MAX),
  updates: Updates,
  language: given.language,
  isInternal: Type.Boolean(),
  reviewBy: nullable(ReviewBy),
}
/** Its address isn't one of them: another address is another website. */
const SourceSettings = Type.Object({ ...settings, audience: Type.Required(Audience) })
export type SourceSettings = Static<typeof SourceSettings>
export const SourceChange = Type.Partial(Type.Object({ ...settings, audience: Audience }), {
  description:
    'What is left out stays. Articles follow where nobody has changed theirs; another language counts from the next reading on.',
})
export type SourceChange = Static<typeof SourceChange>
export const SourceDetails = Type.Object({
  source: Source,
  settings: SourceSettings,
  pages: Type.Array(SourcePage),
})
export type SourceDetails = Static<typeof SourceDetails>

const PageText = Type.Object({ title: Type.String(), body: Type.String() })
export const PageChange = Type.Object({
  /** Null for a page that has no article yet. */
  before: nullable(PageText),
  after: PageText,
  changedAt: Moment,
})
export type PageChange = Static<typeof PageChange>
export const PageParams = Type.Object({ sourceId: Id, pageId: Id })
export const PageReview = Type.Object({
  decision: Type.Enum(['publish', 'dismiss']),
  changedAt: Type.String({ maxLength: 40, description: 'Of the change that was seen.' }),
})
export type PageReview = Static<typeof PageReview>
export const Done = Type.Object({ success: Type.Literal(true) })
