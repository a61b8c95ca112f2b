// What people of the team sort conversations by, beyond the API.
import Type, { type Static } from 'typebox'
import { Id, nullable, Text } from '../schema.ts'
import { BULK_MAX, BulkBody } from './bulk-schema.ts'

/** A snooze that only the customer's reply ends. */
export const UNTIL_REPLY = '9999-12-31T00:00:00.000Z'

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
