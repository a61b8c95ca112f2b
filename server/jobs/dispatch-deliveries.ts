// Assigns the slots for provider calls in turns by channel account: one account's backlog, or a hanging provider,
// uses only its own share. The deliveries table is the queue. A commit announces what is due, and a check of the
// table every second finds what was announced while nobody listened.

import {
  DELIVERIES_CHANNEL,
  type DueConversation,
  listDue,
  readAnnouncement,
} from '../domain/deliveries/due-deliveries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { listen } from '../platform/db/listen.ts'
import { type Circuit, circuitOf } from './account-circuit.ts'
import { deliverNext, isAnswering } from './deliver-messages.ts'
import type { JobDeps } from './deps.ts'

/** Concurrent calls in a process, across all accounts. */
const PLACES_MAX = 400
/** In addition, for the first call of an account that has none: other accounts can't take these. */
const FIRST_PLACES_MAX = 100
/** Concurrent calls of one account: at first, and at most once its provider has responded as often. */
const ACCOUNT_PLACES = { start: 4, max: 20 }
/** Conversations remembered per account; the rest are read from the table when these are done. */
const LINE_MAX = 1_000
const DUE_PER_ACCOUNT_MAX = 200
const DUE_ACCOUNTS_MAX = 1_000
/** A wait this short gets a timer; a longer one ends with a check of the table. */
const TIMED_MAX_MS = 5_000
const TIMERS_MAX = 10_000
/** After an error of our own, such as a database outage. */
const AGAIN_MS = 1_000

type Line = DueConversation & {
  circuit: Circuit
  waiting: Set<string>
  /** Conversations being worked on, and whether they were announced again meanwhile. */
  working: Map<string, boolean>
  /** More are due than are remembered. */
  isCut: boolean
  /** Checked again when the next probe is due. */
  isTimed: boolean
}

export type Dispatcher = {
  /** Starts no more calls, and waits for those running. */
  stop: () => Promise<void>
}

type Options = { connectionString: string; pollMs: number }

