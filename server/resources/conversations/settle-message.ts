import { setTimeout as delay } from 'node:timers/promises'
import type { ReplyWindow } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { silentStream } from '../../events/stream.ts'
import type { Message } from './schema.ts'
import { findMessage } from './thread-queries.ts'
import { withdrawMessage } from './withdraw-message.ts'

/** How long a send waits for its provider before it answers `queued`. */
const SETTLE_MS = 5_000
/** The event usually ends the wait. Should it be late, the message itself is looked at this often. */
const LOOK_MS = 500

/** Waits until a queued message was sent or failed, at most 5 s, and gives it back as it is then. */
export const settleMessage = async (ctx: Ctx, message: Message): Promise<Message> => {
  const settled = await waitForOutcome(ctx, message)
  const window = settled.status === 'failed' ? findClosedWindow(ctx, settled) : undefined
  if (window && (await withdrawMessage(ctx, settled))) throw new ApiError(window.errorCode)
  return settled
}

/** The provider says that the reply window is closed: it counts by its own clock, and may know better. */
const findClosedWindow = (ctx: Ctx, { metadata }: Message): ReplyWindow | undefined => {
  // The shape says no more than that it is an object; record-outcome.ts writes the error.
  const { error, template } = (metadata ?? {}) as { error?: { code?: string }; template?: object }
  const code = template ? undefined : error?.code
  return Object.values(ctx.channels)
    .map(({ replyWindow }) => replyWindow)
    .find((window) => window && window.refusalCode === code)
}

/** The message once it was sent or has failed, at most 5 s later, or as it is then. */
export const waitForOutcome = async (ctx: Ctx, message: Message): Promise<Message> => {
  if (message.status !== 'queued' || ctx.stream === silentStream) return message
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  const unsubscribe = ctx.stream.subscribe(({ type, data }) => {
    if (type === 'message.status' && data.messageId === message.id) settle()
  })
  const ended = new AbortController()
  const endMs = performance.now() + (ctx.settleMs ?? SETTLE_MS)
  try {
    // It may have been settled before the subscription, so the first look comes at once.
    let latest = (await findMessage(ctx, message.id)) ?? message
    while (latest.status === 'queued') {
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) break
      await Promise.race([settled, delay(Math.min(LOOK_MS, leftMs), undefined, { signal: ended.signal })])
      latest = (await findMessage(ctx, message.id)) ?? message
    }
    return latest
  } finally {
    ended.abort()
    unsubscribe()
  }
}
