// Tests a number's credentials with one call that needs the token, the business account and the number.

import type { ChannelAccount, ChannelCheck } from '../contract/channel.ts'
import { problemOf } from '../protocol/check.ts'
import { type GraphAccount, listPhoneNumbers, type PhoneNumber } from './client.ts'

/**
 * The provider's statuses of a number that cannot send,
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status/
 */
const UNUSABLE = new Set([
  'BANNED',
  'RESTRICTED',
  'DISCONNECTED',
  'DELETED',
  'MIGRATED',
  'UNVERIFIED',
  'RATE_LIMITED',
])

export const checkNumber = async (
  graph: GraphAccount,
  { address }: Pick<ChannelAccount, 'address'>,
  options: { timeoutMs: number },
): Promise<ChannelCheck[]> => {
  let numbers: PhoneNumber[]
  try {
    numbers = await listPhoneNumbers(graph, options)
  } catch (error) {
    return [{ name: 'Access token', ok: false, message: problemOf(error) }]
  }
  const token = {
    name: 'Access token',
    ok: true,
    message: 'The token works for this business account.',
  }
  const number = numbers.find(({ phoneNumberId }) => phoneNumberId === graph.phoneNumberId)
  return [token, checkOf(number, address)]
}

const checkOf = (number: PhoneNumber | undefined, address: string | null): ChannelCheck => {
  const name = 'Phone number'
  if (!number)
    return { name, ok: false, message: 'The business account has no number with this phone number ID.' }
  const { phone, status, verifiedName } = number
  if (phone !== null && address !== null && phone !== address)
    return { name, ok: false, message: `This phone number ID belongs to ${phone}, not to ${address}.` }
  if (status !== null && UNUSABLE.has(status))
    return {
      name,
      ok: false,
      message: `WhatsApp reports the number as ${status.toLowerCase().replaceAll('_', ' ')}.`,
    }
  return { name, ok: true, message: `Connected${verifiedName ? ` as ${verifiedName}` : ''}.` }
}
