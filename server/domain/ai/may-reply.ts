import { type BusinessHours, isOpen, isUsable } from '../../../flow-engine/business-hours.ts'
import { isMeant, type Who } from './audience.ts'
import type { AiSettings } from './schema.ts'

/**
 * Whether the AI agent replies to this customer at this time. Without business hours it is always open.
 */
export const mayReply = (
  { isStopped, audience, hours: when }: AiSettings,
  who: Who,
  hours: readonly BusinessHours[],
  now: number,
): boolean => {
  if (isStopped || !isMeant(audience, who)) return false
  return when === 'always' || isOpenAt(hours, now) === (when === 'open')
}

/** By the default business hours. */
export const isOpenAt = (hours: readonly BusinessHours[], now: number): boolean => {
  const usual = hours.find(({ isDefault }) => isDefault)
  return !usual || !isUsable(usual) || isOpen(usual, now)
}
