// What differs between two versions of the guidance, in plain words.
import type { Guidance } from '../../state/ai.ts'
import type { Difference } from '../../ui/change-list.tsx'
import { t } from '../../words/t.ts'
import { HOURS, LENGTHS, ruleWords, TONES } from './words.ts'

type Rule = Guidance['rules'][number]
/** The name of a tag, flow or action, by its id. */
export type NameOf = (id: string) => string

const CUT_AT = 300
const cut = (text: string): string => (text.length > CUT_AT ? `${text.slice(0, CUT_AT)}…` : text)

const LISTS = {
  languages: t`Languages`,
  sensitiveTopics: t`Topics for people`,
  domains: t`Sites it may link to`,
  readableFields: t`Fields it sees`,
  writableFields: t`Fields it fills in`,
  tagIds: t`Tags it may change`,
  flowIds: t`Flows it may start`,
  actionIds: t`Actions it may use`,
} as const

export const compareGuidance = (before: Guidance, after: Guidance, nameOf: NameOf): Difference[] => [
  ...compareText(t`Instructions`, before.instructions, after.instructions),
  ...compareText(t`Style`, before.style, after.style),
  ...compareText(t`Tone`, TONES[before.tone], TONES[after.tone]),
  ...compareText(t`Length`, LENGTHS[before.length], LENGTHS[after.length]),
  ...compareRules(before.rules, after.rules, nameOf),
  ...(Object.keys(LISTS) as (keyof typeof LISTS)[]).flatMap((name) =>
    compareLists(LISTS[name], before[name].map(nameOf), after[name].map(nameOf)),
  ),
]

/** Of a long text, only the lines that differ. */
const compareText = (words: string, before: string, after: string): Difference[] => {
  if (before === after) return []
  const [old, now] = [before.split('\n'), after.split('\n')]
  const gone = old.filter((line) => line.trim() !== '' && !now.includes(line))
  const come = now.filter((line) => line.trim() !== '' && !old.includes(line))
  return [
    {
      kind: 'changed',
      words,
      lines: [...gone.map((line) => `− ${cut(line)}`), ...come.map((line) => `+ ${cut(line)}`)],
    },
  ]
}

const compareLists = (words: string, before: readonly string[], after: readonly string[]): Difference[] => {
  const gone = before.filter((one) => !after.includes(one))
  const come = after.filter((one) => !before.includes(one))
  if (gone.length + come.length === 0) return []
  return [
    { kind: 'changed', words, lines: [...gone.map((one) => `− ${one}`), ...come.map((one) => `+ ${one}`)] },
  ]
}

const conditionWords = ({ channels, countries, tagIds, languages, hours }: Rule['only'], nameOf: NameOf) =>
  [
    ...[...channels, ...countries, ...languages, ...tagIds.map(nameOf)],
    ...(hours === 'always' ? [] : [HOURS[hours]]),
  ].join(', ')

const wordsOf = (rule: Rule, nameOf: NameOf): string => {
  const only = conditionWords(rule.only, nameOf)
  return cut(only ? t`${ruleWords(rule)} (only: ${only})` : ruleWords(rule))
}

const keyOf = ({ when, action, text, only }: Rule): string =>
  JSON.stringify([when, action, text, only.channels, only.countries, only.tagIds, only.languages, only.hours])

/** A rule that is at another place only counts as moved if none was added or removed. */
const compareRules = (before: readonly Rule[], after: readonly Rule[], nameOf: NameOf): Difference[] => {
  const [old, now] = [before.map(keyOf), after.map(keyOf)]
  const gone = before.filter((rule) => !now.includes(keyOf(rule)))
  const come = after.filter((rule) => !old.includes(keyOf(rule)))
  if (gone.length + come.length === 0 && old.join() !== now.join())
    return [{ kind: 'moved', words: t`Order of the rules`, lines: [] }]
  return [
    ...gone.map((rule): Difference => ({ kind: 'removed', words: wordsOf(rule, nameOf), lines: [] })),
    ...come.map((rule): Difference => ({ kind: 'added', words: wordsOf(rule, nameOf), lines: [] })),
  ]
}
