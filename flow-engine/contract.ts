// What goes into the engine and what comes out of it. All of it is JSON: it can be stored, sent and replayed.
import type { BusinessHours } from './business-hours.ts'
import type { EndReason } from './end-reasons.ts'
import type { Json } from './paths.ts'
import type { FLOW_CHANNELS } from './shapes.ts'
import type { StepType } from './step-schema.ts'

export type FlowChannel = (typeof FLOW_CHANNELS)[number]

/** Where a customer came from, e.g. an ad: what the provider tells of it. */
export type Referral = { headline?: string; sourceType?: string; sourceUrl?: string; ref?: string }

export type Attachment = { id: string; type: 'image' | 'audio' | 'video' | 'file' | 'sticker'; name: string }

/** A customer's message as flows see it: `message.*`. */
export type MessageFacts = {
  id: string
  text: string
  /** What the tapped button of another message (a template, an old menu) carries; null for typed messages. */
  choice: string | null
  attachments: Attachment[]
  /** Of the first message after a customer followed an ad or a link to the chat. */
  referral?: Referral | null
}

export type ContactFacts = {
  id: string
  name: string | null
  email: string | null
  phone: string | null
  /** BCP 47. */
  language: string | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  fields: Record<string, string>
  tags: { id: string; name: string }[]
}

export type ConversationFacts = {
  id: string
  channel: FlowChannel
  subject: string | null
  /** Whether it is the contact's first one. */
  isFirst: boolean
  /** Milliseconds. */
  openedAt: number
  agent: { id: string; name: string } | null
}

/** What can be sent at the moment. */
export type SendingFacts = {
  /** UTF-16 units of one message. */
  bodyMax: number
  /** Until when plain messages are accepted, in milliseconds; null on a channel that always accepts them. */
  windowClosesAt: number | null
  /** Why nothing can be sent at all. */
  refusal: 'opted_out' | 'blocked' | 'channel_unavailable' | null
}

/** What a definition refers to and still exists. `referencesOf` lists what to look up; what is missing here was deleted. */
export type ExistingFacts = {
  tags: { id: string; name: string }[]
  agents: { id: string; isOnline: boolean }[]
  teamIds: string[]
  actionIds: string[]
  templates: { name: string; language: string }[]
  flowIds: string[]
  attachmentIds: string[]
}

/** The world at the moment of a sprint. */
export type Env = {
  /** Milliseconds. */
  now: number
  /** In [0, 1). Every random choice of the sprint follows from it. */
  random: number
  contact: ContactFacts
  conversation: ConversationFacts
  workspace: { name: string; timeZone: string }
  sending: SendingFacts
  hours: BusinessHours[]
  existing: ExistingFacts
  /** The workspace's own ways of asking for a person. */
  escapePhrases: string[]
}

export type Input =
  | {
      type: 'started'
      /** What started it, if a message did. */
      message: MessageFacts | null
      /** Values for declared variables; others are left out. */
      variables: Record<string, Json>
      /** How many flows called each other to get here; 0 for a flow that was triggered. */
      depth: number
      /** A tap on a choice of an earlier run of this version that has ended: the run begins with that answer. */
      choice: StepChoice | null
    }
  | { type: 'message'; message: MessageFacts; choice: StepChoice | null }
  /** The time of `wait.until` has come. Another token than the wait's own does nothing. */
  | { type: 'woken'; token: number }
  | {
      type: 'callFinished'
      token: number
      outcome: 'done' | 'notFound' | 'refused' | 'failed' | 'unknown'
      /** The kept fields of the response, at most 8 KiB. */
      kept: Json
    }
  | { type: 'aiFinished'; token: number; outcome: 'done' | 'gaveUp'; collected: Record<string, Json> }
  | {
      type: 'partFinished'
      token: number
      status: 'completed' | 'failed' | 'cancelled'
      endReason: EndReason
      variables: Record<string, Json>
    }
  /** `toPeople`: the customer is in the middle of a dialog and has to be left to somebody. */
  | { type: 'cancelled'; reason: EndReason; toPeople?: boolean }

/**
 * A tapped option: of which step, and its `number` there. A number from MORE_OPTIONS on is the row that leads to the
 * next options, of which the first has this number less MORE_OPTIONS.
 */
export type StepChoice = { stepId: string; option: number }

