// What the conductor works on: a conversation with everything that decides what automation does there, and what it has
// decided so far. Nothing of it is written before all of the batch is decided.

import type { BusinessHours } from '../../../flow-engine/business-hours.ts'
import type {
  ContactFacts,
  Effect,
  EffectChoices,
  ExistingFacts,
  LogEntry,
  MessageFacts,
  RunState,
  SendingFacts,
} from '../../../flow-engine/contract.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import type { PassedOver } from '../../../flow-engine/triggers.ts'
import type { EventData } from '../../platform/events/catalogue.ts'
import type { HandOverReason } from '../ai/hand-over-reason.ts'
import type { Proposal } from '../ai/proposals/proposal.ts'
import type { AiSettings } from '../ai/schema.ts'
import type { Memory, Source } from '../ai/think.ts'
import type { Turn } from '../ai/turn-queries.ts'
import type { AutomationInput } from '../automation/inputs.ts'
import type { LiveFlows } from '../automation/live-flows.ts'
import type { PauseReason } from '../automation/states.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import type { CodeAddress } from '../identity-codes/code.ts'
import type { ConversationCode, NewCode } from '../identity-codes/queries.ts'
import type { Choice } from '../messages/choice-token.ts'
import type { Guards } from './guards.ts'
import type { Silence } from './silence.ts'

/** What started a run: the trigger, and the flows that it passed over. Stored with the run. */
export type RunCause = {
  on: string
  by: string
  /** The trigger's place in the definition; null for runs that no trigger started. */
  trigger: number | null
  messageId: string | null
  passedOver: PassedOver[]
  /** How many flows started each other by what they did, this one included; 1 for what people did. */
  chain: number
}

export type Run = {
  id: string
  flowId: string
  flowName: string
  version: number
  /** Null if the version is gone: the run can only end. */
  definition: FlowDefinition | null
  isDialog: boolean
  isTest: boolean
  startedAt: Date
  cause: RunCause
  /** Null before its first sprint. */
  state: RunState | null
  status: EventData['flow_run.updated']['status']
  parentRunId: string | null
  /** How many lines flow_run_steps has of it. */
  stepsLogged: number
  isNew: boolean
  isChanged: boolean
}

/** A customer's message that is an input. */
export type InboundMessage = MessageFacts & {
  at: number
  /** A tap on a choice of ours. */
  tapped: Choice | null
  /** Of the conversation, not counting lines of the system. */
  isFirst: boolean
  isReopening: boolean
  /** Out-of-office replies and the like. */
  isAutomatic: boolean
  /** Of a mail: its sender was authenticated. */
  isSenderVerified: boolean
}

export type PlaceInput = AutomationInput & { message: InboundMessage | null }

export type PlaceState = {
  pausedAt: Date | null
  pausedUntil: Date | null
  pauseReason: string | null
  guards: Guards
  silence: Silence | null
  silenceDueAt: number | null
  /** What the AI agent remembers here. */
  ai: Memory | null
  /** When the customer was asked where else they can be reached; null: not, or they have said so. */
  addressAskedAt: number | null
}

/** The AI agent says something; `turn`: the one it ends. */
export type AiWords = {
  turn: Turn | null
  metadata: Record<string, unknown>
  /** It no longer has the conversation, so its words are automation's. */
  isAutomation?: boolean
}

/** What is done when everything is decided, in this order. `run`: on whose behalf; null: the conductor's own. */
export type Act =
  | {
      is: 'message'
      run: Run | null
      by?: AiWords
      stepId: string
      text: string
      choices: EffectChoices | null
      attachmentIds: readonly string[]
    }
  | { is: 'template'; run: Run; effect: Extract<Effect, { type: 'sendTemplate' }> }
  /** null: unassign. `lineId`: of its line in the thread. */
  | { is: 'assign'; run: Run | null; agentId: string | null; because?: string; lineId?: string }
  | { is: 'team'; run: Run | null; teamId: string }
  /** null, as in the next two: the AI agent's. */
  | { is: 'tags'; run: Run | null; tagIds: string[] }
  | { is: 'field'; run: Run | null; field: string; value: string | null }
  | { is: 'note'; run: Run | null; text: string }
  | { is: 'close'; run: Run }
  | { is: 'pause'; run: Run | null; reason: PauseReason; until: Date }
  | { is: 'call'; run: Run; effect: Extract<Effect, { type: 'call' }> }
  /** A code for the customer, who has to show who they are. */
  | { is: 'code'; code: NewCode }
  /** What somebody confirmed. */
  | { is: 'proposedCall'; proposal: Proposal }
  /** A line in the thread. */
  | {
      is: 'line'
      run: LineRun | null
      says: string
      /** Of `says`, where it has several. */
      parts?: string[]
      steps: number
      ai?: HandOverLine | ActionLine
    }

/** The AI agent's line: why it handed over, and in which turn it decided that. */
export type HandOverLine = { turnId: string | null; handedOver: HandOverReason }

