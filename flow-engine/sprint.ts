// What a sprint works on: a copy of the run's state, and what it has brought about so far. Only advance.ts makes one.
import type {
  ContactFacts,
  Effect,
  Env,
  HandOver,
  LogEntry,
  LogOutcome,
  MessageFacts,
  RunState,
  Wait,
} from './contract.ts'
import { END_REASONS, type EndReason } from './end-reasons.ts'
import { publicScopeOf, scopeOf } from './facts.ts'
import { startOf } from './fold-text.ts'
import { baseOf, chooseText } from './language.ts'
import {
  MESSAGE_ATTACHMENTS_MAX,
  MESSAGE_TEXT_MAX,
  RUN_MESSAGES_MAX,
  SPRINT_EFFECTS_MAX,
  SPRINT_MESSAGES_MAX,
} from './limits.ts'
import type { Json, Scope } from './paths.ts'
import { type RenderContext, renderText } from './render.ts'
import type { FlowDefinition, LocalizedText, Step } from './schema.ts'

export type SprintDraft = {
  definition: FlowDefinition
  env: Env
  state: RunState
  /** As changed by the sprint so far. */
  contact: ContactFacts
  effects: Effect[]
  log: LogEntry[]
  steps: number
  messages: number
  draws: number
  scope: Scope
  publicScope: Scope
}

/** How a step ended. `at` of the state is moved by walk.ts alone. */
export type Outcome =
  | { kind: 'next' }
  | { kind: 'go'; target: string }
  | { kind: 'waits' }
  | { kind: 'ended' }
  | { kind: 'failed'; reason: EndReason }

export const NEXT: Outcome = { kind: 'next' }
export const go = (target: string): Outcome => ({ kind: 'go', target })
export const failed = (reason: EndReason): Outcome => ({ kind: 'failed', reason })

export const startDraft = (definition: FlowDefinition, state: RunState, env: Env): SprintDraft => {
  const draft = {
    definition,
    env,
    state: structuredClone(state),
    contact: structuredClone(env.contact),
    effects: [],
    log: [],
    steps: 0,
    messages: 0,
    draws: 0,
  }
  return { ...draft, scope: scopeOf(draft), publicScope: publicScopeOf(draft) }
}

export const NEW_RUN: RunState = {
  version: 1,
  status: 'running',
  endReason: null,
  at: null,
  wait: null,
  tokens: 0,
  variables: {},
  calls: {},
  message: null,
  answers: {},
  hoursId: null,
  depth: 0,
  stepsTaken: 0,
  messagesSent: 0,
}

export const logStep = (
  draft: SprintDraft,
  step: Pick<Step, 'id' | 'type'> | null,
  outcome: LogOutcome,
  detail: Record<string, Json> = {},
): void => {
  draft.log.push({ stepId: step?.id ?? null, type: step?.type ?? null, outcome, detail })
}

/** Adds an effect unless that would exceed a limit, which it returns. */
export const emit = (draft: SprintDraft, effect: Effect): EndReason | undefined => {
  if (draft.effects.length >= SPRINT_EFFECTS_MAX - 1) return 'sprint_effects_exceeded'
  const isMessage = effect.type === 'send' || effect.type === 'sendTemplate'
  if (isMessage || (effect.type === 'handOver' && effect.text !== null)) {
    if (draft.messages >= SPRINT_MESSAGES_MAX) return 'sprint_messages_exceeded'
    if (draft.state.messagesSent >= RUN_MESSAGES_MAX) return 'run_messages_exceeded'
    draft.messages++
    draft.state.messagesSent++
  }
  draft.effects.push(effect)
  return undefined
}

/** What follows an effect: the next step, or the limit that it met. */
export const emitThen = (draft: SprintDraft, effect: Effect, outcome: Outcome = NEXT): Outcome => {
  const limit = emit(draft, effect)
  return limit ? failed(limit) : outcome
}

/** Begins to wait and returns the token that will go on with it. */
export const startWait = (
  draft: SprintDraft,
  wait: Pick<Wait, 'for' | 'stepId' | 'until'> & Partial<Wait>,
): number => {
  draft.state.tokens++
  if (wait.for === 'reply' || wait.for === 'time') draft.state.hasWaited = true
  draft.state.wait = { invalid: 0, offered: [], ...wait, token: draft.state.tokens }
  return draft.state.tokens
}

export const endRun = (draft: SprintDraft, reason: EndReason): void => {
  const { state } = draft
  state.status = END_REASONS[reason].status
  state.endReason = reason
  state.at = null
  state.wait = null
  logStep(draft, null, 'ended', { reason })
}

/** Adds the hand-over without asking for limits: a customer is never left because of one. */
export const handOverAtLast = (
  draft: SprintDraft,
  stepId: string,
  reason: HandOver['reason'],
  collected: HandOver['collected'],
): void => {
  draft.effects.push({
    stepId,
    type: 'handOver',
    reason,
    assignTo: null,
    text: null,
    language: languageOf(draft),
    isSilent: draft.definition.kind === 'background',
    summary: 'answers',
    collected,
  })
}

/** The language to write to the customer in. */
export const languageOf = ({ contact, definition }: Pick<SprintDraft, 'contact' | 'definition'>): string =>
  contact.language ?? definition.language

/** A text in the customer's language with its values put in. Dates are written as in the language of the text. */
export const renderLocalized = (
  draft: SprintDraft,
  localized: LocalizedText,
  { max = draft.env.sending.bodyMax, scope = draft.scope }: { max?: number; scope?: Scope } = {},
): { text: string; language: string } => {
  const { text, language } = chooseText(localized, languageOf(draft), draft.definition.language)
  const wanted = languageOf(draft)
  // German text for an Austrian: dates as in Austria.
  const locale = baseOf(wanted) === baseOf(language) ? wanted : language
  return { text: renderText(text, { ...renderContext(draft, locale), scope }, max), language }
}

export const renderContext = (draft: SprintDraft, language: string): RenderContext => ({
  scope: draft.scope,
  language,
  timeZone: draft.env.workspace.timeZone,
  now: draft.env.now,
})

/** The next random number in [0, 1). Steps of the golden ratio spread evenly, and replaying gives the same. */
export const draw = (draft: SprintDraft): number => {
  const number = (draft.env.random + draft.draws * 0.6180339887498949) % 1
  draft.draws++
  return number
}

export const keepMessage = (draft: SprintDraft, message: MessageFacts): void => {
  draft.state.message = boundMessage(message)
}

/** A message as a run's state has room for it. */
export const boundMessage = (message: MessageFacts): MessageFacts => ({
  id: message.id,
  text: startOf(message.text, MESSAGE_TEXT_MAX),
  choice: message.choice,
  attachments: message.attachments.slice(0, MESSAGE_ATTACHMENTS_MAX),
  ...(message.referral && { referral: message.referral }),
})
