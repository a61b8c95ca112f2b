// What an admin does about a channel's problem, in a sentence after the one that says what is wrong.
import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { ChannelName } from '../../platform/db/tables.ts'

/** A delivery whose signature does not match: kept by webhooks, ended by the next one that does. */
export const SIGNATURE_PROBLEM = {
  code: 'WEBHOOK_SIGNATURE',
  message:
    'Deliveries arrive with the wrong signature. They are rejected, and customers’ messages with them.',
}

/** Kept by a test that failed, by what it was about; ended by one that succeeds, and by traffic of that kind. */
export const CHECK_FAILED = {
  sending: 'CHECK_FAILED',
  receiving: 'MAILBOX_CHECK_FAILED',
  setup: 'WEBHOOK_CHECK_FAILED',
} as const

const RECEIVING = /^(MAILBOX|WEBHOOK)_/

/** Problems of receiving say nothing about sending, and the other way round. */
export const isOfReceiving = ({ code }: { code: string }): boolean => RECEIVING.test(code)

/** What a provider's own code stands for is known to its channel only; most of those that end here are about credentials. */
const CREDENTIALS = 'Enter the credentials again below, then test the connection.'

/** Shared with whoever else reports such a code. */
const ADVICE: Record<string, string> = {
  PROVIDER_SILENT: 'Messages are retried until the provider responds. If this lasts, check its status page.',
  SECRETS_SEALED: 'Enter the credentials again below.',
  ADDRESS_NOT_ALLOWED: 'Enter another address, or ask whoever runs Foyer to allow it.',
  WEBHOOK_CHECK_FAILED: 'Register the webhook below.',
  MAILBOX_UNREACHABLE: 'Check the IMAP address and that the mail server is running. Foyer keeps trying.',
}

/** `isSignedIn`: the mailbox was connected by signing in. */
export const adviceFor = (channel: ChannelName, code: string, { isSignedIn = false } = {}): string => {
  if (code === SIGNATURE_PROBLEM.code) {
    const { fields } = DEFINITIONS[channel] as { fields: Record<string, { label: string }> }
    const secret = fields.appSecret ?? fields.webhookSecret ?? fields.authToken
    return secret
      ? `Enter the ${secret.label.toLowerCase()} again below. It has to be the one that the provider uses.`
      : CREDENTIALS
  }
  if (isSignedIn && !ADVICE[code]) return 'Reconnect the mailbox by signing in again.'
  if (code.startsWith('MAILBOX_') && !ADVICE[code])
    return 'Check the user name and password of the IMAP address below.'
  return ADVICE[code] ?? CREDENTIALS
}
