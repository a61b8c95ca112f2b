// The period and channel of a report, as they are in the URL.
import type { ChannelName } from '../../../channels/names.ts'

export const PERIODS = [7, 28, 90] as const
const DAYS = 28
const DAY_MS = 86_400_000
const DAY = /^\d{4}-\d\d-\d\d$/

export type ReportSearch = { days?: number; from?: string; to?: string; channel?: string }
export type ReportFilter = { from: string; to: string; channel?: ChannelName }

export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/** Today where the reader is. The server's today may be a day off, and then the chart ends there. */
export const todayHere = (): string => {
  const now = new Date()
  return new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())).toISOString().slice(0, 10)
}

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value))

/** Null: a period of days until today. */
export const customOf = ({ from, to }: ReportSearch): { from: string; to: string } | null =>
  isDay(from) && isDay(to) && from <= to ? { from, to } : null

export const daysOf = ({ days }: ReportSearch): number => PERIODS.find((one) => one === days) ?? DAYS

export const filterOf = (search: ReportSearch, channels: readonly ChannelName[]): ReportFilter => {
  const channel = channels.find((one) => one === search.channel)
  const today = todayHere()
  const period = customOf(search) ?? { from: addDays(today, 1 - daysOf(search)), to: today }
  return { ...period, ...(channel && { channel }) }
}
