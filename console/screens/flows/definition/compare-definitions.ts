// What differs between two definitions, in plain words: for versions, and for two people's changes.
import type { FlowDefinition, Step } from '../../../../flow-engine/schema.ts'
import type { Difference } from '../../../ui/change-list.tsx'
import { t } from '../../../words/t.ts'
import { COMMON_FIELDS, FIELDS } from '../forms/fields.ts'
import { readAt } from '../forms/read-at.ts'
import { placeOfStep } from './change-definition.ts'
import { orderBlocks } from './order-blocks.ts'
import { stepWords } from './step-words.ts'
import {
  blockTitle,
  conditionWords,
  cut,
  durationWords,
  type Names,
  targetWords,
  triggerWords,
} from './words.ts'

export const compareDefinitions = (
  before: FlowDefinition,
  after: FlowDefinition,
  names: Names,
): Difference[] => [
  ...compareWhole(before, after, names),
  ...compareBlocks(before, after),
  ...compareSteps(before, after, names),
]

const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

/** The database doesn't keep the order of names. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? ''

const compareWhole = (before: FlowDefinition, after: FlowDefinition, names: Names): Difference[] => {
  const differences: Difference[] = []
  const add = (words: string, lines: string[] = []) => differences.push({ kind: 'changed', words, lines })
  const triggers = ({ triggers }: FlowDefinition) =>
    triggers.map((trigger) => triggerWords(trigger, names)).join('; ') || t`nothing`
  if (!isSame(before.triggers, after.triggers))
    add(t`When it starts`, [`${triggers(before)} → ${triggers(after)}`])
  if (!isSame(before.audience, after.audience)) {
    const words = ({ audience }: FlowDefinition) => (audience ? conditionWords(audience, names) : t`everyone`)
    add(t`Who it is for`, [`${words(before)} → ${words(after)}`])
  }
  if (before.start !== after.start)
    add(t`First block`, [`${blockTitle(before, before.start)} → ${blockTitle(after, after.start)}`])
  for (const [name, label] of SETTINGS)
    if (!isSame(before[name], after[name])) add(label, [`${plain(before[name])} → ${plain(after[name])}`])
  return differences
}

const SETTINGS = [
  ['kind', t`Kind`],
  ['language', t`Main language`],
  ['reentry', t`How often`],
  ['interrupts', t`Keywords end other dialogs`],
  ['onPerson', t`When a teammate takes over`],
  ['oldChoices', t`Old buttons`],
  ['variables', t`Variables`],
] as const

const compareBlocks = (before: FlowDefinition, after: FlowDefinition): Difference[] =>
  orderBlocks({ ...after, blocks: { ...before.blocks, ...after.blocks } }).flatMap((id): Difference[] => {
    const [old, current] = [before.blocks[id], after.blocks[id]]
    if (!current) return [{ kind: 'removed', words: t`Block ${blockTitle(before, id)}`, lines: [] }]
    if (!old) return [{ kind: 'added', words: t`Block ${blockTitle(after, id)}`, lines: [] }]
    const lines = [
      ...(old.title === current.title ? [] : [t`Title: ${old.title ?? id} → ${current.title ?? id}`]),
      ...(old.next === current.next
        ? []
        : [t`Then: ${nextWords(before, old.next)} → ${nextWords(after, current.next)}`]),
    ]
    return lines.length === 0 ? [] : [{ kind: 'changed', words: t`Block ${blockTitle(after, id)}`, lines }]
  })

const nextWords = (definition: FlowDefinition, next: string | undefined): string =>
  next === undefined ? t`stop` : targetWords(definition, next)

const stepsOf = (definition: FlowDefinition): Map<string, Step> =>
  new Map(
    orderBlocks(definition).flatMap((id) => definition.blocks[id]!.steps.map((step) => [step.id, step])),
  )

const compareSteps = (before: FlowDefinition, after: FlowDefinition, names: Names): Difference[] => {
  const [old, current] = [stepsOf(before), stepsOf(after)]
  const removed = [...old.values()]
    .filter(({ id }) => !current.has(id))
    .map((step): Difference => ({ kind: 'removed', words: stepWords(step, before, names), lines: [] }))
  const others = [...current.values()].flatMap((step): Difference[] => {
    const known = old.get(step.id)
    const words = stepWords(step, after, names)
    if (!known) return [{ kind: 'added', words, lines: [] }]
    const lines = lineOfFields(known, step, before, after, names)
    if (lines.length > 0) return [{ kind: 'changed', words, lines }]
    return hasMoved(before, after, step.id) ? [{ kind: 'moved', words, lines: [] }] : []
  })
  return [...removed, ...others]
}

/** To another block, or past another step of its block that is in both. */
const hasMoved = (before: FlowDefinition, after: FlowDefinition, stepId: string): boolean => {
  const [from, to] = [placeOfStep(before, stepId), placeOfStep(after, stepId)]
  if (!from || !to || from.block !== to.block) return true
  const kept = (one: FlowDefinition, other: FlowDefinition) =>
    one.blocks[from.block]!.steps.filter(({ id }) =>
      other.blocks[from.block]!.steps.some((step) => step.id === id),
    ).findIndex(({ id }) => id === stepId)
  return kept(before, after) !== kept(after, before)
}

