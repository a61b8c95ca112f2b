import Type, { type Static } from 'typebox'
import type { NOTIFICATION_KINDS } from '../../platform/db/tables.ts'
import { HoursOfWeek } from '../business-hours/schema.ts'
import { Moment, nullable, Text } from '../schema.ts'

const Kinds = Type.Object({
  assigned: Type.Boolean(),
  mentioned: Type.Boolean(),
  message: Type.Boolean(),
  unassigned: Type.Boolean(),
  /** Unassigned in one of the person's teams. Left out: as by default, also below. */
  team: Type.Optional(Type.Boolean()),
  /** A reply that is overdue, in what is theirs. */
  overdue: Type.Optional(Type.Boolean()),
} satisfies Record<(typeof NOTIFICATION_KINDS)[number], unknown>)

const EMAIL_AFTER_MAX_MINUTES = 24 * 60

/** How a person is notified of what, in all of their workspaces. */
export const NotificationSettings = Type.Object({
  desktop: Kinds,
  sound: Kinds,
  email: Kinds,
  emailAfterMinutes: Type.Integer({ minimum: 1, maximum: EMAIL_AFTER_MAX_MINUTES }),
  /** False: notifications say who, but not what. */
  showText: Type.Boolean(),
  /** Outside of them it is quiet. Null: at all times. */
  hours: nullable(HoursOfWeek),
})
export type NotificationSettings = Static<typeof NotificationSettings>

export const OwnNotifications = Type.Object({
  settings: NotificationSettings,
  pausedUntil: nullable(Moment),
  /** What browsers subscribe with. */
  pushKey: Type.String(),
  /** Whether the server can send email. */
  sendsMail: Type.Boolean(),
})

export const Paused = Type.Object({ until: nullable(Moment) })

const ENDPOINT_MAX = 1_000
const KEY_MAX = 200

/** As the browser gives it: PushSubscription.toJSON(). */
export const NewSubscription = Type.Object({
  endpoint: Text(ENDPOINT_MAX),
  keys: Type.Object({ p256dh: Text(KEY_MAX), auth: Text(KEY_MAX) }),
})
export type NewSubscription = Static<typeof NewSubscription>

export const SubscriptionRef = Type.Object({ endpoint: Text(ENDPOINT_MAX) })
export const NotificationsSaved = Type.Object({ success: Type.Literal(true) })
