// How replies are matched with our email: the Message-ID contains our message's id with a signature; the reply address,
// if the mailbox supports plus addresses, the conversation's id with another. Only the server can create and check the
// signatures.
import { domainToASCII } from 'node:url'
import type { SignedId } from '../contract/channel.ts'

const ID = 'c[a-z0-9]{24}'
const SIGNATURE = '[a-z2-7]{16,32}'
const MESSAGE_ID = new RegExp(`^<(${ID})\\.(${SIGNATURE})@[^<>@\\s]{1,255}>$`)
const REPLY_SUFFIX = new RegExp(`^(${ID})\\.?(${SIGNATURE})$`)
/** RFC 5321, 4.5.3.1.1. */
const LOCAL_MAX = 64

const domainOf = (address: string): string => {
  const domain = address.slice(address.lastIndexOf('@') + 1)
  return domainToASCII(domain) || domain
}

export const makeMessageId = ({ id, signature }: SignedId, address: string): string =>
  `<${id}.${signature}@${domainOf(address)}>`

/** Undefined: not one of ours. */
export const readMessageId = (messageId: string): SignedId | undefined => {
  const [, id, signature] = MESSAGE_ID.exec(messageId) ?? []
  return id && signature ? { id, signature } : undefined
}

/** The mailbox's plus address; null if it would exceed the length limit. */
export const makeReplyAddress = ({ id, signature }: SignedId, address: string): string | null => {
  const at = address.lastIndexOf('@')
  const local = `${address.slice(0, at)}+${id}.${signature}`
  return local.length <= LOCAL_MAX ? `${local}${address.slice(at)}` : null
}

/** The part after the plus in an address of the mailbox. Ignores case, because some servers change it. */
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

/** Marks our automatic email, so it is recognised if it comes back. */
export const loopMark = (accountId: string): string => `foyer-${accountId}`
