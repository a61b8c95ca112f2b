// What can be made to go wrong next, app by app, in the order in which people meet it.
import type { App, Failure, Fault, Json } from './control-client.ts'

export type Reason = { says: string; fault: Json }

const broken: Reason[] = [
  { says: 'The connection breaks, the message arrives', fault: { kind: 'drop', isAccepted: true } },
  { says: 'The connection breaks, nothing arrives', fault: { kind: 'drop' } },
  { says: 'No answer ever comes, the message arrives', fault: { kind: 'hang', isAccepted: true } },
]

export const REASONS: Record<App, Reason[]> = {
  whatsapp: [
    { says: 'Refused: something went wrong (131000)', fault: { kind: 'error', code: 131000 } },
    { says: 'Refused: the window is closed (131047)', fault: { kind: 'error', code: 131047 } },
    { says: 'Refused: too many messages at once (130429)', fault: { kind: 'error', code: 130429 } },
    {
      says: 'Refused: this person was written to too often (131056)',
      fault: { kind: 'error', code: 131056 },
    },
    { says: 'Refused: the access token is no longer valid (190)', fault: { kind: 'error', code: 190 } },
    { says: 'Refused: the template does not exist (132001)', fault: { kind: 'error', code: 132001 } },
    { says: 'Fails later: not on WhatsApp (131026)', fault: { kind: 'fail', code: 131026 } },
    { says: 'Fails later: withheld by WhatsApp (131049)', fault: { kind: 'fail', code: 131049 } },
    { says: 'Fails later: the picture cannot be fetched (131053)', fault: { kind: 'fail', code: 131053 } },
    ...broken,
    { says: 'A server error without words (502)', fault: { kind: 'server-error', http: 502 } },
    { says: 'The status comes before the answer', fault: { kind: 'status-first' } },
    { says: '“Delivered” is skipped', fault: { kind: 'skip-delivered' } },
  ],
  mail: [
    { says: 'Refused: no such mailbox (550)', fault: { kind: 'refuse', code: 550 } },
    { says: 'Refused: the message is too big (552)', fault: { kind: 'refuse', code: 552 } },
    { says: 'Try again later: the mailbox is busy (450)', fault: { kind: 'refuse', code: 450 } },
    { says: 'Try again later: an error over there (451)', fault: { kind: 'refuse', code: 451 } },
    { says: 'Try again later: the service closes (421)', fault: { kind: 'refuse', code: 421 } },
    { says: 'Taken, and bounced a moment later', fault: { kind: 'fail' } },
    ...broken,
  ],
  telegram: [
    { says: 'Refused: blocked by this person (403)', fault: { kind: 'refuse', code: 403 } },
    { says: 'Refused: too many at once (429)', fault: { kind: 'refuse', code: 429 } },
    { says: 'Refused: the token is no longer valid (401)', fault: { kind: 'refuse', code: 401 } },
    { says: 'A server error (500)', fault: { kind: 'refuse', code: 500 } },
    ...broken,
  ],
  messenger: [
    { says: 'Refused: outside the allowed window (10)', fault: { kind: 'refuse', code: 10 } },
    { says: 'Refused: not available right now (551)', fault: { kind: 'refuse', code: 551 } },
    { says: 'Refused: too many at once (613)', fault: { kind: 'refuse', code: 613 } },
    { says: 'Refused: the token is no longer valid (190)', fault: { kind: 'refuse', code: 190 } },
    { says: 'A passing failure (1200)', fault: { kind: 'refuse', code: 1200 } },
    ...broken,
  ],
  sms: [
    { says: 'Refused: unsubscribed by STOP (21610)', fault: { kind: 'refuse', code: 21610 } },
    { says: 'Refused: not a valid number (21211)', fault: { kind: 'refuse', code: 21211 } },
    { says: 'Refused: too many at once (20429)', fault: { kind: 'refuse', code: 20429 } },
    { says: 'Fails later: the phone is unreachable (30003)', fault: { kind: 'fail', code: 30003 } },
    { says: 'Fails later: filtered by the carrier (30007)', fault: { kind: 'fail', code: 30007 } },
    ...broken,
  ],
}

export const nameOfFault = (app: App, fault: Fault | Failure): string =>
  REASONS[app].find(
    ({ fault: { kind, code, isAccepted } }) =>
      kind === fault.kind && code === fault.code && (isAccepted ?? false) === (fault.isAccepted ?? false),
  )?.says ?? [fault.kind, fault.code].filter((part) => part !== undefined).join(' ')
