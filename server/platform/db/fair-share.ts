// How a process divides its database connections among workspaces: none can take them all, and the one with the
// fewest is served next. A workspace whose requests wait for a lock, or which sends unusually many, only slows down
// itself.

/** Connections reserved for work outside any workspace: tokens, live events, sweeps. */
const KEPT_FOR_ALL = 2
/** Connections that one workspace must leave for the others. */
const LEFT_TO_OTHERS = 2
/** As long as the pool itself waits for a connection. */
const WAIT_MAX_MS = 5_000

/** A queue of this length, or whose first request has waited this long, rejects new requests. */
const OVERLOADED_FROM = 200
const OVERLOADED_AFTER_MS = 1_000
/**
 * The weight of the latest start in the estimate of how fast the queue moves, and how many starts the estimate needs.
 */
const LATEST_COUNTS = 0.2
const STARTS_MIN = 10

type Waiting = { start: () => void; giveUp: () => void; timer: NodeJS.Timeout; sinceMs: number }

type Line = {
  entries: Waiting[]
  /** When the queue formed, or the latest start from it. */
  movedMs: number
  /** The time between one start and the next. */
  everyMs: number
  starts: number
}

const moved = (line: Line): void => {
  const nowMs = performance.now()
  line.starts += 1
  line.everyMs += (nowMs - line.movedMs - line.everyMs) * Math.max(LATEST_COUNTS, 1 / line.starts)
  line.movedMs = nowMs
}

/** How many of a queue will start before their wait is over. Unlimited until enough have started to tell. */
const servedInTime = ({ everyMs, starts }: Line): number =>
  starts < STARTS_MIN ? Number.POSITIVE_INFINITY : Math.ceil(WAIT_MAX_MS / everyMs)

/** Requests that can't be served in time are rejected now rather than later. */
const giveUpLast = (line: Line): void => {
  for (const { timer, giveUp } of line.entries.splice(servedInTime(line))) {
    clearTimeout(timer)
    giveUp()
  }
}

type FairShare = {
  /** Resolves when the workspace may take a connection; `giveBack` must follow. Throws after five seconds. */
  take: (workspaceId: string) => Promise<void> | undefined
  giveBack: (workspaceId: string) => void
  countWaiting: () => number
  /** Whether a new request would wait so long that it should be rejected now. */
  isOverloaded: (workspaceId: string) => boolean
}

export const makeFairShare = (connections: number): FairShare => {
  const places = Math.max(1, connections - KEPT_FOR_ALL)
  const share = Math.max(1, places - LEFT_TO_OTHERS)
  let used = 0
  const usedBy = new Map<string, number>()
  const waiting = new Map<string, Line>()

  const hasPlace = (workspaceId: string): boolean => used < places && (usedBy.get(workspaceId) ?? 0) < share

  const begin = (workspaceId: string): void => {
    used += 1
    usedBy.set(workspaceId, (usedBy.get(workspaceId) ?? 0) + 1)
  }

  /** The waiting workspace with the fewest connections; on a tie, the one that has waited longest. */
  const findNext = (): string | undefined => {
    let next: string | undefined
    for (const workspaceId of waiting.keys()) {
      if (!hasPlace(workspaceId)) continue
      if (next === undefined || (usedBy.get(workspaceId) ?? 0) < (usedBy.get(next) ?? 0)) next = workspaceId
    }
    return next
  }

  const startNext = (): void => {
    const workspaceId = used < places ? findNext() : undefined
    if (workspaceId === undefined) return
    const line = waiting.get(workspaceId)
    const first = line?.entries.shift()
    waiting.delete(workspaceId)
    if (!line || !first) return
    moved(line)
    giveUpLast(line)
    // To the back of the queue.
    if (line.entries.length > 0) waiting.set(workspaceId, line)
    clearTimeout(first.timer)
    begin(workspaceId)
    first.start()
  }

  return {
    take: (workspaceId) => {
      if (hasPlace(workspaceId)) {
        begin(workspaceId)
        return undefined
      }
      return new Promise<void>((start, fail) => {
        const sinceMs = performance.now()
        const line = waiting.get(workspaceId) ?? { entries: [], movedMs: sinceMs, everyMs: 0, starts: 0 }
        const { entries } = line
        const giveUp = (): void =>
          fail(new Error('timeout exceeded when trying to connect: the workspace is using its whole share'))
        const entry: Waiting = {
          start,
          giveUp,
          sinceMs,
          timer: setTimeout(() => {
            entries.splice(entries.indexOf(entry), 1)
            if (entries.length === 0 && waiting.get(workspaceId) === line) waiting.delete(workspaceId)
            giveUp()
          }, WAIT_MAX_MS),
        }
        entries.push(entry)
        waiting.set(workspaceId, line)
      })
    },
    giveBack: (workspaceId) => {
      used -= 1
      const left = (usedBy.get(workspaceId) ?? 1) - 1
      if (left > 0) usedBy.set(workspaceId, left)
      else usedBy.delete(workspaceId)
      startNext()
    },
    isOverloaded: (workspaceId) => {
      const line = waiting.get(workspaceId)
      const first = line?.entries[0]
      if (!line || !first) return false
      const { length } = line.entries
      return (
        length >= OVERLOADED_FROM ||
        performance.now() - first.sinceMs >= OVERLOADED_AFTER_MS ||
        length >= servedInTime(line)
      )
    },
    countWaiting: () => [...waiting.values()].reduce((count, { entries }) => count + entries.length, 0),
  }
}