const lineOfFields = (
  old: Step,
  current: Step,
  before: FlowDefinition,
  after: FlowDefinition,
  names: Names,
): string[] => {
  if (old.type !== current.type) return [`${old.type} → ${current.type}`]
  const fields = [...FIELDS[current.type], ...COMMON_FIELDS]
  const lines = fields.flatMap(({ at, label, kind }) => {
    const [one, other] = [readAt(old, at), readAt(current, at)]
    if (isSame(one, other)) return []
    if (kind === 'target')
      return [`${label}: ${nextWords(before, asText(one))} → ${nextWords(after, asText(other))}`]
    if (kind === 'duration')
      return [`${label}: ${durationWords(String(one))} → ${durationWords(String(other))}`]
    if (kind === 'condition') return [`${label}: ${words(one, names)} → ${words(other, names)}`]
    if (kind === 'text' && (isByLanguage(one) || isByLanguage(other)))
      return languagesIn(one, other, before, after).map(
        (language) =>
          `${label} (${language}): ${plain(inLanguage(one, language, before))} → ${plain(inLanguage(other, language, after))}`,
      )
    return [`${label}: ${plain(one)} → ${plain(other)}`]
  })
  return lines.length === 0 && !isSame(old, current) ? [t`Other settings`] : lines
}

type Texts = { [language: string]: string }
const isByLanguage = (value: unknown): value is Texts => typeof value === 'object' && value !== null
const inLanguage = (text: unknown, language: string, definition: FlowDefinition): unknown =>
  isByLanguage(text) ? text[language] : language === definition.language ? text : undefined
/** The languages in which the text differs. */
const languagesIn = (
  one: unknown,
  other: unknown,
  before: FlowDefinition,
  after: FlowDefinition,
): string[] => {
  const all = [one, other].flatMap((text, at) =>
    isByLanguage(text) ? Object.keys(text) : [[before, after][at]!.language],
  )
  return [...new Set(all)].filter(
    (language) => inLanguage(one, language, before) !== inLanguage(other, language, after),
  )
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const words = (value: unknown, names: Names): string =>
  // The field's kind says what it is.
  value === undefined ? t`none` : conditionWords(value as Parameters<typeof conditionWords>[0], names)

/** Any value in short, without brackets and quotes. */
const plain = (value: unknown): string => {
  if (value === undefined || value === null || value === '') return t`none`
  if (typeof value === 'boolean') return value ? t`yes` : t`no`
  if (typeof value !== 'object') return cut(String(value), 80)
  const inner = Array.isArray(value)
    ? value.map(plain)
    : Object.entries(value)
        .filter(([name]) => name !== 'id')
        .map(([name, part]) => (name === 'title' || name === 'text' ? plain(part) : `${name} ${plain(part)}`))
  return cut(inner.join(', '), 160)
}
