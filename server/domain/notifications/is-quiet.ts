import { isOpen, isUsable } from '../../../flow-engine/business-hours.ts'
import type { NotificationSettings } from './schema.ts'

/** Whether a person is not to be disturbed at the moment: they paused, or it is outside of their hours. */
export const isQuiet = ({ hours }: NotificationSettings, pausedUntil: string | null, now: Date): boolean => {
  if (pausedUntil !== null && Date.parse(pausedUntil) > now.getTime()) return true
  if (!hours) return false
  const times = { id: '', name: '', isDefault: false, exceptions: [], ...hours }
  return isUsable(times) && !isOpen(times, now.getTime())
}
