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
