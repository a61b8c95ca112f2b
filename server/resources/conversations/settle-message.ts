import type { Ctx } from '../../ctx.ts'
import { silentStream } from '../../events/stream.ts'
import type { Message } from './schema.ts'
import { findMessage } from './thread-queries.ts'

/** How long a send waits for its provider before it answers `queued`. */
const SETTLE_MS = 5_000

/** Waits until a queued message was sent or failed, at most 5 s, and gives it back as it is then. */
export const settleMessage = async (ctx: Ctx, message: Message): Promise<Message> => {
  if (message.status !== 'queued' || ctx.stream === silentStream) return message
  let unsubscribe = () => {}
  let timer: NodeJS.Timeout | undefined
  const outcome = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SETTLE_MS)
    unsubscribe = ctx.stream.subscribe(({ type, data }) => {
      if (type === 'message.status' && data.messageId === message.id) resolve()
    })
  })
  try {
    // It may have been settled before the subscription.
    const now = await findMessage(ctx, message.id)
    if (now?.status === 'queued') await outcome
    return (await findMessage(ctx, message.id)) ?? message
  } finally {
    clearTimeout(timer)
    unsubscribe()
  }
}
