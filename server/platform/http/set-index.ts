/** A map from keys to sets that drops a key with its last item. */
export const makeSetIndex = <T>() => {
  const sets = new Map<string, Set<T>>()
  return {
    of: (key: string): ReadonlySet<T> => sets.get(key) ?? new Set<T>(),
    add: (key: string, item: T): void => {
      sets.set(key, (sets.get(key) ?? new Set<T>()).add(item))
    },
    remove: (key: string, item: T): void => {
      const set = sets.get(key)
      set?.delete(item)
      if (set?.size === 0) sets.delete(key)
    },
    keys: (): string[] => [...sets.keys()],
  }
}
