/** Keeps the entries used last, up to a total weight. An entry heavier than that isn't kept at all. */
export type BoundedCache<T> = {
  get(key: string): T | undefined
  set(key: string, value: T, weight: number): void
}

export const makeBoundedCache = <T>(weightMax: number): BoundedCache<T> => {
  const kept = new Map<string, { value: T; weight: number }>()
  let total = 0
  const remove = (key: string): void => {
    total -= kept.get(key)?.weight ?? 0
    kept.delete(key)
  }
  return {
    get: (key) => {
      const found = kept.get(key)
      if (!found) return undefined
      // Maps list their keys in the order of insertion: the first is the one that wasn't used for longest.
      kept.delete(key)
      kept.set(key, found)
      return found.value
    },
    set: (key, value, weight) => {
      remove(key)
      if (weight > weightMax) return
      kept.set(key, { value, weight })
      total += weight
      for (const oldest of kept.keys()) {
        if (total <= weightMax) break
        remove(oldest)
      }
    },
  }
}
