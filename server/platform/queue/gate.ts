/** Limits how many things run at a time. */
type Gate = {
  /** How many could enter now. */
  free(): number
  /** Waits until at least `least` may enter, and admits as many of those wanted as possible. Returns how many. */
  enter(wanted: number, least?: number): Promise<number>
  leave(count: number): void
  /** Enters while `work` runs. */
  through<T>(work: () => Promise<T>): Promise<T>
}

export const makeGate = (places: number): Gate => {
  let inside = 0
  let waiting: (() => void)[] = []
  const gate: Gate = {
    free: () => places - inside,
    enter: async (wanted, least = 1) => {
      while (places - inside < least) await new Promise<void>((resolve) => waiting.push(resolve))
      const count = Math.min(wanted, places - inside)
      inside += count
      return count
    },
    leave: (count) => {
      inside -= count
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    through: async (work) => {
      await gate.enter(1)
      try {
        return await work()
      } finally {
        gate.leave(1)
      }
    },
  }
  return gate
}
