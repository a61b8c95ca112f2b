// Delivers what is due. The deliveries table is the queue: a commit announces what is due, and a check of the table
// every second finds what was announced while nobody listened. Channel accounts take turns (account-turns.ts).

import {
  DELIVERIES_CHANNEL,
  type DueConversation,
  listDue,
  readAnnouncement,
} from '../domain/deliveries/due-deliveries.ts'
import type { Circuit } from '../platform/circuit.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { listenAlong } from '../platform/db/listen-along.ts'
import { type AccountTurns, makeAccountTurns } from './account-turns.ts'
import { deliverNext, isAnswering } from './deliver-messages.ts'
import type { JobDeps } from './deps.ts'

const DUE_PER_ACCOUNT_MAX = 200
const DUE_ACCOUNTS_MAX = 1_000
/** After an error of our own, such as a database outage. */
const AGAIN_MS = 1_000

type Options = { connectionString: string; pollMs: number }

export const startDispatcher = async (
  deps: JobDeps,
  { connectionString, pollMs }: Options,
): Promise<Pick<AccountTurns, 'stop'>> => {
  const deliver = async (due: DueConversation, circuit: Circuit, isProbe: boolean) => {
    const ctx = systemCtx(deps, due.workspaceId)
    try {
      if (isProbe && !(await isAnswering(deps, ctx, due.channelAccountId, circuit))) return 'more'
      const next = await deliverNext(deps, ctx, due.conversationId, circuit)
      return next instanceof Date ? Math.max(0, next.getTime() - ctx.now().getTime()) : next
    } catch (error) {
      deps.log.warn({ err: error, ...due }, 'the messages of a conversation could not be delivered')
      return AGAIN_MS
    }
  }
  const turns = makeAccountTurns({ deliver, refill: () => void check() })

  let checking: Promise<void> | undefined
  let cursor: Omit<DueConversation, 'conversationId'> | null = null
  /** Adds everything that is due. */
  const check = (): Promise<void> => {
    checking ??= (async () => {
      try {
        const bounds = { accountsMax: DUE_ACCOUNTS_MAX, perAccountMax: DUE_PER_ACCOUNT_MAX }
        const { due, next } = await listDue(deps.db, deps.now(), cursor, bounds)
        cursor = next
        turns.add(due, DUE_PER_ACCOUNT_MAX)
      } catch (error) {
        deps.log.warn({ err: error }, 'due messages could not be looked up')
      } finally {
        checking = undefined
      }
    })()
    return checking
  }

  const listener = await listenAlong({
    connectionString,
    channel: DELIVERIES_CHANNEL,
    onNotified: (payload) => {
      const due = readAnnouncement(payload)
      if (due) turns.add([due])
    },
    onListening: () => void check(),
    log: deps.log,
  })
  const polling = setInterval(() => void check(), pollMs)
  await check()

  return {
    stop: async () => {
      clearInterval(polling)
      const ended = turns.stop()
      await listener.close()
      await checking
      await ended
    },
  }
}
