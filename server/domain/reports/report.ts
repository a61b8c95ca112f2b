// Reports: what came in, how soon it was answered and closed, and by whom.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { CHANNELS } from '../../platform/db/tables.ts'
import { readTeamSettings } from '../team-settings/queries.ts'
import { BUCKET_STEP } from './counted-queries.ts'
import { addDays, listDays, rangeOf } from './days.ts'
import { listPending, type Period, readPeriod, sourceOfDays } from './period.ts'
import {
  countOpen,
  type HourSum,
  listPeople,
  listReportBroadcasts,
  listReportTeams,
  type Named,
  sumChanges,
  sumHours,
  sumTimes,
  type TimeSum,
} from './queries.ts'
import type {
  Goal,
  Report,
  ReportDay,
  ReportHour,
  ReportPerson,
  ReportQuery,
  ReportTeam,
  Took,
  Totals,
  Volume,
} from './schema.ts'

const STARS = [1, 2, 3, 4, 5]

/**
 * The same number of statements however long the period is. Throws VALIDATION_ERROR for a period that ends before it
 * begins or is longer than 366 days.
 */
export const getReport = async (ctx: Ctx, query: ReportQuery): Promise<Report> => {
  const period = await readPeriod(ctx, query)
  const { timeZone, today, from, to, before, channel } = period
  const source = sourceOfDays(period, before.from, to)
  const hours = await sumHours(ctx, { source, from, to })
  const times = await sumTimes(ctx, { source, from })
  const open = await countOpen(ctx, channel)
  const openNow = open.reduce((sum, { count }) => sum + count, 0)
  const later = sourceOfDays(period, addDays(to, 1), today)
  const since = to < today ? await sumChanges(ctx, { source: later, after: to }) : 0
  const ofPeriod = hours.filter(({ isBefore }) => !isBefore)
  const hasBroadcasts = channel === undefined || channel === 'whatsapp'
  return {
    timeZone,
    today,
    from,
    to,
    before: { ...before, totals: totalsOf(hours, times, true) },
    pendingDays: listPending(period, before.from, to).length,
    totals: totalsOf(hours, times, false),
    open: openNow,
    overdue: open.reduce((sum, { overdue }) => sum + overdue, 0),
    targets: await readTargets(ctx),
    days: daysOf(period, { hours: ofPeriod, times, openAtEnd: openNow - since }),
    hours: weekOf(ofPeriod),
    channels: channelsOf(ofPeriod, open),
    people: peopleOf(await listPeople(ctx), times),
    teams: teamsOf(await listReportTeams(ctx), times),
    stars: starsOf(times),
    broadcasts: hasBroadcasts ? await listReportBroadcasts(ctx, rangeOf(from, to, timeZone)) : [],
  }
}

/** Null where neither the workspace nor a team has any. */
const readTargets = async (ctx: Ctx): Promise<Report['targets']> => {
  const { targets, teams, hours } = await readTeamSettings(ctx)
  const all = targets ? [targets, ...teams] : teams
  if (all.every((one) => (one.firstAnswerMinutes ?? one.nextAnswerMinutes) === null)) return null
  return {
    firstMinutes: targets?.firstAnswerMinutes ?? null,
    nextMinutes: targets?.nextAnswerMinutes ?? null,
    hours: hours.find(({ id }) => id === targets?.hoursId)?.name ?? null,
  }
}

type OpenCount = Awaited<ReturnType<typeof countOpen>>[number]

/** Those with something to show. */
const channelsOf = (hours: readonly HourSum[], open: readonly OpenCount[]): Report['channels'] =>
  CHANNELS.map((name) => ({
    channel: name,
    open: open.find(({ channel }) => channel === name)?.count ?? 0,
    ...volumeOf(hours.filter(({ channel }) => channel === name)),
  })).filter((row) => Object.values(row).some((value) => typeof value === 'number' && value > 0))

const NO_VOLUME: Volume = {
  conversations: 0,
  inbound: 0,
  person: 0,
  program: 0,
  flow: 0,
  ai: 0,
  broadcast: 0,
  closed: 0,
  reopened: 0,
}

const isVolume = (kind: string): kind is keyof Volume => Object.hasOwn(NO_VOLUME, kind)

const volumeOf = (sums: readonly HourSum[]): Volume => {
  const volume = { ...NO_VOLUME }
  for (const { kind, count } of sums) {
    const name = kind === 'conversation' ? 'conversations' : kind
    if (isVolume(name)) volume[name] += count
  }
  return volume
}

const isWhole = ({ day, person, team }: TimeSum): boolean => day === null && person === null && team === null

const isOfPeriod = ({ day, channel, weekday }: HourSum): boolean =>
  day === null && channel === null && weekday === null

