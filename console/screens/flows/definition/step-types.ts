// The 16 types of steps as an author sees them, in the order in which they are offered.
import {
  ArrowRight,
  Bot,
  CircleCheck,
  Clock,
  GitBranch,
  Hourglass,
  MessageCircleQuestionMark,
  MessageSquareText,
  Pencil,
  Shuffle,
  StickyNote,
  Tags,
  UserRoundCheck,
  UsersRound,
  Webhook,
  Workflow,
} from 'lucide-react'
import type { FlowDefinition, Step, StepOf, StepType } from '../../../../flow-engine/schema.ts'
import type { LucideIcon } from '../../../ui/icons.ts'
import { t } from '../../../words/t.ts'

type StepLook = {
  name: string
  about: string
  icon: LucideIcon
  group: string
}

export const STEP_TYPES: Record<StepType, StepLook> = {
  send: { name: t`Send message`, about: t`A text or files`, icon: MessageSquareText, group: t`Messages` },
  ask: {
    name: t`Ask question`,
    about: t`Waits for the reply, and can offer buttons`,
    icon: MessageCircleQuestionMark,
    group: t`Messages`,
  },
  people: {
    name: t`Hand over to the team`,
    about: t`Ends the flow and passes on what was collected`,
    icon: UsersRound,
    group: t`Conversation`,
  },
  call: {
    name: t`Call action`,
    about: t`Looks something up or changes it in another system`,
    icon: Webhook,
    group: t`Data`,
  },
  branch: {
    name: t`Branch`,
    about: t`Continues where the first matching condition leads`,
    icon: GitBranch,
    group: t`Decisions`,
  },
  hours: {
    name: t`Check business hours`,
    about: t`Continues differently when you’re closed`,
    icon: Clock,
    group: t`Decisions`,
  },
  wait: {
    name: t`Wait`,
    about: t`For a time, a reply or your opening`,
    icon: Hourglass,
    group: t`Decisions`,
  },
  goto: { name: t`Go to block`, about: t`Continues elsewhere`, icon: ArrowRight, group: t`Decisions` },
  split: {
    name: t`Split at random`,
    about: t`Sends a share of customers each way`,
    icon: Shuffle,
    group: t`Decisions`,
  },
  set: { name: t`Set values`, about: t`Changes variables or contact fields`, icon: Pencil, group: t`Data` },
  tag: {
    name: t`Change tags`,
    about: t`Adds tags to the contact or removes them`,
    icon: Tags,
    group: t`Data`,
  },
  note: { name: t`Add internal note`, about: t`Only visible to your team`, icon: StickyNote, group: t`Data` },
  assign: {
    name: t`Assign conversation`,
    about: t`To a teammate, or in turn`,
    icon: UserRoundCheck,
    group: t`Conversation`,
  },
  close: {
    name: t`Close conversation`,
    about: t`The customer can still reply`,
    icon: CircleCheck,
    group: t`Conversation`,
  },
  ai: {
    name: t`Let the AI agent reply`,
    about: t`Until a goal is reached`,
    icon: Bot,
    group: t`Conversation`,
  },
  flow: {
    name: t`Run another flow`,
    about: t`As a part of this one, or instead`,
    icon: Workflow,
    group: t`Decisions`,
  },
}

type Draft<T extends StepType> = Omit<StepOf<T>, 'id' | 'type'>

const FIRST: { [T in StepType]: Draft<T> } = {
  send: { text: '' },
  ask: {
    text: '',
    answer: 'text',
    retry: { times: 2, then: 'people' },
    timeout: { after: 'P1D', then: 'end' },
  },
  people: {},
  call: { actionId: '', onFailed: 'people' },
  branch: {
    paths: [{ when: { value: 'contact.language', op: 'is', to: '' }, goto: 'people' }],
    else: 'end',
  },
  hours: { open: 'people', closed: 'end' },
  wait: { for: 'PT1H' },
  goto: { to: 'end' },
  split: {
    paths: [
      { percent: 50, goto: 'end' },
      { percent: 50, goto: 'people' },
    ],
  },
  set: { set: [{ to: 'run.value', value: '' }] },
  tag: {},
  note: { text: '' },
  assign: { to: 'nobody' },
  close: {},
  ai: {},
  flow: { flowId: '', as: 'part' },
}

/** A step as it is when it was just added: nothing chosen that the author has to choose. */
export const newStep = (type: StepType, id: string): Step => ({ ...FIRST[type], id, type }) as Step

/** What an author starts with: one question, after which the flow ends until something else is chosen. */
export const emptyDefinition = (language: string): FlowDefinition => ({
  schema: 1,
  kind: 'dialog',
  language,
  triggers: [{ on: 'message', isFirst: true }],
  start: 'start',
  blocks: { start: { title: t`Start`, steps: [newStep('ask', 's1')], next: 'end' } },
})
