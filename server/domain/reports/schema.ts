import Type, { type Static } from 'typebox'
import { ChannelEnum, Id, Moment, nullable, Text } from '../schema.ts'

export const REPORT_DAYS_MAX = 366
export const TIME_ZONE_MAX = 64

const Day = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\d$',
  description: 'YYYY-MM-DD, on the clocks of the report’s time zone.',
})

const period = {
  from: Day,
  to: Day,
  channel: Type.Optional(ChannelEnum),
}
export const ReportQuery = Type.Object(period)
export type ReportQuery = Static<typeof ReportQuery>

/** How long something took. Accurate to a twentieth. */
const Took = Type.Object({
  count: Type.Integer(),
  medianMs: nullable(Type.Integer()),
  p90Ms: nullable(Type.Integer({ description: 'Nine of ten took no longer.' })),
})
export type Took = Static<typeof Took>

/** Waits with a target. */
const Goal = Type.Object({
  met: Type.Integer(),
  missed: Type.Integer({ description: 'Replied late, or closed late without a reply.' }),
  medianMs: nullable(
    Type.Integer({ description: 'Of those replied to, within business hours and without snoozes.' }),
  ),
  p90Ms: nullable(Type.Integer()),
})
export type Goal = Static<typeof Goal>

const Rated = Type.Object({ count: Type.Integer(), average: nullable(Type.Number()) })

const volume = {
  conversations: Type.Integer({ description: 'Created.' }),
  inbound: Type.Integer({ description: 'Messages from customers.' }),
  person: Type.Integer({ description: 'Messages by people of the team.' }),
  program: Type.Integer({ description: 'Messages by programs.' }),
  flow: Type.Integer(),
  ai: Type.Integer(),
  broadcast: Type.Integer(),
  closed: Type.Integer(),
  reopened: Type.Integer(),
}
const Volume = Type.Object(volume)
export type Volume = Static<typeof Volume>

const times = {
  first: Took,
  next: Took,
  resolution: Took,
  firstGoal: Goal,
  nextGoal: Goal,
  rating: Rated,
}
const Totals = Type.Object({
  ...volume,
  ...times,
  /** Replies of flows and the AI agent. */
  automatic: Took,
})
export type Totals = Static<typeof Totals>

const ReportDay = Type.Object({
  day: Day,
  ...volume,
  ...times,
  backlog: nullable(Type.Integer({ description: 'Open at the end of the day.' })),
})
export type ReportDay = Static<typeof ReportDay>

const ReportPerson = Type.Object({
  id: Id,
  name: Type.String(),
  isRemoved: Type.Boolean(),
  messages: Type.Integer(),
  ...times,
})
export type ReportPerson = Static<typeof ReportPerson>

const ReportTeam = Type.Object({ id: Id, name: Type.String(), isRemoved: Type.Boolean(), ...times })
export type ReportTeam = Static<typeof ReportTeam>

const ReportHour = Type.Object({
  weekday: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday.' }),
  hour: Type.Integer({ minimum: 0, maximum: 23 }),
  conversations: Type.Integer(),
  inbound: Type.Integer(),
})
export type ReportHour = Static<typeof ReportHour>

const ReportBroadcast = Type.Object({
  id: Id,
  name: Type.String(),
  at: Moment,
  recipients: Type.Integer(),
  sent: Type.Integer(),
  failed: Type.Integer(),
  delivered: nullable(Type.Integer({ description: 'Null until it was counted.' })),
  read: nullable(Type.Integer()),
  answered: nullable(Type.Integer()),
})
export type ReportBroadcast = Static<typeof ReportBroadcast>

/** What the workspace promises now; teams may have their own. */
const Targets = Type.Object({
  firstMinutes: nullable(Type.Integer()),
  nextMinutes: nullable(Type.Integer()),
  hours: nullable(Type.String({ description: 'Business hours in which time counts. Null: always.' })),
})

export const BROADCASTS_MAX = 200

export const Report = Type.Object({
  timeZone: Type.String(),
  today: Day,
  from: Day,
  to: Day,
  before: Type.Object({ from: Day, to: Day, totals: Totals }),
  pendingDays: Type.Integer({ description: 'Days of both periods that are not counted yet.' }),
  totals: Totals,
  open: Type.Integer({ description: 'Now.' }),
  overdue: Type.Integer({ description: 'Of those, with a reply that is overdue.' }),
  targets: nullable(Targets),
  days: Type.Array(ReportDay),
  hours: Type.Array(ReportHour),
  channels: Type.Array(Type.Object({ channel: ChannelEnum, open: Type.Integer(), ...volume })),
  people: Type.Array(ReportPerson),
  teams: Type.Array(ReportTeam),
  stars: Type.Array(Type.Integer(), { description: 'How many ratings of 1, 2, 3, 4 and 5.' }),
  broadcasts: Type.Array(ReportBroadcast, { maxItems: BROADCASTS_MAX }),
})
export type Report = Static<typeof Report>

export const FIGURES = [
  'conversations',
  'inbound',
  'person',
  'program',
  'flow',
  'ai',
  'broadcast',
  'closed',
  'reopened',
  'first',
  'next',
  'automatic',
  'resolution',
  'rating',
  'met',
  'missed',
  'open',
  'sent',
  'delivered',
  'read',
  'answered',
] as const
export type Figure = (typeof FIGURES)[number]

export const EntriesQuery = Type.Object({
  ...period,
  figure: Type.Enum([...FIGURES]),
  person: Type.Optional(Type.String({ maxLength: 25 })),
  team: Type.Optional(Type.String({ maxLength: 25, description: 'Of replies, closings and ratings.' })),
  weekday: Type.Optional(Type.Integer({ minimum: 1, maximum: 7 })),
  hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23 })),
  rating: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  reply: Type.Optional(Type.Enum(['first', 'next'], { description: 'Of `met` and `missed`.' })),
  broadcast: Type.Optional(Type.String({ maxLength: 25, description: 'Whose `sent` and so on.' })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
})
export type EntriesQuery = Static<typeof EntriesQuery>

const Entry = Type.Object({
  id: Id,
  conversationId: Id,
  contactName: Type.String(),
  channel: ChannelEnum,
  at: Moment,
  messageId: nullable(Id),
  tookMs: nullable(Type.Integer()),
  countedMs: nullable(
    Type.Integer({ description: 'Of waits with a target, within business hours and without snoozes.' }),
  ),
  isUnanswered: Type.Boolean({ description: 'Closed late without a reply.' }),
  rating: nullable(Type.Integer()),
  comment: nullable(Type.String()),
})
export type Entry = Static<typeof Entry>
export const EntryList = Type.Object({ entries: Type.Array(Entry), nextCursor: nullable(Type.String()) })
export type EntryList = Static<typeof EntryList>

export const REPORT_TABLES = [
  'days',
  'hours',
  'channels',
  'people',
  'teams',
  'ratings',
  'broadcasts',
] as const
export type ReportTable = (typeof REPORT_TABLES)[number]
export const TableQuery = Type.Object({ ...period, table: Type.Enum([...REPORT_TABLES]) })
export type TableQuery = Static<typeof TableQuery>

export const TimeZoneBody = Type.Object({ timeZone: Text(TIME_ZONE_MAX) })
export const TimeZoneAnswer = Type.Object({ timeZone: Type.String() })
