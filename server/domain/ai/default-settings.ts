import type { AiSettings } from './schema.ts'

/** It replies to everyone, at any time, wherever a conversation is assigned to it. */
export const DEFAULT_SETTINGS: AiSettings = {
  isStopped: false,
  name: null,
  audience: { channels: [], countries: [], tagIds: [], languages: [] },
  hours: 'always',
  expectation: null,
  budget: { day: null, month: null },
}
