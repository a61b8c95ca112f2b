// Identifies the customer in a webhook: combines the ids of a message with the contacts that come with it.

import { idOf, isObject, type JsonObject, lineOf, listOf, objectOf } from '../protocol/read-json.ts'
import type { Person } from './items.ts'
import { isUserId } from './user-id.ts'

const NAME_MAX = 200
const PHONE_DIGITS = /^\d{6,15}$/

export type People = { byId: ReadonlyMap<string, JsonObject>; only: JsonObject | undefined }

export const NO_PEOPLE: People = { byId: new Map(), only: undefined }

export const indexPeople = (contacts: unknown): People => {
  const people = listOf(contacts).filter(isObject)
  const byId = new Map<string, JsonObject>()
  for (const person of people)
    for (const id of Object.values(splitIds([idOf(person.user_id), idOf(person.wa_id)])))
      if (id !== null && !byId.has(id)) byId.set(id, person)
  return { byId, only: people.length === 1 ? people[0] : undefined }
}

type Ids = { waId?: unknown; userId?: unknown; parentUserId?: unknown }

/**
 * The sender of a message. Contacts are matched by id, never by position; a single contact with a single message also
 * matches, unless its ids contradict it. Ids may be in each other's field.
 */
export const personOf = (ids: Ids, people: People, isAlone: boolean): Person => {
  const own = splitIds([idOf(ids.userId), idOf(ids.waId)])
  const paired =
    (own.userId === null ? undefined : people.byId.get(own.userId)) ??
    (own.waId === null ? undefined : people.byId.get(own.waId)) ??
    (isAlone ? people.only : undefined)
  const theirs = splitIds([idOf(paired?.user_id), idOf(paired?.wa_id)])
  const contact = paired && !differ(own.userId, theirs.userId) && !differ(own.waId, theirs.waId) ? paired : {}
  const known = contact === paired ? theirs : { userId: null, waId: null }
  const waId = own.waId ?? known.waId
  const profile = objectOf(contact.profile)
  return {
    userId: own.userId ?? known.userId,
    parentUserId: idOf(ids.parentUserId) ?? idOf(contact.parent_user_id),
    waId,
    phone: waId !== null && PHONE_DIGITS.test(waId) ? `+${waId}` : null,
    name: lineOf(profile.name, NAME_MAX),
    username: lineOf(profile.username, NAME_MAX),
  }
}

const differ = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one !== other

/** Tells the business-scoped id from the other one, whichever field each is in. */
const splitIds = (ids: readonly (string | null)[]): { userId: string | null; waId: string | null } => {
  const known = ids.filter((id) => id !== null)
  // Some senders write a number with a plus sign.
  const others = known.filter((id) => !isUserId(id)).map((id) => id.replace(/^\+(?=\d{6,15}$)/, ''))
  // A phone number is preferred to an id in an unknown format.
  const waId = others.find((id) => PHONE_DIGITS.test(id)) ?? others[0] ?? null
  return { userId: known.find(isUserId) ?? null, waId }
}

export const isUnidentified = ({ userId, waId }: Person): boolean => userId === null && waId === null