export const startDispatcher = async (
  deps: JobDeps,
  { connectionString, pollMs }: Options,
): Promise<Dispatcher> => {
  const lines = new Map<string, Line>()
  /** The lines that may start a call, the next one first. */
  const ready = new Set<Line>()
  const underWay = new Set<Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()
  let isStopped = false

  const lineOf = (due: DueConversation): Line => {
    let line = lines.get(due.channelAccountId)
    if (!line) {
      const circuit = circuitOf(due.channelAccountId)
      line = { ...due, circuit, waiting: new Set(), working: new Map(), isCut: false, isTimed: false }
      lines.set(due.channelAccountId, line)
    }
    return line
  }

  const add = (due: DueConversation): void => {
    const line = lineOf(due)
    const { conversationId } = due
    if (line.working.has(conversationId)) line.working.set(conversationId, true)
    else if (line.waiting.has(conversationId)) return
    else if (line.waiting.size < LINE_MAX) line.waiting.add(conversationId)
    else line.isCut = true
    refresh(line)
  }

  /** Updates `ready` for the line. */
  const refresh = (line: Line): void => {
    const { circuit, waiting, working } = line
    if (waiting.size === 0) {
      ready.delete(line)
      if (working.size === 0) lines.delete(line.channelAccountId)
    } else if (circuit.isOpen()) {
      const inMs = circuit.probeInMs()
      if (inMs === 0) ready.add(line)
      else {
        ready.delete(line)
        if (!line.isTimed) line.isTimed = after(inMs, () => refreshAndTurn(line))
      }
    } else if (working.size < circuit.window(ACCOUNT_PLACES)) ready.add(line)
    else ready.delete(line)
  }

  const refreshAndTurn = (line: Line): void => {
    line.isTimed = false
    if (lines.get(line.channelAccountId) === line) refresh(line)
    turn()
  }

  const after = (ms: number, what: () => void): boolean => {
    if (isStopped || timers.size >= TIMERS_MAX) return false
    const timer = setTimeout(() => {
      timers.delete(timer)
      what()
    }, ms)
    timer.unref()
    timers.add(timer)
    return true
  }

  const hasPlace = ({ working }: Line): boolean =>
    underWay.size < (working.size === 0 ? PLACES_MAX + FIRST_PLACES_MAX : PLACES_MAX)

  /** Assigns slots, one to each line in turn, until none is free or needed. */
  const turn = (): void => {
    if (isStopped) return
    for (const line of ready) {
      if (!hasPlace(line)) continue
      ready.delete(line)
      const isProbe = line.circuit.isOpen()
      if (isProbe) line.circuit.takeProbe()
      const conversationId = line.waiting.values().next().value!
      line.waiting.delete(conversationId)
      line.working.set(conversationId, false)
      const working = work(line, conversationId, isProbe).finally(() => underWay.delete(working))
      underWay.add(working)
      // Moved to the end of the set, where this loop reaches it again.
      refresh(line)
    }
  }

  const work = async (line: Line, conversationId: string, isProbe: boolean): Promise<void> => {
    const { workspaceId, channelAccountId, circuit } = line
    const due = { workspaceId, channelAccountId, conversationId }
    const ctx = systemCtx(deps, workspaceId)
    let isMore = false
    try {
      if (isProbe && !(await isAnswering(deps, ctx, channelAccountId, circuit))) isMore = true
      else {
        const next = await deliverNext(deps, ctx, conversationId, circuit)
        if (next === 'more') isMore = true
        else if (next instanceof Date) {
          const inMs = Math.max(0, next.getTime() - ctx.now().getTime())
          if (inMs <= TIMED_MAX_MS) after(inMs, () => addAndTurn(due))
        }
      }
    } catch (error) {
      deps.log.warn({ err: error, ...due }, 'the messages of a conversation could not be delivered')
      after(AGAIN_MS, () => addAndTurn(due))
    }
    const isAnnounced = line.working.get(conversationId)
    line.working.delete(conversationId)
    if (isMore || isAnnounced) line.waiting.add(conversationId)
    const isDrained = line.isCut && line.waiting.size === 0
    refresh(line)
    if (isDrained) {
      line.isCut = false
      void look()
    }
    // The slot is free once this has ended.
    setImmediate(turn)
  }

  const addAndTurn = (due: DueConversation): void => {
    add(due)
    turn()
  }

  let looking: Promise<void> | undefined
  let cursor: Omit<DueConversation, 'conversationId'> | null = null
  /** Looks for everything that is due. */
  const look = (): Promise<void> => {
    looking ??= (async () => {
      try {
        const bounds = { accountsMax: DUE_ACCOUNTS_MAX, perAccountMax: DUE_PER_ACCOUNT_MAX }
        const { due, next } = await listDue(deps.db, deps.now(), cursor, bounds)
        cursor = next
        for (const one of due) add(one)
        for (const [id, rows] of Map.groupBy(due, (row) => row.channelAccountId)) {
          const line = lines.get(id)
          if (line && rows.length >= DUE_PER_ACCOUNT_MAX) line.isCut = true
        }
        turn()
      } catch (error) {
        deps.log.warn({ err: error }, 'due messages could not be looked up')
      } finally {
        looking = undefined
      }
    })()
    return looking
  }

  const listener = await listen({
    connectionString,
    channel: DELIVERIES_CHANNEL,
    name: 'deliveries',
    onNotified: (payload) => {
      const due = readAnnouncement(payload)
      if (due) addAndTurn(due)
    },
    onListening: () => void look(),
    log: deps.log,
  })
  const polling = setInterval(() => void look(), pollMs)
  await look()

  return {
    stop: async () => {
      isStopped = true
      clearInterval(polling)
      for (const timer of timers) clearTimeout(timer)
      await listener.close()
      await looking
      await Promise.all(underWay)
    },
  }
}
