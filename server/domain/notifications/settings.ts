import { isTimeZone } from '../../../flow-engine/zone-time.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { readWeekly } from '../business-hours/read-business-hours.ts'
import type { NotificationSettings } from './schema.ts'
import { findSettings, upsertPause, upsertSettings } from './settings-queries.ts'

type Scope = Pick<Ctx, 'db' | 'now'>

const PAUSE_MAX_MS = 31 * 24 * 3_600_000

/** Until somebody chooses otherwise. Browsers ask for permission first, so desktop notifications are on for all. */
export const DEFAULT_SETTINGS: NotificationSettings = {
  desktop: { assigned: true, mentioned: true, message: true, unassigned: true, team: true, overdue: true },
  sound: { assigned: true, mentioned: true, message: true, unassigned: false, team: true, overdue: true },
  email: { assigned: true, mentioned: true, message: true, unassigned: false, team: false, overdue: true },
  emailAfterMinutes: 15,
  showText: true,
  hours: null,
}

/** With what was stored by an earlier release, which had fewer kinds. */
export const completeSettings = (stored: NotificationSettings | null | undefined): NotificationSettings =>
  stored
    ? {
        ...stored,
        desktop: { ...DEFAULT_SETTINGS.desktop, ...stored.desktop },
        sound: { ...DEFAULT_SETTINGS.sound, ...stored.sound },
        email: { ...DEFAULT_SETTINGS.email, ...stored.email },
      }
    : DEFAULT_SETTINGS

export const getSettings = async (
  scope: Scope,
  accountId: string,
): Promise<{ settings: NotificationSettings; pausedUntil: string | null }> => {
  const row = await findSettings(scope, accountId)
  const pausedUntil = row?.pausedUntil ?? null
  const isOver = pausedUntil !== null && Date.parse(pausedUntil) <= scope.now().getTime()
  return { settings: completeSettings(row?.settings), pausedUntil: isOver ? null : pausedUntil }
}

/** Throws VALIDATION_ERROR for times and zones that don't exist. */
export const saveSettings = async (
  scope: Scope,
  accountId: string,
  settings: NotificationSettings,
): Promise<void> => {
  const { hours } = settings
  if (hours && !isTimeZone(hours.timeZone))
    throw invalid({ field: 'hours.timeZone', message: `must be an IANA time zone, not “${hours.timeZone}”` })
  const checked = hours && { ...hours, weekly: readWeekly(hours.weekly, 'hours.weekly') }
  await upsertSettings(scope, accountId, { ...settings, hours: checked })
}

/** Null goes on at once. Throws VALIDATION_ERROR for more than a month. */
export const pauseNotifications = async (
  scope: Scope,
  accountId: string,
  until: string | null,
): Promise<void> => {
  if (until !== null && Date.parse(until) > scope.now().getTime() + PAUSE_MAX_MS)
    throw invalid({ field: 'until', message: 'can be at most 31 days from now' })
  await upsertPause(scope, accountId, { until, settings: DEFAULT_SETTINGS })
}
