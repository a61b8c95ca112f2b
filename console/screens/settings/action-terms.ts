// What an action may do, for whom, and who has to confirm it.

export const RISKS = [
  { value: 'read', label: 'Only reads' },
  { value: 'write', label: 'Changes something' },
] as const
export const NEEDS = [
  { value: 'none', label: 'Anyone' },
  { value: 'known', label: 'A known customer' },
  { value: 'verified', label: 'A verified customer' },
] as const
export const CONFIRMS = [
  { value: 'none', label: 'Nobody' },
  { value: 'customer', label: 'The customer' },
  { value: 'person', label: 'A teammate' },
] as const

/** Where the AI agent's value of a parameter comes from. */
export const SOURCES = [
  { value: 'model', label: 'The conversation' },
  { value: 'externalId', label: 'Contact’s external ID' },
  { value: 'email', label: 'Contact’s email' },
  { value: 'phone', label: 'Contact’s phone' },
  { value: 'field', label: 'A custom field' },
] as const
