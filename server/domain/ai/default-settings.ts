import type { AiSettings, Speaking } from './schema.ts'

export const DEFAULT_SPEAKING: Speaking = {
  mode: 'assigned',
  afterMinutes: 10,
  hours: 'always',
  audience: { countries: [], tagIds: [], languages: [] },
}

/** It replies to everyone, at any time, wherever a conversation is assigned to it. */
export const DEFAULT_SETTINGS: AiSettings = {
  isStopped: false,
  name: null,
  speaking: {
    web: DEFAULT_SPEAKING,
    email: DEFAULT_SPEAKING,
    whatsapp: DEFAULT_SPEAKING,
    facebook: DEFAULT_SPEAKING,
    telegram: DEFAULT_SPEAKING,
    sms: DEFAULT_SPEAKING,
  },
  handOver: { agentId: null, teamId: null, tagId: null },
  expectation: null,
  handOverTexts: {},
  asksAddress: false,
  budget: { day: null, month: null },
  privacy: { hidesContacts: false, requestsKeptDays: 30, sendsPictures: false },
}
