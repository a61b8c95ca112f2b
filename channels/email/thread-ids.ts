// How a mail of ours is known again: by our message's id and a signature over it, in the Message-ID; by the
// conversation's id and one over that, in the address that is answered to where the mailbox takes such addresses. The
// signatures are the server's, and only it can tell whether one is good.
import { domainToASCII } from 'node:url'

const ID = 'c[a-z0-9]{24}'
const SIGNATURE = '[a-z2-7]{16,32}'
const MESSAGE_ID = new RegExp(`^<(${ID})\\.(${SIGNATURE})@[^<>@\\s]{1,255}>$`)
const REPLY_SUFFIX = new RegExp(`^(${ID})\\.?(${SIGNATURE})$`)
/** RFC 5321, 4.5.3.1.1. */
const LOCAL_MAX = 64

export type SignedId = { id: string; signature: string }

const domainOf = (address: string): string => {
  const domain = address.slice(address.lastIndexOf('@') + 1)
  return domainToASCII(domain) || domain
}

export const makeMessageId = ({ id, signature }: SignedId, address: string): string =>
  `<${id}.${signature}@${domainOf(address)}>`

/** Undefined: not one that we make. */
export const readMessageId = (messageId: string): SignedId | undefined => {
  const [, id, signature] = MESSAGE_ID.exec(messageId) ?? []
  return id && signature ? { id, signature } : undefined
}

/** The mailbox's address with who is meant behind a plus; null where that is longer than addresses may be. */
export const makeReplyAddress = ({ id, signature }: SignedId, address: string): string | null => {
  const at = address.lastIndexOf('@')
  const local = `${address.slice(0, at)}+${id}.${signature}`
  return local.length <= LOCAL_MAX ? `${local}${address.slice(at)}` : null
}

/** What stands behind the plus in an address of the mailbox. In any case: some servers fold it. */
export const readReplyAddress = (given: string, address: string): SignedId | undefined => {
  const folded = given.toLowerCase()
  const own = address.toLowerCase()
  const at = own.lastIndexOf('@')
  const prefix = `${own.slice(0, at)}+`
  if (!folded.startsWith(prefix) || !folded.endsWith(own.slice(at))) return undefined
  const [, id, signature] =
    REPLY_SUFFIX.exec(folded.slice(prefix.length, folded.length - (own.length - at))) ?? []
  return id && signature ? { id, signature } : undefined
}

/** What marks mail that a program of ours sent, so that it is known when it comes back. */
export const loopMark = (accountId: string): string => `foyer-${accountId}`
