// The sandbox's own clock: it runs with the machine's and can jump forward. Work is scheduled on this clock, so a jump
// of a day also triggers every status, expiry and retry of that day.

type Planned = { dueMs: number; order: number; work: () => void }

export type Clock = ReturnType<typeof makeClock>

/** The longest delay that Node's timers accept. */
const TIMER_MAX_MS = 2 ** 31 - 1

export const makeClock = ({ showsReal }: { showsReal: () => boolean }) => {
  let offsetMs = 0
  let orders = 0
  let armedForMs = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const heap: Planned[] = []

  const now = (): number => Date.now() + offsetMs
  const isBefore = (a: Planned, b: Planned): boolean =>
    a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order)

  const push = (planned: Planned): void => {
    let at = heap.push(planned) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(planned, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = planned
  }

  const pop = (): Planned => {
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }

  const arm = (): void => {
    const next = heap[0]
    if (!next || isStopped || next.dueMs >= armedForMs) return
    clearTimeout(timer)
    armedForMs = next.dueMs
    timer = setTimeout(runDue, Math.min(TIMER_MAX_MS, Math.max(0, next.dueMs - now())))
    timer.unref()
  }

  const runDue = (): void => {
    armedForMs = Number.POSITIVE_INFINITY
    const untilMs = now()
    // Work scheduled while this runs waits for the next turn, so the loop terminates.
    const orderMax = orders
    while (heap[0] && heap[0].dueMs <= untilMs && heap[0].order <= orderMax && !isStopped) pop().work()
    arm()
  }

  return {
    now,
    /** How far the clock has jumped ahead of the machine's. */
    aheadMs: (): number => offsetMs,
    /**
     * A time as shown to people. When real time is shown, a jump doesn't put messages in the future: everything that
     * existed before it looks older by that much.
     */
    shown: (atMs: number): number => (showsReal() ? atMs - offsetMs : atMs),
    after: (delayMs: number, work: () => void): void => {
      push({ dueMs: now() + delayMs, order: ++orders, work })
      arm()
    },
    advance: (ms: number): void => {
      offsetMs += ms
      clearTimeout(timer)
      runDue()
    },
    stop: (): void => {
      isStopped = true
      clearTimeout(timer)
      heap.length = 0
    },
  }
}
