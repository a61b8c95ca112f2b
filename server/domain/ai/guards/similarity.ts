// How much two texts have in common, by the three characters in a row that they share.

/** Of a folded text. */
export const partsOf = (folded: string): ReadonlySet<string> => {
  const parts = new Set<string>()
  for (let at = 0; at + 3 <= folded.length; at++) parts.add(folded.slice(at, at + 3))
  return parts
}

/** 0 to 1. */
export const similarity = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  if (one.size + other.size === 0) return 0
  let common = 0
  for (const part of one) if (other.has(part)) common++
  return (2 * common) / (one.size + other.size)
}
