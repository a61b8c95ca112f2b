// The keys by which a program names a contact, and the identities that they stand for.
import { PHONE_KINDS } from '../../../channels/definitions.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { listOwnNumbers } from '../channel-accounts/queries.ts'
import type { Identity } from '../contacts/people-queries.ts'
import { readPhones } from '../contacts/phone-spellings.ts'

export type KeyName = 'externalId' | 'email' | 'phone'
export type ContactKeys = { [K in KeyName]?: string }

export type Key = {
  name: KeyName
  /** What a contact gets for it: a number in E.164, an email in lower case. */
  identity: Identity
  /** Everything that it may be stored as: a number in all its spellings, on each channel. */
  identities: Identity[]
}

/** Throws VALIDATION_ERROR, under `field`, for a phone that can't be read as one. */
export const readKeys = async (
  ctx: Ctx,
  { externalId, email, phone }: ContactKeys,
  field: (name: KeyName) => string,
): Promise<Key[]> => {
  const keys: Key[] = []
  const add = (name: KeyName, identity: Identity, identities = [identity]) =>
    keys.push({ name, identity, identities })
  if (externalId !== undefined) add('externalId', { kind: 'external', value: externalId })
  if (email !== undefined) add('email', { kind: 'email', value: email.toLowerCase() })
  if (phone !== undefined) {
    const isInternational = /^\s*(\+|00)/.test(phone)
    const [number, ...variants] = readPhones(phone, isInternational ? [] : await listOwnNumbers(ctx))
    if (number === undefined)
      throw invalid({ field: field('phone'), message: 'must be a phone number with a country code' })
    add('phone', { kind: 'phone', value: number }, [number, ...variants].flatMap(asIdentities))
  }
  return keys
}

export const asIdentities = (number: string): Identity[] =>
  PHONE_KINDS.map(({ kind, holds }) => ({ kind, value: holds === 'digits' ? number.slice(1) : number }))
