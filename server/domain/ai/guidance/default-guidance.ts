import type { RuleCondition } from '../../../platform/db/tables.ts'
import type { Guidance } from './schema.ts'

/** What holds until something is published, and what the first draft begins with. */
export const DEFAULT_GUIDANCE: Guidance = {
  instructions: '',
  rules: [],
  tone: 'friendly',
  style: '',
  length: 'normal',
  languages: [],
  sensitiveTopics: [],
  domains: [],
  readableFields: [],
  writableFields: [],
  tagIds: [],
  flowIds: [],
  actionIds: [],
}

/** A rule's condition that is always met. */
export const FOR_ALL: RuleCondition = {
  channels: [],
  countries: [],
  tagIds: [],
  languages: [],
  hours: 'always',
}
