// Steps, conditions, triggers and durations in plain words: for the rows of the outline, the map and comparisons.

import { readDuration } from '../../../../flow-engine/duration.ts'
import type { Comparison, Condition, FlowDefinition, Trigger } from '../../../../flow-engine/schema.ts'
import { channelName } from '../../../ui/channel-name.ts'
import { t } from '../../../words/t.ts'

/** Names of what a definition refers to by id. */
export type Names = {
  name: (kind: 'tag' | 'agent' | 'team' | 'action' | 'flow' | 'hours', id: string) => string
}

const QUOTE_MAX = 60

export const cut = (text: string, max = QUOTE_MAX): string => {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > max ? `${plain.slice(0, max - 1).trimEnd()}…` : plain
}
export const quote = (text: string): string => `“${cut(text)}”`

/** `run.order` is order, `contact.fields.plan` the contact's plan. */
export const pathWords = (path: string): string => {
  const [root, ...rest] = path.split('.')
  const last = rest.filter((name) => name !== 'fields').join(' ')
  if (root === 'run') return last || t`variables`
  if (root === 'call')
    return rest.length > 1 ? t`${rest.slice(1).join(' ')} of ${rest[0]}` : t`result ${last}`
  return last ? `${root}’s ${PART_NAMES[last] ?? last}` : (root ?? path)
}

const PART_NAMES: Record<string, string> = {
  firstName: t`first name`,
  isFirst: t`being the first`,
  openedAt: 'start',
  isOpen: t`open state`,
  opensAt: t`next opening`,
  closesAt: t`closing time`,
}

const UNITS: [ms: number, words: (count: number) => string][] = [
  [86_400_000, (count) => (count === 1 ? t`1 day` : t`${count} days`)],
  [3_600_000, (count) => (count === 1 ? t`1 hour` : t`${count} hours`)],
  [60_000, (count) => (count === 1 ? t`1 minute` : t`${count} minutes`)],
  [1_000, (count) => (count === 1 ? t`1 second` : t`${count} seconds`)],
]

/** "1 day 4 hours" */
export const durationWords = (duration: string): string => {
  let left = readDuration(duration) ?? 0
  const parts: string[] = []
  for (const [ms, words] of UNITS) {
    const count = Math.floor(left / ms)
    left -= count * ms
    if (count > 0) parts.push(words(count))
  }
  return parts.join(' ') || t`no time`
}

export const OPERATOR_WORDS: Record<Comparison['op'], string> = {
  is: 'is',
  isNot: t`is not`,
  isOneOf: t`is one of`,
  contains: 'contains',
  startsWith: t`starts with`,
  isSet: t`is known`,
  isEmpty: t`is empty`,
  above: t`is above`,
  below: t`is below`,
  before: t`is before`,
  after: t`is after`,
  hasTag: 'include',
  matches: t`matches the pattern`,
}

const valueWords = (value: Comparison['to'], { name }: Names, isTag: boolean): string => {
  if (value === undefined) return ''
  if (Array.isArray(value))
    return value.map((one) => (isTag ? name('tag', String(one)) : String(one))).join(', ')
  if (typeof value === 'boolean') return value ? t`yes` : t`no`
  return isTag ? quote(name('tag', String(value))) : typeof value === 'number' ? String(value) : quote(value)
}

export const conditionWords = (condition: Condition, names: Names): string => {
  if ('all' in condition) return condition.all.map((one) => inner(one, names)).join(t` and `)
  if ('any' in condition) return condition.any.map((one) => inner(one, names)).join(t` or `)
  if ('not' in condition) return t`not (${conditionWords(condition.not, names)})`
  const { value, op, to } = condition
  const compared = valueWords(to, names, op === 'hasTag')
  return `${pathWords(value)} ${OPERATOR_WORDS[op]}${compared ? ` ${compared}` : ''}`
}

const inner = (condition: Condition, names: Names): string =>
  'op' in condition || 'not' in condition
    ? conditionWords(condition, names)
    : `(${conditionWords(condition, names)})`

export const END_WORDS: Record<string, string> = {
  end: t`End of the flow`,
  people: t`Hand over to the team`,
  ai: t`AI agent`,
}

export const blockTitle = ({ blocks }: FlowDefinition, id: string): string => blocks[id]?.title ?? id

export const targetWords = (definition: FlowDefinition, target: string): string =>
  END_WORDS[target] ?? (Object.hasOwn(definition.blocks, target) ? blockTitle(definition, target) : target)

export const TRIGGER_WORDS: Record<Trigger['on'], string> = {
  message: t`A customer writes`,
  opened: t`A conversation starts`,
  reopened: t`A conversation is reopened`,
  closed: t`A conversation is closed`,
  assigned: t`A conversation is assigned`,
  customer_silent: t`The customer hasn’t replied`,
  team_silent: t`Your team hasn’t replied`,
  tagged: t`A tag is added`,
  field_changed: t`A contact field changes`,
  api: t`Started by the API or by hand`,
}

export const triggerWords = (trigger: Trigger, names: Names): string => {
  const { on, isFirst, words, wordsMode, channels, choice, after, tagId, field, to, when } = trigger
  const said =
    words && words.length > 0
      ? ` ${wordsMode === 'only' ? t`exactly ` : ''}${words.slice(0, 3).map(quote).join(', ')}${words.length > 3 ? t` and ${words.length - 3} more` : ''}`
      : ''
  return [
    on === 'message' && isFirst ? t`A customer writes for the first time${said}` : TRIGGER_WORDS[on] + said,
    choice && t`taps ${quote(choice)}`,
    after && t`for ${durationWords(after)}`,
    tagId && quote(names.name('tag', tagId)),
    field && quote(field),
    to && t`to ${to === 'ai' ? t`the AI agent` : names.name('agent', to)}`,
    channels && channels.length > 0 && t`on ${channels.map(channelName).join(', ')}`,
    when && t`if ${conditionWords(when, names)}`,
  ]
    .filter(Boolean)
    .join(', ')
}
