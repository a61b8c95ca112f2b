// What an action may do, for whom, and who has to confirm it.

import { t } from '../../words/t.ts'

export const RISKS = [
  { value: 'read', label: t`Only reads` },
  { value: 'write', label: t`Changes something` },
] as const
export const NEEDS = [
  { value: 'none', label: t`Anyone` },
  { value: 'known', label: t`A known customer` },
  { value: 'verified', label: t`A verified customer` },
] as const
export const CONFIRMS = [
  { value: 'none', label: t`Nobody` },
  { value: 'customer', label: t`The customer` },
  { value: 'person', label: t`A teammate` },
] as const

/** Where the AI agent's value of a parameter comes from. */
export const SOURCES = [
  { value: 'model', label: t`The conversation` },
  { value: 'externalId', label: t`Contact’s external ID` },
  { value: 'email', label: t`Contact’s email` },
  { value: 'phone', label: t`Contact’s phone` },
  { value: 'field', label: t`A custom field` },
] as const
