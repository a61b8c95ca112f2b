import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { Id, Moment, nullable } from '../schema.ts'

export const REPORT_DAYS_MAX = 366
export const REPORT_DAYS_DEFAULT = 30

/** What episodes are counted as; one may be several. */
export const EPISODE_KINDS = [
  'involved',
  'ended',
  'answered',
  'confirmed',
  'assumed',
  'handed_over',
  'reopened',
  'wrong',
  'judged',
  'judged_wrong',
] as const
export type EpisodeKind = (typeof EPISODE_KINDS)[number]

const Days = Type.Integer({
  minimum: 1,
  maximum: REPORT_DAYS_MAX,
  default: REPORT_DAYS_DEFAULT,
  description: 'Until today, in UTC.',
})

export const AiReportQuery = Type.Object({ days: Type.Optional(Days) })

const counts = {
  involved: Type.Integer({ description: 'Episodes that the AI agent took part in.' }),
  ended: Type.Integer({ description: 'Of those, closed or silent for three days by now.' }),
  answered: Type.Integer({ description: 'With at least one answer.' }),
  confirmed: Type.Integer({
    description: 'The customer said that it helped, and was not back within a week.',
  }),
  assumed: Type.Integer({
    description: 'Ended after an answer without a word from anybody. Never part of `confirmed`.',
  }),
  handedOver: Type.Integer(),
  reopened: Type.Integer({ description: 'The customer was back within a week of the end.' }),
  wrong: Type.Integer({ description: 'With something that a person marked as wrong.' }),
  judged: Type.Integer({
    description:
      'Checked by a person in the weekly sample of those that are assumed, and not reopened since: what `judgedWrong` is a part of.',
  }),
  judgedWrong: Type.Integer({ description: 'Of those, with an answer that was wrong.' }),
  tokens: Type.Integer(),
  cost: Type.Integer({ description: 'In millionths of the currency.' }),
}
const Counts = Type.Object(counts)
export type ReportCounts = Static<typeof Counts>

const Drafts = Type.Object(
  {
    written: Type.Integer({ description: 'Requests for a draft that brought at least one.' }),
    used: Type.Integer({ description: 'Sent as written, or nearly so.' }),
    changed: Type.Integer({ description: 'Changed before it was sent.' }),
    dismissed: Type.Integer({ description: 'Thrown away, or replaced by another text.' }),
    unused: Type.Integer({ description: 'Nothing of the kind: nobody used or dismissed it.' }),
  },
  { description: 'Drafts that the AI agent wrote for people; the four parts add up to `written`.' },
)
export type DraftCounts = Static<typeof Drafts>

export const AiReport = Type.Object({
  days: Type.Integer(),
  currency: nullable(Type.String()),
  total: Type.Object({
    ...counts,
    firstReplyMs: nullable(Type.Integer({ description: 'Median.' })),
    handOverMs: nullable(Type.Integer({ description: 'Median.' })),
  }),
  byDay: Type.Array(Type.Object({ day: Type.String({ description: 'YYYY-MM-DD.' }), ...counts })),
  reasons: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() }), {
    description: 'Why it handed over, the most frequent first.',
  }),
  drafts: Drafts,
})
export type AiReport = Static<typeof AiReport>

export const EpisodesQuery = Type.Object({
  days: Type.Optional(Days),
  kind: Type.Optional(Type.Enum([...EPISODE_KINDS])),
  day: Type.Optional(
    Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', patternSays: 'must be a date such as "2026-11-23"' }),
  ),
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
})
export type EpisodesQuery = Static<typeof EpisodesQuery>

const Episode = Type.Object({
  id: Id,
  conversationId: Id,
  contactName: Type.String(),
  startedAt: Moment,
  endedAt: nullable(Moment),
  answered: Type.Integer(),
  confirmedBy: nullable(Type.Enum(['tap', 'thanks'])),
  isAssumed: Type.Boolean(),
  handOverReason: nullable(Type.String()),
  reopenedAt: nullable(Moment),
  wrong: Type.Integer(),
  tokens: Type.Integer(),
  cost: Type.Integer(),
})
export type Episode = Static<typeof Episode>

export const EpisodeList = Type.Object({
  episodes: Type.Array(Episode),
  nextCursor: nullable(Type.String()),
})
export type EpisodeList = Static<typeof EpisodeList>
