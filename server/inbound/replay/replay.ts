// Retries storing what was put aside. Storing is idempotent by the provider's ids, and the leftover is deleted in the
// same transaction: however often it is tried, and by however many processes, it is stored once.
import type { InboundItem } from '../../../channels/channel.ts'
import { receivesItems } from '../../../channels/definitions.ts'
import { findChannelAccountAnywhere, openSecrets } from '../../domain/channel-accounts/queries.ts'
import { asCustomer, type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { mailAccountOf, receiveEmail } from '../email/receive-email.ts'
import { storeItems } from '../items/store-items.ts'
import {
  deleteLeftover,
  findLeftover,
  type KeptLeftover,
  type LeftoverRef,
  messageOf,
  setLeftoverError,
} from '../leftovers/queries.ts'

export type Replayed = { stored: boolean; problem: string | null }

/** Retries a leftover now. Throws LEFTOVER_NOT_FOUND; any other failure is in the result. */
export const replayLeftover = async (ctx: Ctx, ref: LeftoverRef): Promise<Replayed> => {
  const leftover = await findLeftover(ctx, ref)
  if (!leftover) throw new ApiError('LEFTOVER_NOT_FOUND')
  if (leftover.replay === null) return { stored: false, problem: 'It contains nothing to store.' }
  try {
    const theirs = asCustomer(ctx)
    await (leftover.replay === 'mail' ? storeMail(theirs, leftover) : storeItem(theirs, leftover))
    return { stored: true, problem: null }
  } catch (error) {
    ctx.log.warn({ err: error, channelAccountId: ref.channelAccountId }, 'a leftover could not be stored')
    const message = messageOf(error)
    await setLeftoverError(ctx, ref, message)
    return { stored: false, problem: message }
  }
}

const storeMail = async (ctx: Ctx, leftover: KeptLeftover): Promise<void> => {
  const stored = await findChannelAccountAnywhere(ctx.db, 'email', leftover.channelAccountId)
  if (!stored) throw new ApiError('CHANNEL_NOT_FOUND')
  const account = mailAccountOf(ctx, stored, openSecrets(ctx.seal, stored))
  await receiveEmail(ctx, account, Buffer.from(leftover.raw, 'latin1'), {
    alongside: async (ctx) => void (await deleteLeftover(ctx, leftover)),
  })
}

const storeItem = (ctx: Ctx, leftover: KeptLeftover): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { channel, channelAccountId, raw } = leftover
    if (!receivesItems(channel)) throw new Error(`${channel} receives no items by webhook`)
    await storeItems(ctx, channel, [{ channelAccountId, item: readItem(ctx, raw) }])
    await deleteLeftover(ctx, leftover)
  })

/** Its times are dates; an item's other fields are plain JSON. */
const TIMES = ['sentAt', 'upTo']

/** An item as written by ingest.ts. Only WhatsApp items kept by earlier versions have a `source`. */
const readItem = ({ channels }: Ctx, raw: string): InboundItem => {
  const item: Record<string, unknown> = JSON.parse(raw)
  for (const one of [item, item.whole])
    if (one && typeof one === 'object')
      for (const [key, value] of Object.entries(one))
        if (TIMES.includes(key) && typeof value === 'string') Object.assign(one, { [key]: new Date(value) })
  return 'source' in item ? channels.whatsapp.readKept(item) : (item as InboundItem)
}
