// Creates inbound items, with defaults for what most channels don't provide.
import type { InboundFile, InboundPerson, MessageItem, UnknownItem } from '../contract/inbound.ts'

export const makePerson = (externalId: string, known: Partial<InboundPerson> = {}): InboundPerson => ({
  externalId,
  phone: null,
  name: null,
  username: null,
  countryIso: null,
  ...known,
})

export const makeMessage = (
  given: Pick<MessageItem, 'externalId' | 'person' | 'body' | 'metadata'> & Partial<MessageItem>,
): MessageItem => ({
  type: 'message',
  accountName: null,
  sentAt: null,
  isEcho: false,
  attemptId: null,
  replyTo: null,
  files: [],
  wish: null,
  ...given,
})

export const makeUnknown = (
  reason: UnknownItem['reason'],
  raw: string,
  accountName: string | null = null,
): UnknownItem => ({ type: 'unknown', accountName, sentAt: null, reason, raw })

/** Stored as JSON; there is nothing to download. */
export const makeInlineFile = (
  type: 'location' | 'contacts',
  name: string,
  source: Record<string, unknown>,
): InboundFile => ({ type, name, mimeType: 'application/json', size: null, source, isInline: true })

/** A first and last name, or whichever is known. */
export const fullNameOf = (...names: (string | null)[]): string | null =>
  names.filter((name) => name !== null).join(' ') || null
