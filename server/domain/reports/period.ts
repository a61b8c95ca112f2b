// Which days a report is about, and where what it counts is found.
import { isTimeZone } from '../../../flow-engine/zone-time.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { invalid } from '../../platform/errors.ts'
import { addDays, countDays, dayOf, isDay, listDays, rangesOf } from './days.ts'
import type { Source } from './queries.ts'
import { defaultTimeZone, isStored } from './roll-up.ts'
import { findReportState, type ReportState } from './roll-up-queries.ts'
import { REPORT_DAYS_MAX } from './schema.ts'

/** Days that aren't stored yet and are counted when somebody looks: today, and yesterday for two hours. */
const LIVE_DAYS_MAX = 2
/** Earlier than any message, and the period before it still has ids. */
const FIRST_DAY = '1980-01-01'

export type Period = {
  timeZone: string
  today: string
  from: string
  to: string
  before: { from: string; to: string }
  channel?: ChannelName
  state: ReportState
  /** Nobody has looked yet how far the history goes back. */
  isNew: boolean
}

/** Throws VALIDATION_ERROR for what is no date, for a period that ends before it begins, before FIRST_DAY, and beyond 366 days. */
export const readPeriod = async (
  ctx: Ctx,
  { from, to, channel }: { from: string; to: string; channel?: ChannelName },
): Promise<Period> => {
  for (const [field, day] of Object.entries({ from, to }))
    if (!isDay(day)) throw invalid({ field, message: 'is not a date' })
    else if (day < FIRST_DAY) throw invalid({ field, message: `must not be before ${FIRST_DAY}` })
  const days = countDays(from, to)
  if (days < 1) throw invalid({ field: 'to', message: 'must not be before from' })
  if (days > REPORT_DAYS_MAX)
    throw invalid({ field: 'to', message: `must be at most ${REPORT_DAYS_MAX} days from from` })
  const found = await findReportState(ctx)
  const timeZone = found?.timeZone ?? (await defaultTimeZone(ctx))
  const state = found ?? { timeZone, firstDay: null, lastDay: null, beginsOn: null }
  const before = { from: addDays(from, -days), to: addDays(from, -1) }
  const today = dayOf(ctx.now(), isTimeZone(timeZone) ? timeZone : 'UTC')
  return { timeZone, today, from, to, before, ...(channel && { channel }), state, isNew: found === undefined }
}

/** Where the days from one to another are. */
export const sourceOfDays = (period: Period, from: string, to: string): Source => {
  const { state, timeZone, channel } = period
  const { firstDay, lastDay } = state
  const hasStored = firstDay !== null && lastDay !== null && from <= lastDay && to >= firstDay
  return {
    stored: hasStored ? { from: from > firstDay ? from : firstDay, to: to < lastDay ? to : lastDay } : null,
    live: rangesOf(
      liveDays(period).filter((day) => day >= from && day <= to),
      timeZone,
    ),
    timeZone,
    ...(channel && { channel }),
  }
}

const liveDays = ({ state: { lastDay }, today }: Period): string[] =>
  listDays(addDays(today, 1 - LIVE_DAYS_MAX), today).filter((day) => lastDay === null || day > lastDay)

/** Days that hold something and are neither stored nor counted now. */
export const listPending = (period: Period, from: string, to: string): string[] => {
  const { state, today, isNew } = period
  const live = new Set(liveDays(period))
  const begin = state.beginsOn !== null && state.beginsOn > from ? state.beginsOn : from
  if (state.beginsOn === null && !isNew) return []
  return listDays(begin, to < today ? to : today).filter((day) => !live.has(day) && !isStored(state, day))
}
