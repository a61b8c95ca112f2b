import Type, { type Static } from 'typebox'
import { Id, Name } from '../schema.ts'

export const HOURS_NAME_MAX = 60
export const PERIODS_MAX = 6
export const EXCEPTIONS_MAX = 200
/** GET /business-hours returns all of them, and every sprint of a flow reads them. */
export const HOURS_MAX = 20

/** The operation reports times and dates that don't exist, in words. */
const Clock = Type.String({ maxLength: 5, description: 'HH:MM', examples: ['09:00'] })
const Period = Type.Object({
  from: Clock,
  to: Type.String({ maxLength: 5, description: 'HH:MM; 24:00 is midnight at the end of the day.' }),
})
const Periods = Type.Array(Period, { maxItems: PERIODS_MAX, description: 'Empty: closed all day.' })

const Weekly = Type.Object({
  mon: Type.Optional(Periods),
  tue: Type.Optional(Periods),
  wed: Type.Optional(Periods),
  thu: Type.Optional(Periods),
  fri: Type.Optional(Periods),
  sat: Type.Optional(Periods),
  sun: Type.Optional(Periods),
})

const HoursException = Type.Object({
  date: Type.String({
    maxLength: 10,
    description: '2026-12-25, or 12-25 for every year. A single date goes before a yearly one.',
  }),
  name: Type.Optional(Name(HOURS_NAME_MAX)),
  periods: Periods,
})

const ofWeek = {
  timeZone: Type.String({ maxLength: 60, description: 'IANA', examples: ['Europe/Berlin'] }),
  weekly: Weekly,
}
/** Times without exceptions. */
export const HoursOfWeek = Type.Object(ofWeek)

const parts = {
  ...ofWeek,
  exceptions: Type.Array(HoursException, { maxItems: EXCEPTIONS_MAX }),
}

/** What flows get as `env.hours`. */
export const BusinessHours = Type.Object(
  { id: Id, name: Type.String(), isDefault: Type.Boolean(), ...parts },
  { title: 'BusinessHours' },
)
export type BusinessHours = Static<typeof BusinessHours>

export const BusinessHoursList = Type.Object(
  {
    businessHours: Type.Array(BusinessHours, {
      description: 'The default ones first, then by name.',
    }),
  },
  { title: 'BusinessHoursList' },
)
export const BusinessHoursAnswer = Type.Object(
  { businessHours: BusinessHours },
  { title: 'BusinessHoursAnswer' },
)
export const BusinessHoursParams = Type.Object({ businessHoursId: Id })
export const BusinessHoursRemoved = Type.Object({ success: Type.Literal(true) })

export const NewBusinessHours = Type.Object(
  {
    name: Name(HOURS_NAME_MAX, { description: 'Unique, case-insensitive.' }),
    isDefault: Type.Boolean({ description: 'The first ones always are. True moves the mark here.' }),
    ...parts,
  },
  { title: 'NewBusinessHours' },
)
export type NewBusinessHours = Static<typeof NewBusinessHours>
