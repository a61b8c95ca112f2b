/** The models, by the names that requests give them. */
export const MODELS = [
  'sandbox-script',
  'sandbox-facts',
  'sandbox-gullible',
  'sandbox-person',
  'sandbox-dutiful',
  'sandbox-talker',
  'sandbox-writer',
] as const
export type ModelName = (typeof MODELS)[number]

export const isModel = (name: string): name is ModelName => MODELS.some((one) => one === name)
