import Type, { type Static, type TSchema } from 'typebox'
import { AI_HOURS, AI_MODES } from '../../platform/db/tables.ts'
import { Audience, Language } from '../knowledge/schema.ts'
import { Id, Name, nullable, Text } from '../schema.ts'
import { Spending } from './budgets/schema.ts'

export const AFTER_MINUTES_MAX = 24 * 60
export const AI_NAME_MAX = 60
export const EXPECTATION_MAX = 500
export const HAND_OVER_LANGUAGES_MAX = 40
/** A thousand millions: no budget, but a number that JavaScript still counts in. */
const MONEY_MAX = 1e15

const Money = nullable(Type.Integer({ minimum: 0, maximum: MONEY_MAX }))
const AiBudget = Type.Object(
  { day: Money, month: Money },
  {
    description:
      'What the model may cost in a day and in a month, in millionths of the provider’s currency and in UTC; null: no limit. Beyond it the agent replies from the knowledge alone.',
  },
)

export const REQUESTS_KEPT_DAYS_MAX = 365

const Privacy = Type.Object({
  hidesContacts: Type.Boolean({
    description:
      'Email addresses and phone numbers are replaced before anything is sent to the model’s provider, and put back in what it says.',
  }),
  requestsKeptDays: Type.Integer({
    minimum: 0,
    maximum: REQUESTS_KEPT_DAYS_MAX,
    description: 'How long exactly what was sent to the provider can be looked at. 0: it is not stored.',
  }),
  sendsPictures: Type.Boolean({
    description:
      'The latest pictures that the customer sent go along to the provider, if the model can see pictures. What is in them can’t be replaced.',
  }),
})

const Mode = Type.Enum([...AI_MODES], {
  description:
    'never: not at all. drafts: it only writes drafts for people. assigned: it replies where it is assigned, and so in all that follow. new: it also takes new conversations that no flow has taken. new_closed: the same, while the default business hours are closed. silent: it also takes conversations that nobody has and nobody has replied to for some minutes.',
})
const Hours = Type.Enum([...AI_HOURS], {
  description:
    'When it replies: at any time, while the default business hours are open, or while they are closed.',
})
const AfterMinutes = Type.Integer({
  minimum: 1,
  maximum: AFTER_MINUTES_MAX,
  description: 'For the mode silent.',
})

/** When it speaks on a channel, as it is changed. */
const SpeakingBody = Type.Object({
  mode: Type.Optional(Mode),
  afterMinutes: Type.Optional(AfterMinutes),
  hours: Type.Optional(Hours),
  audience: Type.Optional(Type.Omit(Audience, ['channels'])),
})

const Speaking = Type.Object({
  mode: Mode,
  afterMinutes: Type.Integer(),
  hours: Hours,
  audience: Type.Object({
    countries: Type.Array(Type.String()),
    tagIds: Type.Array(Type.String()),
    languages: Type.Array(Type.String()),
  }),
})
export type Speaking = Static<typeof Speaking>

const byChannel = <T extends TSchema>(one: T) => ({
  web: one,
  email: one,
  whatsapp: one,
  facebook: one,
  telegram: one,
  sms: one,
})

const HAND_OVER = {
  description:
    'Whom its conversations are assigned to when it hands over, the team that gets those that have none, and the tag that the customer gets. Null, or one that no longer exists: nobody, and none.',
}
const HandOver = Type.Object({ agentId: nullable(Id), teamId: nullable(Id), tagId: nullable(Id) }, HAND_OVER)
const HandOverBody = Type.Object(
  { agentId: nullable(Id), teamId: Type.Optional(nullable(Id)), tagId: nullable(Id) },
  HAND_OVER,
)

const AsksAddress = Type.Boolean({
  description:
    'While you are closed, customers who are handed over where nobody can reach them otherwise are asked for an email address or a phone number, which is stored as unverified.',
})

/** Where the AI agent replies, as it is changed: whatever is left out stays as it is. */
export const AiSettingsBody = Type.Object({
  name: Type.Optional(
    nullable(Name(AI_NAME_MAX, { description: 'How it introduces itself. Default: without a name.' })),
  ),
  speaking: Type.Optional(Type.Partial(Type.Object(byChannel(SpeakingBody)))),
  handOver: Type.Optional(HandOverBody),
  expectation: Type.Optional(
    nullable(
      Text(EXPECTATION_MAX, {
        description:
          'What customers read when they are handed over to people. {{expectation}} becomes what they read by default: that somebody will reply, how long that usually takes, and when you open if you are closed. {{workspace}} becomes its name. Null: the default.',
      }),
    ),
  ),
  handOverTexts: Type.Optional(
    Type.Record(Language, Type.String({ maxLength: EXPECTATION_MAX }), {
      maxProperties: HAND_OVER_LANGUAGES_MAX,
      description: 'The same for customers of these languages. An empty one is left out.',
    }),
  ),
  asksAddress: Type.Optional(AsksAddress),
  budget: Type.Optional(AiBudget),
  privacy: Type.Optional(Type.Partial(Privacy)),
})
export type AiSettingsBody = Static<typeof AiSettingsBody>

export const AiSettings = Type.Object({
  isStopped: Type.Boolean({ description: 'If true, it replies nowhere.' }),
  name: nullable(Type.String()),
  speaking: Type.Object(byChannel(Speaking)),
  handOver: HandOver,
  expectation: nullable(Type.String()),
  handOverTexts: Type.Record(Type.String(), Type.String()),
  asksAddress: AsksAddress,
  budget: AiBudget,
  privacy: Privacy,
})
export type AiSettings = Static<typeof AiSettings>

export const AiSettingsAnswer = Type.Object({
  settings: AiSettings,
  isEnabled: Type.Boolean({ description: 'Whether it is a member that conversations can be assigned to.' }),
  isOff: Type.Boolean({ description: 'Whether whoever runs the server has turned it off: AI=off.' }),
  spending: Type.Array(Spending, { description: 'What the model cost this day and this month.' }),
})
export type AiSettingsAnswer = Static<typeof AiSettingsAnswer>

export const AiStop = Type.Object({ isStopped: Type.Boolean() })
