// Which flows something starts: of the dialogs the first that fits, of the background flows each.
import { holds } from './conditions.ts'
import type { FlowChannel, MessageFacts } from './contract.ts'
import { readDuration } from './duration.ts'
import { prepareWords } from './find-words.ts'
import { foldText, wordPattern } from './fold-text.ts'
import type { Scope } from './paths.ts'
import type { Condition, FlowDefinition, Trigger } from './schema.ts'

/** A live flow. `position`: dialogs are tried in this order, the lowest first. */
export type LiveFlow = {
  id: string
  position: number
  definition: Pick<FlowDefinition, 'kind' | 'triggers' | 'audience' | 'reentry' | 'interrupts'>
}

/** Something that may start flows. */
export type Cause = {
  on: Trigger['on']
  by: 'customer' | 'team' | 'automation' | 'api'
  channel: FlowChannel
  accountId: string
  /** For `message`. */
  message: MessageFacts | null
  /** Whether it is the first message of the conversation. */
  isFirst: boolean
  /** Out-of-office replies, bounces and mailing lists start no dialogs. */
  isAutomatic: boolean
  /** `assigned`: the agent's id, `ai` or `nobody`; `field_changed`: the new value. */
  to: string | null
  tagId: string | null
  field: string | null
  /** For `customer_silent` and `team_silent`. */
  silentMs: number
  /** Whether a person has the conversation, or automation is paused. */
  isWithPerson: boolean
  /** Whether a dialog of the conversation runs or waits. */
  hasDialog: boolean
  /** For `api`: the flow that was asked for. */
  flowId: string | null
}

/** A cause of which nothing else is known than what is given. */
export const makeCause = (
  happened: Pick<Cause, 'on' | 'by' | 'channel' | 'accountId'> & Partial<Cause>,
): Cause => ({
  message: null,
  isFirst: false,
  isAutomatic: false,
  to: null,
  tagId: null,
  field: null,
  silentMs: 0,
  isWithPerson: false,
  hasDialog: false,
  flowId: null,
  ...happened,
})

export type MatchFacts = {
  now: number
  scope: Scope
  /** When each flow was last started for this contact, in milliseconds. */
  lastStartedAt: Readonly<Record<string, number>>
}

export type PassedOver = {
  flowId: string
  because: 'audience' | 'reentry' | 'earlier_flow' | 'dialog_waiting' | 'with_person' | 'automatic'
}

export type Matched = {
  /** `interrupts`: the running dialog has to be cancelled first. */
  dialog: { flowId: string; trigger: number; interrupts: boolean } | null
  background: { flowId: string; trigger: number }[]
  /** Flows whose trigger fits and that don't start all the same. Without those that have nothing to do with the cause. */
  passedOver: PassedOver[]
}

/** A flow isn't started twice by what belongs together, even if it may always be started again. */
export const REENTRY_MIN_MS = 60_000

/** `patterns`: what to look for in the folded message between two spaces; null for a trigger without words. */
type PreparedTrigger = { trigger: Trigger; at: number; patterns: string[] | null; afterMs: number }
type PreparedFlow = LiveFlow & { triggers: PreparedTrigger[] }
export type PreparedFlows = {
  byEvent: ReadonlyMap<Trigger['on'], readonly PreparedFlow[]>
  /** The patterns that a folded text between two spaces has. */
  findSaid: (folded: string) => ReadonlySet<string>
}

/** Folds the words and sorts the flows, so that matching takes no time. To be kept until a flow changes. */
export const prepareTriggers = (flows: readonly LiveFlow[]): PreparedFlows => {
  const byEvent = new Map<Trigger['on'], PreparedFlow[]>()
  for (const flow of [...flows].sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))) {
    const triggers = flow.definition.triggers.map((trigger, at) => ({
      trigger,
      at,
      patterns:
        trigger.words
          ?.map(foldText)
          .filter((word) => word !== '')
          .map(patternIn(trigger)) ?? null,
      afterMs: trigger.after === undefined ? 0 : (readDuration(trigger.after) ?? 0),
    }))
    for (const on of new Set(triggers.map(({ trigger }) => trigger.on))) {
      const own = { ...flow, triggers: triggers.filter(({ trigger }) => trigger.on === on) }
      byEvent.set(on, [...(byEvent.get(on) ?? []), own])
    }
  }
  const patterns = [...byEvent.values()].flat().flatMap(({ triggers }) => triggers.flatMap(searchedFor))
  return { byEvent, findSaid: prepareWords(patterns) }
}

const searchedFor = ({ trigger, patterns }: PreparedTrigger): string[] =>
  trigger.wordsMode === 'only' ? [] : (patterns ?? [])

