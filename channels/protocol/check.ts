import { DeliveryError } from '../contract/channel.ts'

/** The error of a failed check. Messages of DeliveryErrors are meant for users; others are not shown. */
export const problemOf = (error: unknown): string =>
  error instanceof DeliveryError ? error.message : 'Something went wrong on our side.'
