// A receiver of webhooks: keeps the latest, and says of each whether its signature is valid, whether it was already
// there, and whether it came in order.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { type App, ControlError, objectOf, Unanswered } from '../http.ts'
import { closed, nullable } from '../shapes.ts'
import { makeReceiverFaults, type ReceiverFault, type ReceiverFaultInput } from './faults.ts'
import { SECRET_PATTERN, type Verdict, verdictOf } from './verdict.ts'

const PATH = '/receiver'
const KEPT_MAX = 200
const BODY_MAX_BYTES = 1024 * 1024
const BODY_SHOWN_MAX = 64 * 1024
const SLOW_MS = 5_000

export const ReceiverPatch = closed({ secret: nullable(Type.String({ pattern: SECRET_PATTERN })) })
export type ReceiverPatch = Static<typeof ReceiverPatch>

type Kept = {
  number: number
  atMs: number
  headers: Record<string, string>
  body: Buffer
  event: {
    type: string | null
    sequence: number | null
    previous: number | null
    conversationId: string | null
  }
  /** The status of the response; null: none. */
  status: number | null
}

export type ReceivedWebhook = Omit<Kept, 'body'> & {
  body: string
  verdict: Verdict
  /** The same event was accepted before. */
  isRepeat: boolean
  /** A later event of this conversation was accepted before. */
  isLate: boolean
  /** The number that should have come before it, and hasn't. */
  missing: number | null
}

export type ShownReceiver = {
  url: string
  hasSecret: boolean
  faults: ReceiverFault[]
  /** Newest first. */
  received: ReceivedWebhook[]
}

export type ReceiverControl = ReturnType<typeof makeReceiver>['control']

type Surroundings = { url: () => string; onChanged: () => void }

export const makeReceiver = ({ url, onChanged }: Surroundings) => {
  let secret: string | null = null
  let kept: Kept[] = []
  let count = 0
  const faults = makeReceiverFaults(onChanged)

  const receive = async ({ headers, body }: FastifyRequest, reply: FastifyReply) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
    const fault = faults.takeNext()
    const one: Kept = {
      number: ++count,
      atMs: Date.now(),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body: bytes,
      event: eventIn(bytes),
      status: statusOf(fault),
    }
    kept = [...kept, one].slice(-KEPT_MAX)
    onChanged()
    if (fault?.kind === 'cut') throw new Unanswered('drop')
    if (fault?.kind === 'hang') throw new Unanswered('hang')
    if (fault?.kind === 'slow') await sleep(fault.delayMs ?? SLOW_MS, undefined, { ref: false })
    return reply.code(one.status!).send()
  }

  return {
    register: (app: App): void => {
      app.post(PATH, { bodyLimit: BODY_MAX_BYTES }, receive)
    },
    control: {
      receiver: (): ShownReceiver => ({
        url: url() + PATH,
        hasSecret: secret !== null,
        faults: faults.list(),
        received: kept.map((one, at) => show(one, kept.slice(0, at), secret)).reverse(),
      }),
      setReceiver: (patch: ReceiverPatch): void => {
        secret = patch.secret
        onChanged()
      },
      clearReceiver: (): void => {
        kept = []
        onChanged()
      },
      addReceiverFault: (input: ReceiverFaultInput): ReceiverFault => faults.add(input),
      removeReceiverFault: (id: string): void => {
        if (!faults.remove(id)) throw new ControlError('Fault not found.', 404)
      },
    },
  }
}

const statusOf = (fault: ReceiverFault | undefined): number | null => {
  switch (fault?.kind) {
    case 'server-error':
      return 500
    case 'gone':
      return 410
    case 'hang':
    case 'cut':
      return null
    default:
      return 200
  }
}

const eventIn = (body: Buffer): Kept['event'] => {
  let event: Record<string, unknown> = {}
  try {
    event = objectOf(JSON.parse(body.toString()))
  } catch {
    // Shown as it is.
  }
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const number = (value: unknown) => (typeof value === 'number' ? value : null)
  return {
    type: text(event.type),
    sequence: number(event.sequence),
    previous: number(event.previous),
    conversationId: text(event.conversationId),
  }
}

/** With what came before it. Each endpoint has an order of its own; a replay has come before. */
const show = (one: Kept, before: readonly Kept[], secret: string | null): ReceivedWebhook => {
  const { headers, event, body } = one
  const { sequence, previous, conversationId } = event
  const same = before.filter((other) => other.headers['foyer-endpoint'] === headers['foyer-endpoint'])
  const accepted = same.filter(({ status }) => status === 200)
  const isRepeat = accepted.some((other) => other.headers['webhook-id'] === headers['webhook-id'])
  const isReplay = headers['foyer-kind'] === 'replay'
  return {
    ...one,
    body: body.subarray(0, BODY_SHOWN_MAX).toString(),
    verdict: verdictOf(secret, one),
    isRepeat,
    isLate:
      !isRepeat &&
      !isReplay &&
      sequence !== null &&
      conversationId !== null &&
      accepted.some(
        ({ event }) => event.conversationId === conversationId && (event.sequence ?? 0) > sequence,
      ),
    missing:
      !isReplay &&
      previous !== null &&
      same.length > 0 &&
      !same.some(({ event }) => event.sequence === previous)
        ? previous
        : null,
  }
}
