// Random choices that a seed repeats.
export type Random = ReturnType<typeof makeRandom>

/** Mulberry32. */
export const makeRandom = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    between,
    chance: (share: number): boolean => next() < share,
    pick: <T>(from: readonly T[]): T => from[between(0, from.length - 1)]!,
    /** Each with a weight. */
    weighted: <T>(from: readonly (readonly [weight: number, value: T])[]): T => {
      let left = next() * from.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of from) {
        left -= weight
        if (left < 0) return value
      }
      return from.at(-1)![1]
    },
  }
}
