// Channel accounts take turns for the slots of a process's provider calls: one account's backlog, or a hanging
// provider, uses only its own share.

import type { DueConversation } from '../domain/deliveries/due-deliveries.ts'
import type { Circuit } from '../platform/circuit.ts'
import { circuitOf } from './account-circuit.ts'

/** Concurrent calls in a process, across all accounts. */
const PLACES_MAX = 400
/** In addition, for the first call of an account that has none: other accounts can't take these. */
const FIRST_PLACES_MAX = 100
/** Concurrent calls of one account: at first, and at most once its provider has responded as often. */
const ACCOUNT_PLACES = { start: 4, max: 20 }
/** Conversations remembered per account; the rest are read from the table when these are done. */
const LINE_MAX = 1_000
/** A wait this short gets a timer; a longer one ends with a check of the table. */
const TIMED_MAX_MS = 5_000
const TIMERS_MAX = 10_000

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

type Work = {
  /**
   * Delivers a conversation's first message, as a probe if its provider was silent. Returns whether another may follow,
   * or in how many milliseconds. Must not throw.
   */
  deliver: (due: DueConversation, circuit: Circuit, isProbe: boolean) => Promise<'more' | 'none' | number>
  /** Adds what is due in the table. Called when an account has more than were remembered. */
  refill: () => void
}

export type AccountTurns = {
  /** Adds conversations; `listMax` is how many were listed per account at most. */
  add: (due: readonly DueConversation[], listMax?: number) => void
  /** Starts no more calls, and waits for those running. */
  stop: () => Promise<void>
}

export const makeAccountTurns = ({ deliver, refill }: Work): AccountTurns => {
  const lines = new Map<string, Line>()
  /** The lines that may start a call, the next one first. */
  const ready = new Set<Line>()
  const underWay = new Set<Promise<void>>()
  const timers = makeTimers()
  let isStopped = false

  const add = (due: readonly DueConversation[], listMax = Number.POSITIVE_INFINITY): void => {
    for (const [id, listed] of Map.groupBy(due, ({ channelAccountId }) => channelAccountId)) {
      const line = lines.get(id) ?? makeLine(listed[0]!)
      lines.set(id, line)
      for (const { conversationId } of listed) remember(line, conversationId)
      if (listed.length >= listMax) line.isCut = true
      refresh(line)
    }
    turn()
  }

  /** Updates `ready` for the line. */
  const refresh = (line: Line): void => {
    const { channelAccountId, circuit, waiting, working } = line
    const hasMore = waiting.size > 0
    if (!hasMore && working.size === 0) lines.delete(channelAccountId)
    const probeInMs = circuit.isOpen() ? circuit.probeInMs() : 0
    if (hasMore && probeInMs > 0 && !line.isTimed)
      line.isTimed = timers.after(probeInMs, () => {
        line.isTimed = false
        if (lines.get(channelAccountId) === line) refresh(line)
        turn()
      })
    const hasPlace = circuit.isOpen() ? probeInMs === 0 : working.size < circuit.window(ACCOUNT_PLACES)
    if (hasMore && hasPlace) ready.add(line)
    else ready.delete(line)
  }

  /** Assigns slots, one to each line in turn, until none is free or needed. */
  const turn = (): void => {
    if (isStopped) return
    for (const line of ready) {
      const { circuit, waiting, working } = line
      if (underWay.size >= PLACES_MAX + (working.size === 0 ? FIRST_PLACES_MAX : 0)) continue
      ready.delete(line)
      const isProbe = circuit.isOpen()
      if (isProbe) circuit.takeProbe()
      const conversationId = waiting.values().next().value!
      waiting.delete(conversationId)
      working.set(conversationId, false)
      const work = workOn(line, conversationId, isProbe).finally(() => underWay.delete(work))
      underWay.add(work)
      // Moved to the end of the set, where this loop reaches it again.
      refresh(line)
    }
  }

  const workOn = async (line: Line, conversationId: string, isProbe: boolean): Promise<void> => {
    const { workspaceId, channelAccountId, circuit, waiting, working } = line
    const due = { workspaceId, channelAccountId, conversationId }
    const next = await deliver(due, circuit, isProbe)
    if (typeof next === 'number' && next <= TIMED_MAX_MS) timers.after(next, () => add([due]))
    const isAnnounced = working.get(conversationId)
    working.delete(conversationId)
    if (next === 'more' || isAnnounced) waiting.add(conversationId)
    const isDrained = line.isCut && waiting.size === 0
    refresh(line)
    if (isDrained) {
      line.isCut = false
      refill()
    }
    // The slot is free once this has ended.
    setImmediate(turn)
  }

  return {
    add,
    stop: async () => {
      isStopped = true
      timers.close()
      await Promise.all(underWay)
    },
  }
}

const makeLine = (due: DueConversation): Line => ({
  ...due,
  circuit: circuitOf(due.channelAccountId),
  waiting: new Set(),
  working: new Map(),
  isCut: false,
  isTimed: false,
})

const remember = (line: Line, conversationId: string): void => {
  const { waiting, working } = line
  if (working.has(conversationId)) working.set(conversationId, true)
  else if (waiting.size < LINE_MAX) waiting.add(conversationId)
  else if (!waiting.has(conversationId)) line.isCut = true
}

/** A limited number of timers, which don't keep the process alive. */
const makeTimers = () => {
  const timers = new Set<NodeJS.Timeout>()
  let isClosed = false
  return {
    /** False if there are too many. */
    after: (ms: number, work: () => void): boolean => {
      if (isClosed || timers.size >= TIMERS_MAX) return false
      const timer = setTimeout(() => {
        timers.delete(timer)
        work()
      }, ms)
      timer.unref()
      timers.add(timer)
      return true
    },
    close: (): void => {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
