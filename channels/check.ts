import { DeliveryError } from './channel.ts'

/** What went wrong with a check, in plain words; the messages of a DeliveryError are written for people. */
export const problemOf = (error: unknown): string =>
  error instanceof DeliveryError ? error.message : 'Something went wrong here.'
