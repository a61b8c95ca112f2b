import { setTimeout as delay } from 'node:timers/promises'
import type { ReplyWindow } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { silentStream } from '../../platform/live/stream.ts'
import type { Message } from '../conversations/schema.ts'
import { findMessage } from '../conversations/thread-queries.ts'
import { withdrawMessage } from './withdraw-message.ts'

/** How long a send waits for its provider before it returns `queued`. */
const SETTLE_MS = 5_000
/** The event usually ends the wait. In case it is late, the message is polled at this interval. */
const POLL_MS = 500

/** Waits until a queued message was sent or failed, at most 5 s, and returns its latest state. */
export const settleMessage = async (ctx: Ctx, message: Message): Promise<Message> => {
  const settled = await waitForOutcome(ctx, message)
  const window = settled.status === 'failed' ? findClosedWindow(ctx, settled) : undefined
  if (window && (await withdrawMessage(ctx, settled))) throw new ApiError(window.errorCode)
  return settled
}

/** Set if the provider says that the reply window is closed: its own clock decides. */
const findClosedWindow = (ctx: Ctx, { metadata }: Message): ReplyWindow | undefined => {
  // The schema only says that it is an object; move-messages.ts writes the error.
  const { error, template } = (metadata ?? {}) as { error?: { code?: string }; template?: object }
  const code = template ? undefined : error?.code
  return Object.values(ctx.channels)
    .map(({ replyWindow }) => replyWindow)
    .find((window) => window && window.refusalCode === code)
}

/** The message once it was sent or failed, or as it is after 5 s. */
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
    // It may have been settled before the subscription, so poll immediately.
    let latest = (await findMessage(ctx, message.id)) ?? message
    while (latest.status === 'queued') {
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) break
      await Promise.race([settled, delay(Math.min(POLL_MS, leftMs), undefined, { signal: ended.signal })])
      latest = (await findMessage(ctx, message.id)) ?? message
    }
    return latest
  } finally {
    ended.abort()
    unsubscribe()
  }
}
