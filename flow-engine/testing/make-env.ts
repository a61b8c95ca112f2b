// A world for tests: one contact, one conversation, nothing in the way.
import type { Env, Input, MessageFacts, StepChoice } from '../contract.ts'

/** Monday, 23 November 2026, 11:00 in Berlin. */
export const NOW = Date.UTC(2026, 10, 23, 10)

export const OFFICE_HOURS: Env['hours'][number] = {
  id: 'hours1',
  name: 'Office',
  isDefault: true,
  timeZone: 'Europe/Berlin',
  weekly: Object.fromEntries(
    ['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, [{ from: '09:00', to: '17:00' }]]),
  ),
  exceptions: [],
}

type Changes = Partial<Omit<Env, 'contact' | 'conversation' | 'sending' | 'existing'>> & {
  contact?: Partial<Env['contact']>
  conversation?: Partial<Env['conversation']>
  sending?: Partial<Env['sending']>
  existing?: Partial<Env['existing']>
}

export const makeEnv = ({ contact, conversation, sending, existing, ...rest }: Changes = {}): Env => ({
  now: NOW,
  random: 0.5,
  contact: {
    id: 'contact1',
    name: 'Maria Silva',
    email: 'maria@example.org',
    phone: '+491701234567',
    language: 'en',
    country: 'DE',
    fields: {},
    tags: [],
    ...contact,
  },
  conversation: {
    id: 'conversation1',
    channel: 'web',
    subject: null,
    isFirst: true,
    openedAt: NOW,
    agent: null,
    ...conversation,
  },
  workspace: { name: 'Foyer', timeZone: 'Europe/Berlin' },
  sending: { bodyMax: 4_000, windowClosesAt: null, refusal: null, ...sending },
  hours: [OFFICE_HOURS],
  existing: {
    tags: [{ id: 'tag1', name: 'VIP' }],
    agents: [
      { id: 'agent1', isOnline: true },
      { id: 'agent2', isOnline: false },
    ],
    teamIds: ['team1'],
    actionIds: ['action1'],
    templates: [{ name: 'order_status', language: 'en' }],
    flowIds: ['flow2'],
    attachmentIds: ['file1'],
    ...existing,
  },
  escapePhrases: [],
  ...rest,
})

export const makeMessage = (text: string, message: Partial<MessageFacts> = {}): MessageFacts => ({
  id: 'message1',
  text,
  choice: null,
  attachments: [],
  ...message,
})

export const started = (input: Partial<Extract<Input, { type: 'started' }>> = {}): Input => ({
  type: 'started',
  message: makeMessage('Hello'),
  variables: {},
  depth: 0,
  choice: null,
  ...input,
})

export const says = (text: string): Input => ({ type: 'message', message: makeMessage(text), choice: null })

export const taps = (choice: StepChoice): Input => ({ type: 'message', message: makeMessage(''), choice })