export type EffectChoices = {
  /** Of the button that opens a list. */
  label: string
  /** Of the row that leads to the next options, where a channel shows only some. */
  more: string
  /** How many options the messages before this one showed, which leads on from them; absent for the first. */
  from?: number
  options: { id: string; number: number; title: string; description?: string }[]
}

export type Effect = { stepId: string } & (
  | { type: 'send'; text: string; language: string; choices: EffectChoices | null; attachmentIds: string[] }
  | { type: 'sendTemplate'; name: string; language: string; parameters: string[] }
  /** `to`: an agent's id, `ai`, or `nobody`. */
  | { type: 'assign'; to: string }
  /** To one of these, in turn or the one with the fewest open conversations. */
  | { type: 'assignAmong'; agentIds: string[]; by: 'turn' | 'fewest_open' }
  /** To a team, besides whoever it is assigned to. */
  | { type: 'team'; teamId: string }
  | { type: 'tag'; add: string[]; remove: string[] }
  /** `field`: `name`, `email`, `phone`, `language` or `fields.<key>`. null clears it. */
  | { type: 'setField'; field: string; value: string | null }
  | { type: 'note'; text: string }
  | { type: 'close' }
  /** To be claimed and made after the commit; `callFinished` with this token brings the outcome. */
  | { type: 'call'; token: number; actionId: string; parameters: Record<string, Json> }
  | { type: 'startAi'; token: number; goal: string; collect: string[]; turnsMax: number }
  /** `part`: `partFinished` with this token brings the outcome. `instead`: this run is over. */
  | {
      type: 'startFlow'
      token: number
      as: 'part' | 'instead'
      flowId: string
      variables: Record<string, Json>
      depth: number
    }
  | HandOver
)

export type HandOver = {
  type: 'handOver'
  reason: 'asked' | 'flow' | 'not_understood' | 'failed'
  /** To whom; null leaves it to the workspace's rule. */
  assignTo: string | null
  /** To the customer; null: the workspace's own words. Not sent if `isSilent`. */
  text: string | null
  language: string
  /** Background flows hand over without a word to the customer. */
  isSilent: boolean
  summary: 'answers' | 'ai' | 'none'
  /** What was asked and answered, in order; private answers are left out. */
  collected: { question: string; answer: string }[]
}

/** What a run waits for. `until`: when to wake it, in milliseconds; null: only what it waits for can go on with it. */
export type Wait = {
  for: 'reply' | 'time' | 'call' | 'ai' | 'part'
  stepId: string
  until: number | null
  /** Raised by each wait of a run, so that a late wake-up or result finds another one. */
  token: number
  /** How many replies couldn't be read. */
  invalid: number
  /** The numbers of the options as they are shown, top to bottom. */
  offered: number[]
}

export type RunStatus = 'running' | 'completed' | 'failed' | 'cancelled'

/** A run between two sprints. JSON of at most STATE_BYTES_MAX. */
export type RunState = {
  version: 1
  status: RunStatus
  endReason: EndReason | null
  /** The step that it stands at; null before the start and after the end. */
  at: { block: string; step: number } | null
  wait: Wait | null
  tokens: number
  variables: Record<string, Json>
  calls: Record<string, Json>
  /** The latest message of the customer that the run used. */
  message: MessageFacts | null
  /** The last answer of each question, by step. */
  answers: Record<string, { option: number | null; value: Json; at: number }>
  /** Of the last `hours` step; null: the default ones. */
  hoursId: string | null
  depth: number
  /** It has waited for a reply or a time, so that a flow it continues in is no deeper. */
  hasWaited?: true
  /** A tap that came during a call, and is taken after it. */
  tap?: { message: MessageFacts; choice: StepChoice }
  stepsTaken: number
  messagesSent: number
}

export type LogOutcome =
  | 'done'
  | 'off'
  | 'skipped'
  | 'asked'
  | 'answered'
  | 'invalid'
  | 'timedOut'
  | 'waiting'
  | 'resumed'
  | 'failed'
  | 'ignored'
  | 'ended'

/** One line of what happened. `detail` is small and holds no private value. */
export type LogEntry = {
  stepId: string | null
  type: StepType | null
  outcome: LogOutcome
  detail: Record<string, Json>
}

export type Sprint = {
  state: RunState
  effects: Effect[]
  log: LogEntry[]
  /** False if the input meant nothing to the run: a late wake-up, or a message while it waits for the time only. */
  isUsed: boolean
}
