// Failures on demand in mail, Telegram, Messenger and SMS. WhatsApp has its own kinds, in whatsapp/faults.ts.
import Type, { type Static } from 'typebox'
import { makeRules, type Rule } from './rules.ts'
import { closed } from './shapes.ts'

/**
 * refuse  the provider says no, with this code of its own
 * fail    accepted, and told later that it did not arrive (SMS: undelivered; mail: a bounce)
 * hang    no answer ever
 * drop    the connection breaks, after accepting where isAccepted
 */
export const FailureInput = closed({
  app: Type.Enum(['mail', 'telegram', 'messenger', 'sms']),
  kind: Type.Enum(['refuse', 'fail', 'hang', 'drop']),
  code: Type.Optional(Type.Integer({ minimum: 0, maximum: 9_999_999 })),
  isAccepted: Type.Optional(Type.Boolean()),
  /** Limits the failure to one person; without it, it applies to anyone. */
  personId: Type.Optional(Type.String({ maxLength: 40 })),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
})
export type FailureInput = Static<typeof FailureInput>
export type Failure = Rule<FailureInput>
export type Failures = ReturnType<typeof makeFailures>

export const makeFailures = (onChange: (failures: Failure[]) => void) => {
  const rules = makeRules<FailureInput>(onChange)
  const meets =
    (app: FailureInput['app'], personId: string | undefined) =>
    (failure: Failure): failure is Failure =>
      failure.app === app && (!failure.personId || failure.personId === personId)
  return {
    ...rules,
    find: (app: FailureInput['app'], personId: string | undefined) => rules.list().find(meets(app, personId)),
    /** Uses up one turn of the first rule for this app and person. */
    take: (app: FailureInput['app'], personId: string | undefined) => rules.take(meets(app, personId)),
  }
}