/** What became of an action that it proposed. */
export type ActionLine = { turnId: string; action: ActionPart }
export type ActionPart = Pick<Proposal, 'actionId' | 'name' | 'parameters' | 'state' | 'confirmedBy'> & {
  proposalId: string
}

/** What a line says of its run. */
export type LineRun = Pick<Run, 'id' | 'flowId' | 'flowName'>

export type StepRow = LogEntry & { run: Run; seq: number }

/** `turnId`: of the turn that ended with the hand-over. */
export type HandedDraft = { turnId: string; text: string; sources: readonly Source[] }

export type LastAsked = { question: string; titles: string[] }

export type Agent = { id: string; name: string; isAi: boolean }

export type Place = {
  conversation: LockedConversation
  subject: string | null
  openedAt: number
  isFirstConversation: boolean
  /** The customer wrote last, and no program did in their name. */
  isAnswerDue: boolean
  agent: Agent | null
  contact: ContactFacts
  sending: SendingFacts
  state: PlaceState
  inputs: readonly PlaceInput[]
  /** Those that run, and those that ended meanwhile. */
  runs: Run[]
  /** Ended runs that a tapped choice names, and runs whose effects are among the inputs. */
  otherRuns: ReadonlyMap<string, Run>
  /** When each flow was last started for the contact, in milliseconds. */
  lastStartedAt: Record<string, number>
  /** The AI agent's turn that isn't over. */
  turn: Turn | null
  /** Turns that are new or have changed, by id. */
  turns: Map<string, Turn>
  /** Actions that the AI agent proposed: those that aren't over, and those whose buttons are among the inputs. */
  proposals: Proposal[]
  /** Those that are new or have changed. */
  changedProposals: Set<Proposal>
  /** The newest code for this conversation. */
  code: ConversationCode | null
  isCodeChanged: boolean
  /** The AI agent has taken part in the conversation, so what happens may change what became of it. */
  hasOutcomes: boolean
  /** What the AI agent was lately asked, and which sources it named or offered. */
  lastAsked: LastAsked | null
  /** Nobody has replied to what the customer wrote last, flows aside. */
  owesReply: boolean
  /** When the AI agent is to write a draft for people; see wantDraft. */
  wantsDraftAt: number | null
  /** What the AI agent would have said, had it not handed over: for people. */
  handedDraft: HandedDraft | null
  acts: Act[]
  steps: StepRow[]
  sprints: number
  /** There may be more inputs than one sprint takes. */
  hasMore: boolean
  isStateChanged: boolean
}

/** What all conversations of a batch share. */
export type World = {
  now: number
  workspace: { name: string; timeZone: string }
  hours: BusinessHours[]
  live: LiveFlows
  /** Whether the AI agent is a member, and where it replies. */
  hasAi: boolean
  /** Whether it has a model. */
  hasModel: boolean
  ai: AiSettings
  newId: () => string
  /** Leaves the customer of a run to the AI agent. Given here because each of the two leads to the other. */
  startAi: (stage: Stage, run: Run, step: Extract<Effect, { type: 'startAi' }>) => Promise<void>
  definitionOf: (flowId: string, version: number) => Promise<FlowDefinition | undefined>
  /** What was refused although it seemed to be there; see EffectRefused. */
  excluded: ReadonlySet<string>
  /** What the definition refers to and still exists. */
  existingFor: (definition: FlowDefinition) => Promise<ExistingFacts>
  /** How long people usually take to reply to whom is handed over now, in minutes; null: nothing is said of it. */
  findUsualReply: () => Promise<number | null>
  /** Where a code for the conversation's contact may be sent now. */
  findCodeAddress: (conversationId: string) => Promise<CodeAddress | undefined>
  isRightCode: (codeId: string, given: string) => boolean
  /** Of several agents the one whose turn it is. */
  chooseAgent: (agentIds: readonly string[], by: 'turn' | 'fewest_open') => Promise<string>
}

export type Stage = { world: World; place: Place }

export const isPaused = ({ state }: Place, now: number): boolean =>
  state.pausedAt !== null && (state.pausedUntil === null || state.pausedUntil.getTime() > now)

/** A person has the conversation, or automation is paused. */
export const isWithPerson = (place: Place, now: number): boolean =>
  (place.agent !== null && !place.agent.isAi) || isPaused(place, now)

/** Of the first input that belongs to one. */
export const traceOf = ({ inputs }: Pick<Place, 'inputs'>): string | null =>
  inputs.find(({ traceparent }) => traceparent)?.traceparent ?? null

export const isRunning = ({ status }: Run): boolean => status === 'running'

/** The dialog that has the word. One that waits for a part of itself lets the part speak. */
export const findDialog = ({ runs }: Place): Run | undefined =>
  runs.find((run) => run.isDialog && isRunning(run) && run.state?.wait?.for !== 'part')

export const setState = (place: Place, change: Partial<PlaceState>): void => {
  place.state = { ...place.state, ...change }
  place.isStateChanged = true
}
