import type { Guidance } from '../../state/ai.ts'
import { t } from '../../words/t.ts'

type Rule = Guidance['rules'][number]

export const TONES: Record<Guidance['tone'], string> = {
  friendly: t`Friendly`,
  plain: 'Matter-of-fact',
  formal: t`Formal`,
  lively: t`Lively`,
}
export const LENGTHS: Record<Guidance['length'], string> = {
  short: t`Short`,
  normal: t`Normal`,
  detailed: t`Detailed`,
}
export const ACTIONS: Record<Rule['action'], string> = {
  say: t`Say`,
  ask: t`Ask`,
  handOver: t`Hand over`,
  never: t`Never`,
}
export const HOURS: Record<Rule['only']['hours'], string> = {
  always: t`At any time`,
  open: t`During business hours`,
  closed: t`Outside business hours`,
}

/** The choices of a table of words, in its order. */
export const optionsOf = <T extends string>(words: Record<T, string>): { value: T; label: string }[] =>
  // Object.entries forgets that the keys are T.
  (Object.entries(words) as [T, string][]).map(([value, label]) => ({ value, label }))

export const FOR_ALL: Rule['only'] = {
  channels: [],
  countries: [],
  tagIds: [],
  languages: [],
  hours: 'always',
}

export const ruleWords = ({ when, action, text }: Rule): string => {
  const what = text ? `${ACTIONS[action]}: ${text}` : ACTIONS[action]
  return when ? t`When ${when}: ${what}` : what
}

const LANGUAGE = /^[a-z]{2,3}$/
const COUNTRY = /^[A-Z]{2}$/
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+[a-z0-9-]{2,63}$`)

export const readLanguage = (text: string): string | null => {
  const code = text.toLowerCase()
  return LANGUAGE.test(code) ? code : null
}
export const readCountry = (text: string): string | null => {
  const code = text.toUpperCase()
  return COUNTRY.test(code) ? code : null
}
/** People paste addresses. */
export const readDomain = (text: string): string | null => {
  const domain = (URL.parse(text)?.hostname || text).toLowerCase()
  return domain.length <= 253 && DOMAIN.test(domain) ? domain : null
}
export const readUpTo =
  (maxLength: number) =>
  (text: string): string | null =>
    text.length <= maxLength ? text : null
