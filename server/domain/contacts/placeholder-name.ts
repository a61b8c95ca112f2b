// What people are called who haven't told us their name. Nobody is to be greeted by it.
import { WEBHOOKS, type WebhookChannelName } from '../../../channels/definitions.ts'

const ID_CHARACTERS_SHOWN = 4
const VISITOR = 'Visitor'

const named = (what: string, id: string): string => `${what} ${id.slice(-ID_CHARACTERS_SHOWN)}`

/** The name of a visitor who gave neither name nor email. */
export const visitorPlaceholder = (visitorId: string): string => named(VISITOR, visitorId)

/** Null where a number stands in for the name. */
export const channelPlaceholder = (channel: WebhookChannelName, externalId: string): string | null => {
  const { unnamed } = WEBHOOKS[channel]
  return unnamed === null ? null : named(unnamed, externalId)
}

const ALL = [VISITOR, ...Object.values(WEBHOOKS).flatMap(({ unnamed }) => unnamed ?? [])]

/** Whether a contact's name is one of the above: it stays with the contact when its identities move. */
const isPlaceholder = (name: string): boolean =>
  ALL.some((what) => name.startsWith(`${what} `) && name.length <= what.length + 1 + ID_CHARACTERS_SHOWN)

type Named = { name: string; email: string | null; phone: string | null }

/** The name that a contact was given by anybody; null if it only stands in for one, as an address or a number does. */
export const ownNameOf = ({ name, email, phone }: Named): string | null =>
  isPlaceholder(name) || name === email || name === phone || /^\+?\d+$/.test(name) ? null : name
