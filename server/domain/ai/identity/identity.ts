// Who a customer has been shown to be, from how they reached us and never from what they say.
import type {
  ACTION_NEEDS,
  ChannelName,
  IDENTITIES,
  Metadata,
  SenderType,
} from '../../../platform/db/tables.ts'

type ActionNeed = (typeof ACTION_NEEDS)[number]

/**
 *   claimed   an address typed into the website's chat, mail whose sender wasn't authenticated
 *   channel   the holder of this number, account or mailbox
 *   verified  the host page's signature, or a code that was sent: nothing proves that yet
 */
export type Identity = (typeof IDENTITIES)[number]

const LEVELS: Record<Identity, number> = { claimed: 0, channel: 1, verified: 2 }
const NEEDED: Record<ActionNeed, Identity> = { none: 'claimed', known: 'channel', verified: 'verified' }

/** Whether somebody is known at least as well. */
export const isAtLeast = (identity: Identity, other: Identity): boolean => LEVELS[identity] >= LEVELS[other]

export const meetsNeed = (identity: Identity, need: ActionNeed): boolean => isAtLeast(identity, NEEDED[need])

/** Their provider vouches for the number or account. */
const VOUCHED: ReadonlySet<ChannelName> = new Set(['whatsapp', 'telegram', 'facebook', 'sms'])

/**
 * Of whoever wrote on this channel, whatever else is known of the contact: identities of other channels, which came with
 * a merge, prove nothing here. `isProven`: the mail's sender was authenticated.
 */
export const identityIn = (channel: ChannelName, isProven: boolean): Identity =>
  VOUCHED.has(channel) || (channel === 'email' && isProven) ? 'channel' : 'claimed'

type Heard = { channel: ChannelName; messages: { senderType: SenderType; metadata: Metadata | null }[] }

/** One mail that wasn't authenticated is enough: what it says is part of what is replied to. */
export const identityOf = ({ channel, messages }: Heard): Identity => {
  const theirs = messages.filter(({ senderType }) => senderType === 'customer')
  return identityIn(channel, theirs.length > 0 && theirs.every(({ metadata }) => isAuthenticated(metadata)))
}

export const isAuthenticated = (metadata: Metadata | null): boolean =>
  metadata?.senderVerification === 'verified'
