// Failures on demand in mail, Telegram, Messenger and SMS. WhatsApp has its own kinds, in whatsapp/faults.ts.
import Type, { type Static } from 'typebox'
import { makeRules, type Rule } from './rules.ts'
import { closed } from './shapes.ts'

/**
 * refuse  rejected with this provider's error code
 * fail    accepted, then reported as not delivered (SMS: undelivered; mail: a bounce)
 * hang    no response
 * drop    the connection breaks; with isAccepted, after accepting the message
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
