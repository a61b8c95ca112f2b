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

type StepLook = {
  name: string
  about: string
  icon: LucideIcon
  group: string
}

export const STEP_TYPES: Record<StepType, StepLook> = {
  send: { name: 'Send message', about: 'A text or files', icon: MessageSquareText, group: 'Messages' },
  ask: {
    name: 'Ask question',
    about: 'Waits for the reply, and can offer buttons',
    icon: MessageCircleQuestionMark,
    group: 'Messages',
  },
  people: {
    name: 'Hand over to the team',
    about: 'Ends the flow and passes on what was collected',
    icon: UsersRound,
    group: 'Conversation',
  },
  call: {
    name: 'Call action',
    about: 'Looks something up or changes it in another system',
    icon: Webhook,
    group: 'Data',
  },
  branch: {
    name: 'Branch',
    about: 'Continues where the first matching condition leads',
    icon: GitBranch,
    group: 'Decisions',
  },
  hours: {
    name: 'Check business hours',
    about: 'Continues differently when you’re closed',
    icon: Clock,
    group: 'Decisions',
  },
  wait: { name: 'Wait', about: 'For a time, a reply or your opening', icon: Hourglass, group: 'Decisions' },
  goto: { name: 'Go to block', about: 'Continues elsewhere', icon: ArrowRight, group: 'Decisions' },
  split: {
    name: 'Split at random',
    about: 'Sends a share of customers each way',
    icon: Shuffle,
    group: 'Decisions',
  },
  set: { name: 'Set values', about: 'Changes variables or contact fields', icon: Pencil, group: 'Data' },
  tag: { name: 'Change tags', about: 'Adds tags to the contact or removes them', icon: Tags, group: 'Data' },
  note: { name: 'Add internal note', about: 'Only visible to your team', icon: StickyNote, group: 'Data' },
  assign: {
    name: 'Assign conversation',
    about: 'To a teammate, or in turn',
    icon: UserRoundCheck,
    group: 'Conversation',
  },
  close: {
    name: 'Close conversation',
    about: 'The customer can still reply',
    icon: CircleCheck,
    group: 'Conversation',
  },
  ai: { name: 'Let the AI agent reply', about: 'Until a goal is reached', icon: Bot, group: 'Conversation' },
  flow: {
    name: 'Run another flow',
    about: 'As a part of this one, or instead',
    icon: Workflow,
    group: 'Decisions',
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
  blocks: { start: { title: 'Start', steps: [newStep('ask', 's1')], next: 'end' } },
})
