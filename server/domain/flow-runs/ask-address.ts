// Where else customers can be reached who wrote while nobody is there: they are asked when the AI agent hands over, and
// what they write then is noted. It identifies nobody, as whatever customers say of themselves.
import { readEmail, readPhone } from '../../../flow-engine/read-reply.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { isOpenAt } from '../ai/may-reply.ts'
import { type InboundMessage, type Stage, setState } from './place.ts'

/** The others' own addresses are email addresses and phone numbers. */
const WITHOUT_ADDRESS: ReadonlySet<ChannelName> = new Set(['web', 'telegram', 'facebook'])
/** What comes later is about something else. */
const ASKED_MAX_MS = 72 * 3_600_000
/** A number among other words. */
const NUMBERS = /(?<![\p{L}\d])[+(]?\d[\d\s()./-]{5,22}\d(?![\p{L}\d])/gu

export const lacksAddress = ({ world, place }: Stage): boolean =>
  world.ai.asksAddress &&
  WITHOUT_ADDRESS.has(place.conversation.channel) &&
  place.contact.email === null &&
  place.contact.phone === null &&
  !isOpenAt(world.hours, world.now)

/** Notes an address in what the customer wrote. The message is still everybody else's. */
export const takeAddress = (stage: Stage, { text }: Pick<InboundMessage, 'text'>): void => {
  const { world, place } = stage
  const { addressAskedAt } = place.state
  if (addressAskedAt === null) return
  const isOver = world.now - addressAskedAt > ASKED_MAX_MS
  const found = isOver ? null : addressIn(text, place.contact.country)
  if (!isOver && !found) return
  setState(place, { addressAskedAt: null })
  // Somebody has entered one meanwhile.
  if (!found || place.contact[found.field] !== null) return
  place.contact = { ...place.contact, [found.field]: found.value }
  place.acts.push({ is: 'field', run: null, ...found })
  place.acts.push({
    is: 'line',
    run: null,
    says: `AI agent: noted the ${NAMES[found.field]} that the customer gave. It isn’t verified`,
    steps: 0,
  })
}

const NAMES = { email: 'email address', phone: 'phone number' } as const

const addressIn = (
  text: string,
  country: string | null,
): { field: 'email' | 'phone'; value: string } | null => {
  const email = readEmail(text)
  if (email !== undefined) return { field: 'email', value: email }
  const phones = new Set(
    (text.match(NUMBERS) ?? []).flatMap((number) => readPhone(number.trim(), country) ?? []),
  )
  // Of two, it isn't known which is theirs.
  return phones.size === 1 ? { field: 'phone', value: [...phones][0]! } : null
}