/** What a cause starts, and what it would have started otherwise. */
export const matchTriggers = (prepared: PreparedFlows, cause: Cause, facts: MatchFacts): Matched => {
  const matched: Matched = { dialog: null, background: [], passedOver: [] }
  const text = toSaid(prepared, cause.message?.text ?? '')
  for (const flow of prepared.byEvent.get(cause.on) ?? []) {
    const fitting = flow.triggers.find((one) => fits(one, flow, cause, text, facts))
    if (!fitting) continue
    const isKeyword = fitting.patterns !== null || fitting.trigger.choice !== undefined
    const because = whyNot(flow, fitting, isKeyword, cause, facts, matched)
    if (because) matched.passedOver.push({ flowId: flow.id, because })
    else if (flow.definition.kind === 'background')
      matched.background.push({ flowId: flow.id, trigger: fitting.at })
    else matched.dialog = { flowId: flow.id, trigger: fitting.at, interrupts: cause.hasDialog }
  }
  return matched
}

type Arrived = Pick<Cause, 'channel' | 'accountId' | 'isFirst'> & { text: string; choice: string | null }

/** False if none of the events starts a flow with this message, whatever else is known of the conversation. */
export const mayMatch = (
  prepared: PreparedFlows,
  events: readonly Trigger['on'][],
  arrived: Arrived,
): boolean => {
  const text = toSaid(prepared, arrived.text)
  return events.some((on) =>
    prepared.byEvent.get(on)?.some(({ triggers }) => triggers.some((one) => isAbout(one, arrived, text))),
  )
}

/** A text as words are looked for in it. */
type Said = { folded: string; found: ReadonlySet<string> }

const toSaid = ({ findSaid }: PreparedFlows, text: string): Said => {
  const folded = ` ${foldText(text)} `
  return { folded, found: findSaid(folded) }
}

/** The part of a trigger that needs the message only. */
const isAbout = (
  { trigger, patterns }: PreparedTrigger,
  { channel, accountId, isFirst, choice }: Omit<Arrived, 'text'>,
  said: Said,
): boolean =>
  (!trigger.isFirst || isFirst) &&
  (trigger.channels?.includes(channel) ?? true) &&
  (trigger.accountIds?.includes(accountId) ?? true) &&
  (trigger.choice === undefined || trigger.choice === choice) &&
  (patterns === null || patterns.some((pattern) => isSaid(said, pattern, trigger)))

const fits = (
  prepared: PreparedTrigger,
  flow: LiveFlow,
  cause: Cause,
  said: Said,
  facts: MatchFacts,
): boolean => {
  const { trigger, afterMs } = prepared
  const choice = cause.message?.choice ?? null
  return (
    (cause.on !== 'api' || cause.flowId === flow.id) &&
    isBy(trigger, cause) &&
    (trigger.to === undefined || trigger.to === cause.to) &&
    (trigger.tagId === undefined || trigger.tagId === cause.tagId) &&
    (trigger.field === undefined || trigger.field === cause.field) &&
    cause.silentMs >= afterMs &&
    isAbout(prepared, { ...cause, choice }, said) &&
    conditionHolds(trigger.when, facts)
  )
}

/** Only customers write and open; the other events are the team's, so there `by` counts only where it is given. */
const CUSTOMERS: ReadonlySet<Trigger['on']> = new Set(['message', 'opened', 'reopened'])

const isBy = ({ on, by }: Trigger, cause: Cause): boolean => {
  const wanted = by ?? (CUSTOMERS.has(on) ? 'customer' : 'anyone')
  return wanted === 'anyone' || wanted === cause.by
}

const patternIn =
  ({ wordsMode = 'whole' }: Trigger) =>
  (word: string): string => {
    if (wordsMode === 'contains') return word
    return wordsMode === 'only' ? ` ${word} ` : wordPattern(word)
  }

const isSaid = ({ folded, found }: Said, pattern: string, { wordsMode }: Trigger): boolean =>
  wordsMode === 'only' ? folded === pattern : found.has(pattern)

const conditionHolds = (condition: Condition | undefined, { scope, now }: MatchFacts): boolean =>
  condition === undefined || holds(condition, { scope, now })

/** Undefined: it starts. */
const whyNot = (
  { id, definition }: PreparedFlow,
  { trigger }: PreparedTrigger,
  isKeyword: boolean,
  cause: Cause,
  facts: MatchFacts,
  matched: Matched,
): PassedOver['because'] | undefined => {
  if (!conditionHolds(definition.audience, facts)) return 'audience'
  if (!mayReenter(definition.reentry, facts.lastStartedAt[id], facts.now)) return 'reentry'
  if (definition.kind === 'background') return undefined
  if (cause.isAutomatic) return 'automatic'
  if (cause.isWithPerson && !trigger.evenIfAssigned) return 'with_person'
  if (matched.dialog) return 'earlier_flow'
  return cause.hasDialog && !(definition.interrupts && isKeyword) ? 'dialog_waiting' : undefined
}

const mayReenter = (
  reentry: FlowDefinition['reentry'],
  lastStartedAt: number | undefined,
  now: number,
): boolean => {
  if (lastStartedAt === undefined) return true
  if (reentry === 'once') return false
  const afterMs = typeof reentry === 'object' ? (readDuration(reentry.after) ?? 0) : 0
  return now - lastStartedAt >= Math.max(afterMs, REENTRY_MIN_MS)
}