const totalsOf = (hours: readonly HourSum[], times: readonly TimeSum[], isBefore: boolean): Totals => {
  const own = times.filter((sum) => sum.isBefore === isBefore && isWhole(sum))
  return {
    ...volumeOf(hours.filter((sum) => sum.isBefore === isBefore && isOfPeriod(sum))),
    ...timesIn(own),
    automatic: tookIn(own, 'automatic'),
  }
}

const timesIn = (sums: readonly TimeSum[]) => {
  const rating = sums.find(({ kind }) => kind === 'rating')
  return {
    first: tookIn(sums, 'first'),
    next: tookIn(sums, 'next'),
    resolution: tookIn(sums, 'resolution'),
    firstGoal: goalIn(sums, 'first'),
    nextGoal: goalIn(sums, 'next'),
    rating: { count: rating?.count ?? 0, average: rating ? rating.points / rating.count : null },
  }
}

/** The middle of a bucket, which is at most a twentieth off. */
const msOf = (bucket: number): number => Math.round(BUCKET_STEP ** (bucket + 0.5) * 1000)

const tookIn = (sums: readonly TimeSum[], kind: string): Took => {
  const sum = sums.find((one) => one.kind === kind)
  return sum
    ? { count: sum.count, medianMs: msOf(sum.median), p90Ms: msOf(sum.p90) }
    : { count: 0, medianMs: null, p90Ms: null }
}

const goalIn = (sums: readonly TimeSum[], kind: 'first' | 'next'): Goal => {
  const countOf = (outcome: string) => sums.find((one) => one.kind === `${kind}_${outcome}`)?.count ?? 0
  const { medianMs, p90Ms } = tookIn(sums, `${kind}_open`)
  return { met: countOf('met'), missed: countOf('missed'), medianMs, p90Ms }
}

const groupBy = <T>(rows: readonly T[], keyOf: (row: T) => string | null): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const key = keyOf(row)
    if (key === null) continue
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}

/**
 * How many were open at the end of each day follows from how many are open now and what has changed since. Null before
 * a day that isn't counted yet, and in the future.
 */
const daysOf = (
  period: Period,
  { hours, times, openAtEnd }: { hours: readonly HourSum[]; times: readonly TimeSum[]; openAtEnd: number },
): ReportDay[] => {
  const { from, to, today } = period
  const byDay = groupBy(hours, ({ day }) => day)
  const timesByDay = groupBy(times, ({ day, isBefore }) => (isBefore ? null : day))
  const lastPending = listPending(period, from, today).at(-1) ?? ''
  const days: ReportDay[] = []
  let open = openAtEnd
  for (const day of listDays(from, to).reverse()) {
    const own = byDay.get(day) ?? []
    const isKnown = day <= today && day >= lastPending
    days.push({
      day,
      ...volumeOf(own),
      ...timesIn(timesByDay.get(day) ?? []),
      backlog: isKnown ? open : null,
    })
    open -= netOf(own)
  }
  return days.reverse()
}

const NET: Record<string, number> = { conversation: 1, reopened: 1, closed: -1, settled: -1 }

const netOf = (sums: readonly HourSum[]): number =>
  sums.reduce((net, { kind, count }) => net + (NET[kind] ?? 0) * count, 0)

const weekOf = (sums: readonly HourSum[]): ReportHour[] => {
  const byHour = groupBy(sums, ({ weekday, hour }) => (weekday === null ? null : `${weekday} ${hour}`))
  return [...byHour.values()]
    .map((own) => {
      const { conversations, inbound } = volumeOf(own)
      return { weekday: own[0]!.weekday!, hour: own[0]!.hour!, conversations, inbound }
    })
    .filter(({ conversations, inbound }) => conversations + inbound > 0)
    .sort((a, b) => a.weekday - b.weekday || a.hour - b.hour)
}

/** Those with something to show. */
const peopleOf = (people: readonly Named[], times: readonly TimeSum[]): ReportPerson[] => {
  const byPerson = groupBy(times, ({ person, isBefore }) => (isBefore ? null : person))
  return people.flatMap(({ id, ...person }) => {
    const own = byPerson.get(id)
    if (!own) return []
    const messages = own.find(({ kind }) => kind === 'message')?.count ?? 0
    return [{ id, ...person, messages, ...timesIn(own) }]
  })
}

/** Those with something to show. */
const teamsOf = (teams: readonly Named[], times: readonly TimeSum[]): ReportTeam[] => {
  const byTeam = groupBy(times, ({ team, isBefore }) => (isBefore ? null : team))
  return teams.flatMap(({ id, ...team }) => {
    const own = byTeam.get(id)
    return own ? [{ id, ...team, ...timesIn(own) }] : []
  })
}

const starsOf = (times: readonly TimeSum[]): number[] => {
  const own = times.find((sum) => sum.kind === 'rating' && !sum.isBefore && isWhole(sum))
  return STARS.map((star) => own?.stars?.[star] ?? 0)
}
