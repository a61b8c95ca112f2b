// Who a customer has been shown to be, from how they reached us and never from what they say.
import type { ChannelName } from '../../../../platform/db/tables.ts'
import type { Context } from './context-queries.ts'

/**
 *   claimed   an address typed into the website's chat, mail whose sender wasn't authenticated
 *   channel   the holder of this number, account or mailbox
 *   verified  the host page's signature, or a code that was sent: nothing proves that yet
 */
export type Identity = 'claimed' | 'channel' | 'verified'

/** Their provider vouches for the number or account. */
const VOUCHED: ReadonlySet<ChannelName> = new Set(['whatsapp', 'telegram', 'facebook', 'sms'])

export const identityOf = ({ channel, messages }: Pick<Context, 'channel' | 'messages'>): Identity => {
  if (VOUCHED.has(channel)) return 'channel'
  const mails = messages.filter(({ senderType }) => senderType === 'customer')
  const isProven =
    mails.length > 0 && mails.every(({ metadata }) => metadata?.senderVerification === 'verified')
  return channel === 'email' && isProven ? 'channel' : 'claimed'
}
