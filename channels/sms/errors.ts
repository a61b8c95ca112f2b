// Classifies Twilio's error codes. The same ones occur in the response to a send and later in a status callback.
// https://www.twilio.com/docs/api/errors
import { lineOf } from '../protocol/read-json.ts'

type Row = { outcome: 'retry' | 'refused'; message: string; concerns?: 'customer' | 'account' }

const refused = (message: string, concerns?: Row['concerns']): Row => ({
  outcome: 'refused',
  message,
  ...(concerns && { concerns }),
})
const retry = (message: string): Row => ({ outcome: 'retry', message })

const ROWS: Record<string, Row> = {
  14107: retry('Twilio’s rate limit for messages to this number has been reached.'),
  20003: refused('Twilio rejected the account SID and auth token.', 'account'),
  20005: refused('The Twilio account is not active.', 'account'),
  20404: refused('Twilio can’t find the account.', 'account'),
  20429: retry('Too many requests to Twilio in a short time.'),
  21211: refused('The recipient is not a valid phone number.'),
  21408: refused('The Twilio account isn’t allowed to send to the recipient’s country.'),
  21602: refused('The message is empty.'),
  21606: refused('The sending number cannot send messages.', 'account'),
  21608: refused('Trial accounts can only send to verified numbers.'),
  21610: refused('The recipient has opted out of messages from this number.', 'customer'),
  21611: retry('The sending number has too many messages queued.'),
  21612: refused('The recipient cannot be reached from this number.'),
  21614: refused('The recipient is not a mobile number.'),
  21617: refused('The message is longer than 1,600 characters.'),
  21620: refused('Twilio couldn’t download the file.'),
  21623: refused('This number can’t send media messages to the recipient’s country.'),
  30001: retry('Twilio’s queue for this number is full.'),
  30002: refused('The Twilio account is suspended.', 'account'),
  30003: refused('The recipient’s phone is off or cannot be reached.'),
  30004: refused('The recipient’s number is blocked or can’t receive messages.'),
  30005: refused('The recipient’s number no longer exists.'),
  30006: refused('The recipient is a landline or cannot be reached by its carrier.'),
  30007: refused('The carrier filtered the message as spam.'),
  30008: refused('No reason given by the carrier.'),
  30034: refused('The sending number is not registered for messages to US numbers.', 'account'),
}

export const rowOf = (code: string): Row | undefined => (Object.hasOwn(ROWS, code) ? ROWS[code] : undefined)

/** Why a message that Twilio accepted was not delivered. */
export const failureOf = (code: string | null, said: string | null): { code: string; message: string } => ({
  code: code ?? 'UNKNOWN',
  message: (code && rowOf(code)?.message) ?? lineOf(said, 500) ?? 'No reason given by Twilio.',
})
