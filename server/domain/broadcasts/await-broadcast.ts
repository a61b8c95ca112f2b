import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { silentStream } from '../../platform/live/stream.ts'
import { findBroadcast } from './queries.ts'
import type { Broadcast } from './schema.ts'

/** How long the call that starts a broadcast waits for it to end. */
const SETTLE_MS = 10_000
/** The event usually ends the wait. In case it is late, the broadcast is polled at this interval. */
const LOOK_MS = 500

/** Waits until a broadcast has ended, at most 10 s, and returns its latest state. */
export const awaitBroadcast = async (ctx: Ctx, broadcast: Broadcast): Promise<Broadcast> => {
  if (broadcast.status !== 'sending' || broadcast.scheduledAt !== null || ctx.stream === silentStream)
    return broadcast
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  const unsubscribe = ctx.stream.subscribe(({ type, data }) => {
    if (type === 'broadcast.updated' && data.broadcastId === broadcast.id && data.status !== 'sending')
      settle()
  })
  const ended = new AbortController()
  const endMs = performance.now() + (ctx.settleMs ?? SETTLE_MS)
  try {
    // It may have ended before the subscription, so poll immediately.
    let latest = (await findBroadcast(ctx, broadcast.id)) ?? broadcast
    while (latest.status === 'sending') {
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) break
      await Promise.race([settled, delay(Math.min(LOOK_MS, leftMs), undefined, { signal: ended.signal })])
      latest = (await findBroadcast(ctx, broadcast.id)) ?? broadcast
    }
    return latest
  } finally {
    ended.abort()
    unsubscribe()
  }
}
