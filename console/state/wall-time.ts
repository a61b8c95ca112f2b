// Times that people enter for a time zone, as a datetime-local field has them: "2026-03-29T02:30". Pure.

const DAY_MS = 24 * 3_600_000

const wallOf = (moment: Date, timeZone: string): string => {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit' },
  }).formatToParts(moment)
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

/** The first moment at which clocks in the time zone show it. Null if they never do: clocks go forward past it. */
export const momentAt = (wall: string, timeZone: string): Date | null => {
  const asUtcMs = Date.parse(`${wall}Z`)
  if (Number.isNaN(asUtcMs)) return null
  // Offsets change at most once in these two days.
  const offsetsMs = [-DAY_MS, DAY_MS].map((ms) => {
    const near = new Date(asUtcMs + ms)
    return Date.parse(`${wallOf(near, timeZone)}Z`) - near.getTime()
  })
  const moments = offsetsMs
    .map((offsetMs) => new Date(asUtcMs - offsetMs))
    .filter((moment) => wallOf(moment, timeZone) === wall.slice(0, 16))
    .sort((a, b) => a.getTime() - b.getTime())
  return moments[0] ?? null
}

/** What clocks show in a time zone, to the minute. */
export const wallTimeOf = (iso: string, timeZone: string): string => wallOf(new Date(iso), timeZone)
