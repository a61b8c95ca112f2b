import type { Ctx } from '../../ctx.ts'
import { toE164 } from '../contacts/phone.ts'
import type { WhatsappPerson } from '../contacts/resolve-people.ts'

/** The shortest numbers in use have 7 digits with their calling code, the longest 15. */
const PHONE_PATTERN = /^\+\d{7,15}$/

export const RECIPIENT_SAYS = 'must be a phone number in international format'

/** Whom a caller names: by a phone number, however it is spaced, or by a WhatsApp user id. Null where it is neither. */
export const readRecipient = (ctx: Ctx, text: string): WhatsappPerson | null => {
  const person = { userId: null, waId: null, phone: null, name: null, username: null }
  if (ctx.channels.whatsapp.isUserId(text)) return { ...person, userId: text }
  const phone = toE164(text)
  return phone && PHONE_PATTERN.test(phone) ? { ...person, phone } : null
}
