import { createHash, randomBytes, randomInt } from 'node:crypto'

const PROCESS_PART = randomBytes(5).toString('hex').toUpperCase()
let made = randomInt(2 ** 24)

/** Message ids in WhatsApp's format: base64 of a small binary record with the other party's id and a random part. */
export const newMessageId = (party: string, direction: 'inbound' | 'outbound'): string => {
  const id = Buffer.from(party.slice(0, 64), 'latin1')
  // A random prefix per process plus a counter: random bytes for every id took a twentieth of a send's time.
  const random = PROCESS_PART + (++made).toString(16).toUpperCase().padStart(8, '0')
  return `wamid.${Buffer.concat([
    Buffer.from([0x1c, 0x18, id.length]),
    id,
    Buffer.from([0x15, 0x02, 0x00, direction === 'outbound' ? 0x11 : 0x12, 0x18, random.length]),
    Buffer.from(random, 'latin1'),
    Buffer.from([0x00]),
  ]).toString('base64')}`
}

export const newTraceId = (): string => `A${randomBytes(17).toString('base64url').slice(0, 22)}`

/** Decimal ids of Graph nodes: 16 digits, beyond what a double holds exactly. */
export const newNodeId = (): string => `9${digits(8)}${digits(7)}`

export const newUserId = (country: string): string => `${country}.${digits(10)}${digits(10)}`

/** The same number gets the same id in every run, so the ids that the business stored stay valid. */
export const userIdOfNumber = (country: string, waId: string): string => {
  const hash = createHash('sha256').update(waId).digest()
  return `${country}.${[...hash.subarray(0, 20)].map((byte) => byte % 10).join('')}`
}

const digits = (count: number): string =>
  randomInt(10 ** count)
    .toString()
    .padStart(count, '0')

/** A phone number as WhatsApp's ids have it. */
export const digitsOf = (text: string): string => text.replace(/\D/g, '')
