import { type BusinessHours, isOpen, isUsable } from '../../../flow-engine/business-hours.ts'
import { baseOf } from '../../../flow-engine/language.ts'
import type { ChannelName } from '../../platform/db/tables.ts'

import type { AiSettings } from './schema.ts'

type Who = {
  channel: ChannelName
  country: string | null
  language: string | null
  tagIds: readonly string[]
}

/**
 * Whether the AI agent replies to this customer at this time. What isn't known of a customer fits no list. Without
 * business hours it is always open.
 */
export const mayReply = (
  { isStopped, audience, hours: when }: AiSettings,
  { channel, country, language, tagIds }: Who,
  hours: readonly BusinessHours[],
  now: number,
): boolean => {
  if (isStopped || !isAmong(audience.channels, [channel])) return false
  if (!isAmong(audience.countries, country === null ? [] : [country])) return false
  if (!isAmong(audience.languages, language === null ? [] : [baseOf(language)])) return false
  if (!isAmong(audience.tagIds, tagIds)) return false
  return when === 'always' || isOpenAt(hours, now) === (when === 'open')
}

/** By the default business hours. */
export const isOpenAt = (hours: readonly BusinessHours[], now: number): boolean => {
  const usual = hours.find(({ isDefault }) => isDefault)
  return !usual || !isUsable(usual) || isOpen(usual, now)
}

const isAmong = (list: readonly string[], values: readonly string[]): boolean =>
  list.length === 0 || values.some((value) => list.includes(value))
