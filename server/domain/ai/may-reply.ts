// Where and to whom the AI agent speaks, by channel.
import { type BusinessHours, isOpen, isUsable } from '../../../flow-engine/business-hours.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { isMeant, type Who } from './audience.ts'
import type { AiSettings, Speaking } from './schema.ts'

type When = { hours: readonly BusinessHours[]; now: number }

const MINUTE_MS = 60_000

/** Whether it may reply where it is assigned. */
export const mayReply = (settings: AiSettings, who: Who, when: When): boolean => {
  const { mode } = settings.speaking[who.channel]
  return mode !== 'never' && mode !== 'drafts' && isFor(settings, who, when)
}

/** Whether it takes a new conversation that nobody has. */
export const takesNew = (settings: AiSettings, who: Who, when: When): boolean => {
  const { mode } = settings.speaking[who.channel]
  if (mode !== 'new' && (mode !== 'new_closed' || isOpenAt(when.hours, when.now))) return false
  return isFor(settings, who, when)
}

/** How long the team may be silent before it takes a conversation that nobody has; null: for ever. */
export const silenceMaxMs = ({ isStopped, speaking }: AiSettings, channel: ChannelName): number | null => {
  const { mode, afterMinutes } = speaking[channel]
  return !isStopped && mode === 'silent' ? afterMinutes * MINUTE_MS : null
}

/** Whether it writes drafts for people. */
export const writesDrafts = (settings: AiSettings, who: Who, when: When): boolean =>
  settings.speaking[who.channel].mode === 'drafts' && isFor(settings, who, when)

const isFor = ({ isStopped, speaking }: AiSettings, who: Who, when: When): boolean => {
  const { hours, audience } = speaking[who.channel]
  return !isStopped && isMeant({ ...audience, channels: [] }, who) && isAt(hours, when)
}

const isAt = (wanted: Speaking['hours'], { hours, now }: When): boolean =>
  wanted === 'always' || isOpenAt(hours, now) === (wanted === 'open')

/** By the default business hours. Without them it is always open. */
export const isOpenAt = (hours: readonly BusinessHours[], now: number): boolean => {
  const usual = hours.find(({ isDefault }) => isDefault)
  return !usual || !isUsable(usual) || isOpen(usual, now)
}
