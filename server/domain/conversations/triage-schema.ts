// What people of the team sort conversations by, and what programs do of it.
import Type, { type Static } from 'typebox'
import { TagIds } from '../contacts/schema.ts'
import { Id, Moment, nullable, Text } from '../schema.ts'
import { BULK_MAX, BulkBody } from './bulk-schema.ts'
import { UNTIL_REPLY } from './schema.ts'

/** 0 none, 1 low, 2 high, 3 urgent. */
export const Priority = Type.Integer({ minimum: 0, maximum: 3 })

const TAGS_MAX = 20
const Tags = Type.Optional(Type.Array(Id, { maxItems: TAGS_MAX, uniqueItems: true }))

/** What people do with one or several conversations. Each action has its own fields. */
export const InboxBulkBody = Type.Object({
  ids: Type.Array(Text(64), { minItems: 1, maxItems: BULK_MAX }),
  action: Type.Enum([
    ...BulkBody.properties.action.enum,
    'snooze',
    'unsnooze',
    'tag',
    'prioritize',
    'team',
    'read',
    'unread',
  ]),
  agentId: BulkBody.properties.agentId,
  /** With `team`; null: no team. */
  teamId: Type.Optional(nullable(Id)),
  until: Type.Optional(
    Type.String({
      format: 'date-time',
      description: `With \`snooze\`: a time within a year, or ${UNTIL_REPLY}, until the customer replies.`,
    }),
  ),
  addTagIds: Tags,
  removeTagIds: Tags,
  priority: Type.Optional(Priority),
})
export type InboxBulkBody = Static<typeof InboxBulkBody>

// API -----------------------------------------------------------------------------------------------------------------

export const SnoozeBody = Type.Object(
  {
    until: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'A time within a year. Left out: until the customer writes.',
      }),
    ),
  },
  { title: 'SnoozeConversation', examples: [{ until: '2026-11-23T09:00:00.000Z' }] },
)
export type SnoozeBody = Static<typeof SnoozeBody>

export const Snoozed = Type.Object(
  { success: Type.Literal(true), conversationId: Id, snoozedUntil: nullable(Moment) },
  {
    title: 'ConversationSnoozed',
    examples: [
      {
        success: true,
        conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb',
        snoozedUntil: '2026-11-23T09:00:00.000Z',
      },
    ],
  },
)
export type Snoozed = Static<typeof Snoozed>

export const ChangeConversationTagsBody = Type.Object(
  { add: TagIds('Tags to add.'), remove: TagIds('Tags to remove.') },
  {
    title: 'ChangeConversationTags',
    atLeastOneOf: ['add', 'remove'],
    examples: [{ add: ['cmi8q2f5c0006n2m7v4b1x9kq'], remove: [] }],
  },
)
export type ChangeConversationTagsBody = Static<typeof ChangeConversationTagsBody>
