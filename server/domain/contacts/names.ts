import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Identity } from './people-queries.ts'
import { CONTACT_NAME_MAX } from './schema.ts'

/** A contact's name as stored: its first 120 code points. */
export const cutName = (name: string): string => [...name].slice(0, CONTACT_NAME_MAX).join('')

/** A WhatsApp customer as named by a webhook or a send. At least one of userId, waId and phone is set. */
export type WhatsappPerson = {
  userId: string | null
  waId: string | null
  /** E.164 */
  phone: string | null
  name: string | null
  username: string | null
  /** Their name if they are new; existing contacts keep theirs. */
  nameIfNew?: string | null
}

/** A customer of any channel. */
export type ProvenPerson = WhatsappPerson & {
  /** The channel's own id for them, which is what to send to. If they have a number, that identifies them. */
  own?: Identity
  /** For people whose number does not show it. */
  countryIso?: string | null
}

export const identitiesOf = ({ userId, waId, phone, own }: ProvenPerson): Identity[] => [
  ...(userId ? [{ kind: 'whatsapp_user_id' as const, value: userId }] : []),
  ...numbersOf({ waId, phone }),
  ...(own ? [own] : []),
]

export const numbersOf = ({ waId, phone }: Pick<WhatsappPerson, 'waId' | 'phone'>): Identity[] => [
  ...(waId ? [{ kind: 'whatsapp_id' as const, value: waId }] : []),
  ...(phone ? [{ kind: 'phone' as const, value: phone }] : []),
]

const DIGITS = /^\d{6,15}$/

/** The person's number in every spelling and under both kinds, exact ones first: what a lookup by number tries. */
export const spellingsOf = (
  ctx: Ctx,
  { waId, phone }: Pick<WhatsappPerson, 'waId' | 'phone'>,
): Identity[] => {
  const numbers = [waId, phone?.slice(1)].filter((text) => text != null && DIGITS.test(text)) as string[]
  const variants = numbers.flatMap((number) => ctx.channels.whatsapp.phoneVariants(number))
  return [
    ...numbersOf({ waId, phone }),
    ...[...new Set([...numbers, ...variants])].flatMap((digits) => [
      { kind: 'whatsapp_id' as const, value: digits },
      { kind: 'phone' as const, value: `+${digits}` },
    ]),
  ]
}

/** Every identity that may find the person. */
export const namesOf = (ctx: Ctx, person: ProvenPerson): Identity[] => [
  ...identitiesOf(person),
  ...spellingsOf(ctx, person),
]
