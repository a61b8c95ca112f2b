import type { Guidance } from '../../state/ai.ts'

type Rule = Guidance['rules'][number]

export const TONES: Record<Guidance['tone'], string> = {
  friendly: 'Friendly',
  plain: 'Matter-of-fact',
  formal: 'Formal',
  lively: 'Lively',
}
export const LENGTHS: Record<Guidance['length'], string> = {
  short: 'Short',
  normal: 'Normal',
  detailed: 'Detailed',
}
export const ACTIONS: Record<Rule['action'], string> = {
  say: 'Say',
  ask: 'Ask',
  handOver: 'Hand over',
  never: 'Never',
}
export const HOURS: Record<Rule['only']['hours'], string> = {
  always: 'At any time',
  open: 'During business hours',
  closed: 'Outside business hours',
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
  return when ? `When ${when}: ${what}` : what
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
