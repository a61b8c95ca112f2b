// What differs between two texts, line by line. Pure.

export type Line = { is: 'same' | 'removed' | 'added'; text: string }

/** Comparing more would take too long: then everything counts as replaced. */
const PAIRS_MAX = 4_000_000

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

/** The lines of both texts in order; empty lines are left out. */
export const compareTexts = (before: string, after: string): Line[] => {
  const [old, now] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++
  const [rest, fresh] = [old.slice(start), now.slice(start)]
  const same = old.slice(0, start).map((text): Line => ({ is: 'same', text }))
  const removed = (text: string): Line => ({ is: 'removed', text })
  const added = (text: string): Line => ({ is: 'added', text })
  if (rest.length * fresh.length > PAIRS_MAX) return [...same, ...rest.map(removed), ...fresh.map(added)]
  // How many lines the ends of both have in common, from each pair of places.
  const width = fresh.length + 1
  const common = new Uint32Array((rest.length + 1) * width)
  for (let i = rest.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      common[i * width + j] =
        rest[i] === fresh[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
  const lines: Line[] = [...same]
  let [i, j] = [0, 0]
  while (i < rest.length || j < fresh.length) {
    if (i < rest.length && rest[i] === fresh[j]) {
      lines.push({ is: 'same', text: rest[i++]! })
      j++
    } else if (
      j >= fresh.length ||
      (i < rest.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    )
      lines.push(removed(rest[i++]!))
    else lines.push(added(fresh[j++]!))
  }
  return lines
}
