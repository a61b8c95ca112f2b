// Storing what reports count, so that a figure of 90 days reads a few thousand rows. Of a workspace, the days from the
// first to the last are stored: it grows by each day that is over, and backwards until the history begins.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { listBusinessHours } from '../business-hours/queries.ts'
import { addDays, dayOf, listDays, rangesOf } from './days.ts'
import {
  deleteLateHours,
  findBeginning,
  findReportState,
  type LateHour,
  listLateHours,
  type ReportState,
  rollUpDays,
  saveReportState,
} from './roll-up-queries.ts'

/**
 * A day is stored this long after its end. Transactions of it have ended by then, and what changes later leaves a note
 * (note_late_message() in the database, for what is older than an hour).
 */
export const SETTLE_MS = 2 * 3_600_000
/** Days that one transaction stores. */
const BATCH_DAYS = 7
const LATE_HOURS_MAX = 10_000
const HOUR_MS = 3_600_000

/** The default business hours' time zone, until an admin chooses another. */
export const defaultTimeZone = async (ctx: Pick<Ctx, 'db' | 'workspaceId'>): Promise<string> =>
  (await listBusinessHours(ctx)).find(({ isDefault }) => isDefault)?.timeZone ?? 'UTC'

/** The last day that may be stored. */
export const lastSettledDay = (now: Date, timeZone: string): string =>
  addDays(dayOf(new Date(now.getTime() - SETTLE_MS), timeZone), -1)

/**
 * Stores some of a workspace's days: first those that changed, then those that are missing. True if there are more. One
 * process at a time may; whoever takes over after a crash finds the same days.
 */
export const rollUpWorkspace = async (
  ctx: Ctx,
  { batchDays = BATCH_DAYS }: { batchDays?: number } = {},
): Promise<boolean> => {
  const state = (await findReportState(ctx)) ?? {
    timeZone: await defaultTimeZone(ctx),
    firstDay: null,
    lastDay: null,
    beginsOn: null,
  }
  const { timeZone } = state
  const last = lastSettledDay(ctx.now(), timeZone)
  // While nothing is stored, nothing is to be counted again.
  const late = await findLate(ctx, timeZone, state.firstDay === null ? Number.POSITIVE_INFINITY : batchDays)
  const known = await withBeginning(ctx, state, late.days)
  const changed = late.days.filter((day) => isStored(known, day))
  const { days, next } = changed.length > 0 ? { days: changed, next: known } : grow(known, last, batchDays)
  if (days.length > 0) await rollUpDays(ctx, { timeZone, ranges: rangesOf(days, timeZone) })
  await saveReportState(ctx, next)
  if (late.hours.length > 0) await deleteLateHours(ctx, late.hours)
  return late.hours.length > 0 || !isComplete(next, last)
}

/** Days that changed after they were over. Where clocks differ by half an hour, an hour is of two days. */
const findLate = async (
  ctx: Ctx,
  timeZone: string,
  batchDays: number,
): Promise<{ days: string[]; hours: LateHour[] }> => {
  const days = new Set<string>()
  const hours: LateHour[] = []
  for (const hour of await listLateHours(ctx, LATE_HOURS_MAX)) {
    const { at, next } = hour
    const own = [at, new Date(at.getTime() + HOUR_MS - 1), ...next].map((moment) => dayOf(moment, timeZone))
    if (days.size >= batchDays && own.some((day) => !days.has(day))) break
    for (const day of own) days.add(day)
    hours.push(hour)
  }
  return { days: [...days], hours }
}

/** What was imported may be older than all that was here. */
const withBeginning = async (ctx: Ctx, state: ReportState, late: readonly string[]): Promise<ReportState> => {
  const found = state.beginsOn === null ? await findBeginning(ctx) : null
  const days = [state.beginsOn ?? (found && dayOf(found, state.timeZone)), ...late].filter(
    (day) => day !== null,
  )
  return { ...state, beginsOn: days.sort()[0] ?? null }
}

export const isStored = ({ firstDay, lastDay }: ReportState, day: string): boolean =>
  firstDay !== null && lastDay !== null && day >= firstDay && day <= lastDay

const isComplete = ({ firstDay, lastDay, beginsOn }: ReportState, last: string): boolean =>
  beginsOn === null ||
  beginsOn > last ||
  (firstDay !== null && lastDay !== null && firstDay <= beginsOn && lastDay >= last)

/** The next days to store: the newest that are over, and then back to the beginning. */
const grow = (
  state: ReportState,
  last: string,
  batchDays: number,
): { days: readonly string[]; next: ReportState } => {
  const { firstDay, lastDay, beginsOn } = state
  if (isComplete(state, last) || beginsOn === null) return { days: [], next: state }
  if (firstDay === null || lastDay === null) {
    const days = listDays(later(beginsOn, addDays(last, 1 - batchDays)), last)
    return { days, next: { ...state, firstDay: days[0]!, lastDay: last } }
  }
  if (lastDay < last) {
    const days = listDays(addDays(lastDay, 1), last).slice(0, batchDays)
    return { days, next: { ...state, lastDay: days.at(-1)! } }
  }
  const days = listDays(later(beginsOn, addDays(firstDay, -batchDays)), addDays(firstDay, -1))
  return { days, next: { ...state, firstDay: days[0]! } }
}

const later = (a: string, b: string): string => (a > b ? a : b)
