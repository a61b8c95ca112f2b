// What goes wrong on demand in mail, Telegram, Messenger and SMS. WhatsApp has rules of its own, in whatsapp/faults.ts.
import Type, { type Static } from 'typebox'
import { newNodeId } from './whatsapp/ids.ts'

/**
 * refuse  the provider says no, with this code of its own
 * fail    accepted, and told later that it did not arrive (SMS: undelivered; mail: a bounce)
 * hang    no answer ever
 * drop    the connection breaks, after accepting where isAccepted
 */
export const FailureInput = Type.Object(
  {
    app: Type.Enum(['mail', 'telegram', 'messenger', 'sms']),
    kind: Type.Enum(['refuse', 'fail', 'hang', 'drop']),
    code: Type.Optional(Type.Integer({ minimum: 0, maximum: 9_999_999 })),
    isAccepted: Type.Optional(Type.Boolean()),
    /** A person; anybody without one. */
    personId: Type.Optional(Type.String({ maxLength: 40 })),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  },
  { additionalProperties: false },
)
export type FailureInput = Static<typeof FailureInput>
export type Failure = FailureInput & { id: string; left: number }

const FAILURES_MAX = 1000

export type Failures = ReturnType<typeof makeFailures>

export const makeFailures = (onChange: (failures: Failure[]) => void) => {
  let failures: Failure[] = []
  const change = (next: Failure[]): void => {
    failures = next
    onChange(failures)
  }
  return {
    list: (): Failure[] => failures,
    add: (input: FailureInput): Failure => {
      const added = { ...input, id: newNodeId(), left: input.times ?? 1 }
      change([...failures, added].slice(-FAILURES_MAX))
      return added
    },
    remove: (id: string): boolean => {
      const before = failures.length
      change(failures.filter((failure) => failure.id !== id))
      return failures.length < before
    },
    clear: (): void => change([]),
    /** Uses up one turn of the first that meets this app and person. */
    take: (app: FailureInput['app'], personId: string | undefined): Failure | undefined => {
      const found = failures.find(
        (failure) => failure.app === app && (!failure.personId || failure.personId === personId),
      )
      if (!found) return undefined
      found.left--
      change(failures.filter(({ left }) => left > 0))
      return found
    },
  }
}
