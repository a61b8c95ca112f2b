import { baseOf } from '../../../flow-engine/language.ts'
import type { ChannelName, RuleCondition } from '../../platform/db/tables.ts'

export type Who = {
  channel: ChannelName
  country: string | null
  language: string | null
  tagIds: readonly string[]
}

type Audience = Pick<RuleCondition, 'channels' | 'countries' | 'tagIds' | 'languages'>

/** Whether each list that isn't empty has a value of the customer. What isn't known of a customer fits no list. */
export const isMeant = ({ channels, countries, tagIds, languages }: Audience, who: Who): boolean =>
  isAmong(channels, [who.channel]) &&
  isAmong(countries, who.country === null ? [] : [who.country]) &&
  isAmong(languages, who.language === null ? [] : [baseOf(who.language)]) &&
  isAmong(tagIds, who.tagIds)

const isAmong = (list: readonly string[], values: readonly string[]): boolean =>
  list.length === 0 || values.some((value) => list.includes(value))
