// Failures on demand: each rule says what goes wrong, for whom, and how many more times.
import Type, { type Static } from 'typebox'
import { newNodeId } from './ids.ts'

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
  /** The recipient of a send: digits, a business-scoped id, or a beginning of either followed by `*`. */
  to: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  phoneNumberId: Type.Optional(Type.String({ maxLength: 50 })),
  operation: Type.Optional(Type.Enum([...OPERATIONS])),
  /** How many requests it meets; null: all, until it is taken away. */
  times: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
}
const fault = <K extends string, P extends Record<string, Type.TSchema>>(kind: K, properties: P) =>
  Type.Object({ kind: Type.Literal(kind), ...Common, ...properties }, { additionalProperties: false })

const Code = Type.Integer({ minimum: 0, maximum: 9_999_999 })
const Details = Type.Optional(Type.String({ maxLength: 1000 }))
const DelayMs = Type.Integer({ minimum: 0, maximum: 600_000 })
/** Whether the message counts as accepted all the same: its status webhooks come. */
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
export type Fault = FaultInput & { id: string; left: number | null }
export type FaultOf<K extends Kind> = Extract<Fault, { kind: K }>
type Operation = (typeof OPERATIONS)[number]

const FAULTS_MAX = 1000

/** Kinds that say by themselves which calls they meet. */
const OPERATION_OF: Partial<Record<Kind, Operation>> = { 'not-found': 'media_download' }

export type Faults = {
  add: (input: FaultInput) => Fault
  list: () => Fault[]
  remove: (id: string) => boolean
  clear: () => void
  /** Uses up one turn of the first rule of these kinds that fits. */
  take: <K extends Kind>(kinds: readonly K[], call: Call) => FaultOf<K> | undefined
}
type Call = { operation: Operation; phoneNumberId?: string; recipients?: readonly string[] }

export const makeFaults = (onChange: (faults: Fault[]) => void): Faults => {
  let faults: Fault[] = []

  const fits = (fault: Fault, { operation, phoneNumberId, recipients = [] }: Call): boolean =>
    (fault.operation ?? OPERATION_OF[fault.kind] ?? 'send') === operation &&
    (!fault.phoneNumberId || fault.phoneNumberId === phoneNumberId) &&
    (!fault.to || recipients.some((recipient) => isFor(fault.to!, recipient)))

  return {
    add: (input) => {
      const added: Fault = { ...input, id: newNodeId(), left: input.times === undefined ? 1 : input.times }
      faults = [...faults, added].slice(-FAULTS_MAX)
      onChange(faults)
      return added
    },
    list: () => faults,
    remove: (id) => {
      const before = faults.length
      faults = faults.filter((fault) => fault.id !== id)
      if (faults.length < before) onChange(faults)
      return faults.length < before
    },
    clear: () => {
      faults = []
      onChange(faults)
    },
    take: <K extends Kind>(kinds: readonly K[], call: Call) => {
      if (faults.length === 0) return undefined
      const found = faults.find(
        (fault): fault is FaultOf<K> => kinds.some((kind) => kind === fault.kind) && fits(fault, call),
      )
      if (found && found.left !== null) {
        found.left--
        if (found.left <= 0) faults = faults.filter((fault) => fault !== found)
        onChange(faults)
      }
      return found
    },
  }
}

const isFor = (rule: string, recipient: string): boolean => {
  const plain = rule.replace(/^\+/, '')
  return plain.endsWith('*') ? recipient.startsWith(plain.slice(0, -1)) : recipient === plain
}
