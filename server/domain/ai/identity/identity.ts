// Who a customer has been shown to be, from how they reached us and never from what they say.
import type {
  ACTION_NEEDS,
  ChannelName,
  IDENTITIES,
  Metadata,
  SenderType,
} from '../../../platform/db/tables.ts'
import type { ConversationCode } from '../../identity-codes/queries.ts'

type ActionNeed = (typeof ACTION_NEEDS)[number]

/**
 *   claimed   an address typed into the website's chat, mail whose sender wasn't authenticated
 *   channel   the holder of this number, account or mailbox, or of the account on the site that they are signed in to
 *   verified  whoever entered a code that was sent to an address of theirs (domain/identity-codes)
 */
export type Identity = (typeof IDENTITIES)[number]

const LEVELS: Record<Identity, number> = { claimed: 0, channel: 1, verified: 2 }
const NEEDED: Record<ActionNeed, Identity> = { none: 'claimed', known: 'channel', verified: 'verified' }

/** Whether somebody is known at least as well. */
export const isAtLeast = (identity: Identity, other: Identity): boolean => LEVELS[identity] >= LEVELS[other]

export const meetsNeed = (identity: Identity, need: ActionNeed): boolean => isAtLeast(identity, NEEDED[need])

/** Their provider vouches for the number or account. */
const VOUCHED: ReadonlySet<ChannelName> = new Set(['whatsapp', 'telegram', 'facebook', 'sms'])

/** `isProven`: the mail's sender was authenticated, or the site said who is signed in. `code`: the newest of the conversation. */
type Shown = { isProven: boolean; code: ConversationCode | null; now: number }

/**
 * Of whoever wrote on this channel, whatever else is known of the contact: identities of other channels, which came with
 * a merge, prove nothing here. A mail in somebody else's name isn't verified by the code that they entered.
 */
export const identityIn = (channel: ChannelName, { isProven, code, now }: Shown): Identity => {
  if (channel === 'email' && !isProven) return 'claimed'
  if (code && isVerifiedBy(code, now)) return 'verified'
  // On the website it is proven only for whom the site itself has signed in.
  if (channel === 'web') return isProven ? 'channel' : 'claimed'
  return channel === 'email' || VOUCHED.has(channel) ? 'channel' : 'claimed'
}

const isVerifiedBy = ({ state, verifiedUntil, isStanding }: ConversationCode, now: number): boolean =>
  state === 'entered' && isStanding && verifiedUntil !== null && now < verifiedUntil

type Heard = {
  channel: ChannelName
  messages: { senderType: SenderType; metadata: Metadata | null }[]
  code: ConversationCode | null
}

/** One mail that wasn't authenticated is enough: what it says is part of what is replied to. */
export const identityOf = ({ channel, messages, code }: Heard, now: number): Identity => {
  const theirs = messages.filter(({ senderType }) => senderType === 'customer')
  const isProven = theirs.length > 0 && theirs.every(({ metadata }) => isAuthenticated(metadata))
  return identityIn(channel, { isProven, code, now })
}

export const isAuthenticated = (metadata: Metadata | null): boolean =>
  metadata?.senderVerification === 'verified'
