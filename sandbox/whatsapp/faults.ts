// Simulated failures: each rule says what fails, for which recipient, and how many more times.
import Type, { type Static } from 'typebox'
import { makeRules, type Rule } from '../rules.ts'
import { absent, closed } from '../shapes.ts'

const OPERATIONS = [
  'send',
  'read',
  'templates',
  'phone_numbers',
  'subscribe',
  'media_upload',
  'media_info',
  'media_download',
  'media_delete',
] as const

const Common = {
  /** The recipient of a send: digits, a business-scoped id, or a prefix of either followed by `*`. */
  to: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  phoneNumberId: Type.Optional(Type.String({ maxLength: 50 })),
  operation: Type.Optional(Type.Enum([...OPERATIONS])),
  /** How many requests it applies to; null: all, until it is removed. */
  times: absent(Type.Integer({ minimum: 1 })),
}
const fault = <K extends string, P extends Record<string, Type.TSchema>>(kind: K, properties: P) =>
  closed({ kind: Type.Literal(kind), ...Common, ...properties })

const Code = Type.Integer({ minimum: 0, maximum: 9_999_999 })
const Details = Type.Optional(Type.String({ maxLength: 1000 }))
const DelayMs = Type.Integer({ minimum: 0, maximum: 600_000 })
/** Whether the message still counts as accepted: its status webhooks are sent. */
const IsAccepted = Type.Optional(Type.Boolean())

export const FaultInput = Type.Union([
  fault('error', {
    code: Code,
    details: Details,
    http: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
    retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  fault('fail', { code: Code, details: Details }),
  fault('hang', { isAccepted: IsAccepted }),
  fault('drop', { isAccepted: IsAccepted }),
  fault('server-error', {
    http: Type.Optional(Type.Integer({ minimum: 500, maximum: 599 })),
    body: Type.Optional(Type.Enum(['none', 'html', 'json'])),
    isAccepted: IsAccepted,
  }),
  fault('delay', { delayMs: DelayMs }),
  fault('status-first', {}),
  fault('skip-delivered', {}),
  fault('held', {}),
  fault('duplicate-webhook', { copies: Type.Optional(Type.Integer({ minimum: 2, maximum: 10 })) }),
  fault('not-found', {}),
])
export type FaultInput = Static<typeof FaultInput>
type Kind = FaultInput['kind']
export type Fault = Rule<FaultInput>
export type FaultOf<K extends Kind> = Extract<Fault, { kind: K }>
type Operation = (typeof OPERATIONS)[number]

/** Kinds that apply to one operation only. */
const OPERATION_OF: Partial<Record<Kind, Operation>> = { 'not-found': 'media_download' }

export type Faults = ReturnType<typeof makeFaults>
type Call = { operation: Operation; phoneNumberId?: string; recipients?: readonly string[] }

export const makeFaults = (onChange: (faults: Fault[]) => void) => {
  const rules = makeRules<FaultInput>(onChange)
  const fits = (fault: Fault, { operation, phoneNumberId, recipients = [] }: Call): boolean =>
    (fault.operation ?? OPERATION_OF[fault.kind] ?? 'send') === operation &&
    (!fault.phoneNumberId || fault.phoneNumberId === phoneNumberId) &&
    (!fault.to || recipients.some((recipient) => isFor(fault.to!, recipient)))
  return {
    ...rules,
    /** Uses up one turn of the first matching rule of these kinds. */
    take: <K extends Kind>(kinds: readonly K[], call: Call) =>
      rules.take(
        (fault): fault is FaultOf<K> => kinds.some((kind) => kind === fault.kind) && fits(fault, call),
      ),
  }
}

const isFor = (rule: string, recipient: string): boolean => {
  const plain = rule.replace(/^\+/, '')
  return plain.endsWith('*') ? recipient.startsWith(plain.slice(0, -1)) : recipient === plain
}
