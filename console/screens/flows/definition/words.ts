// Steps, conditions, triggers and durations in plain words: for the rows of the outline, the map and comparisons.

import { readDuration } from '../../../../flow-engine/duration.ts'
import type { Comparison, Condition, FlowDefinition, Trigger } from '../../../../flow-engine/schema.ts'
import { channelName } from '../../../ui/badge.tsx'
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
  if (root === 'call') return rest.length > 1 ? `${rest.slice(1).join(' ')} of ${rest[0]}` : `result ${last}`
  return last ? `${root}’s ${PART_NAMES[last] ?? last}` : (root ?? path)
}

const PART_NAMES: Record<string, string> = {
  firstName: 'first name',
  isFirst: 'being the first',
  openedAt: 'start',
  isOpen: 'open state',
  opensAt: 'next opening',
  closesAt: 'closing time',
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
  return parts.join(' ') || 'no time'
}

export const OPERATOR_WORDS: Record<Comparison['op'], string> = {
  is: 'is',
  isNot: 'is not',
  isOneOf: 'is one of',
  contains: 'contains',
  startsWith: 'starts with',
  isSet: 'is known',
  isEmpty: 'is empty',
  above: 'is above',
  below: 'is below',
  before: 'is before',
  after: 'is after',
  hasTag: 'include',
  matches: 'matches the pattern',
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
  if ('not' in condition) return `not (${conditionWords(condition.not, names)})`
  const { value, op, to } = condition
  const compared = valueWords(to, names, op === 'hasTag')
  return `${pathWords(value)} ${OPERATOR_WORDS[op]}${compared ? ` ${compared}` : ''}`
}

const inner = (condition: Condition, names: Names): string =>
  'op' in condition || 'not' in condition
    ? conditionWords(condition, names)
    : `(${conditionWords(condition, names)})`

export const END_WORDS: Record<string, string> = {
  end: 'End of the flow',
  people: 'Hand over to the team',
  ai: 'AI agent',
}

export const blockTitle = ({ blocks }: FlowDefinition, id: string): string => blocks[id]?.title ?? id

export const targetWords = (definition: FlowDefinition, target: string): string =>
  END_WORDS[target] ?? (Object.hasOwn(definition.blocks, target) ? blockTitle(definition, target) : target)

export const TRIGGER_WORDS: Record<Trigger['on'], string> = {
  message: 'A customer writes',
  opened: 'A conversation starts',
  reopened: 'A conversation is reopened',
  closed: 'A conversation is closed',
  assigned: 'A conversation is assigned',
  customer_silent: 'The customer hasn’t replied',
  team_silent: 'Your team hasn’t replied',
  tagged: 'A tag is added',
  field_changed: 'A contact field changes',
  api: 'Started by the API or by hand',
}

export const triggerWords = (trigger: Trigger, names: Names): string => {
  const { on, isFirst, words, wordsMode, channels, choice, after, tagId, field, to, when } = trigger
  const said =
    words && words.length > 0
      ? ` ${wordsMode === 'only' ? t`exactly ` : ''}${words.slice(0, 3).map(quote).join(', ')}${words.length > 3 ? ` and ${words.length - 3} more` : ''}`
      : ''
  return [
    on === 'message' && isFirst ? `A customer writes for the first time${said}` : TRIGGER_WORDS[on] + said,
    choice && `taps ${quote(choice)}`,
    after && `for ${durationWords(after)}`,
    tagId && quote(names.name('tag', tagId)),
    field && quote(field),
    to && `to ${to === 'ai' ? 'the AI agent' : names.name('agent', to)}`,
    channels && channels.length > 0 && `on ${channels.map(channelName).join(', ')}`,
    when && `if ${conditionWords(when, names)}`,
  ]
    .filter(Boolean)
    .join(', ')
}
