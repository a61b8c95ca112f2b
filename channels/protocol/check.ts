import { DeliveryError } from '../contract/channel.ts'

/** The problem that a check found, in plain words; the messages of DeliveryErrors are written for people. */
export const problemOf = (error: unknown): string =>
  error instanceof DeliveryError ? error.message : 'Something went wrong on our side.'
