import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { WhatsappPerson } from '../contacts/names.ts'
import { toE164 } from '../contacts/phone.ts'

/** The shortest numbers in use have 7 digits with their calling code, the longest 15. */
const PHONE_PATTERN = /^\+\d{7,15}$/

export const RECIPIENT_SAYS = 'must be a phone number in international format'

/** Reads a recipient: a phone number, however it is spaced, or a WhatsApp user id. Null if it is neither. */
export const readRecipient = (ctx: Ctx, text: string): WhatsappPerson | null => {
  const person = { userId: null, waId: null, phone: null, name: null, username: null }
  if (ctx.channels.whatsapp.isUserId(text)) return { ...person, userId: text }
  const phone = toE164(text)
  return phone && PHONE_PATTERN.test(phone) ? { ...person, phone } : null
}
