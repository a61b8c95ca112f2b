import type { Ctx } from '../../ctx.ts'
import type { ChannelName } from '../../db/tables.ts'
import { invalid } from '../../errors.ts'
import type { Seal } from '../../seal.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { listChannelAccounts, readableSecrets } from './queries.ts'

type Known = {
  id: string
  channel: ChannelName
  address: string | null
  settings: object
  secrets: Record<string, string | undefined>
}

/** Which number, mailbox, page or bot an account is, by the field that says so. Web chat is none of the provider's. */
export const placesOf = ({ channel, address, settings, secrets }: Known): Record<string, string> => {
  const given: Record<string, unknown> = { ...settings, ...secrets }
  switch (channel) {
    case 'whatsapp':
      return { phoneNumber: address ?? '', phoneNumberId: String(given.phoneNumberId) }
    case 'email':
      return { address: address ?? '' }
    case 'facebook':
      return { pageId: String(given.pageId) }
    case 'sms':
      return { phoneNumber: address ?? '' }
    case 'telegram':
      // A bot's token is its id and a secret, which is another after it was leaked.
      return { botToken: String(given.botToken).split(':', 1)[0]! }
    case 'web':
      return {}
  }
}

/**
 * Throws VALIDATION_ERROR where another account of the workspace is the same place: its customers' messages would come
 * in on one of the two by chance. Two who connect at the same moment wait for each other.
 */
export const refuseTwins = async (ctx: Ctx & { seal: Seal }, account: Known): Promise<void> => {
  await lockWorkspace(ctx)
  const others = await listChannelAccounts(ctx, account.channel)
  const taken = others
    .filter(({ id }) => id !== account.id)
    .map((other) => placesOf({ ...other, secrets: readableSecrets(ctx.seal, other) ?? {} }))
  const twins = Object.entries(placesOf(account)).filter(([field, place]) =>
    taken.some((other) => other[field] === place),
  )
  if (twins.length > 0)
    throw invalid(...twins.map(([field]) => ({ field, message: 'is connected to the workspace already' })))
}
