import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../ctx.ts'
import { silentStream } from '../../events/stream.ts'
import { findBroadcast } from './queries.ts'
import type { Broadcast } from './schema.ts'

/** How long the call that starts a broadcast waits for its end. */
const SETTLE_MS = 10_000
/** The event usually ends the wait. Should it be late, the broadcast itself is looked at this often. */
const LOOK_MS = 500

/** Waits until a broadcast has ended, at most 10 s, and gives it back as it is then. */
export const awaitBroadcast = async (ctx: Ctx, broadcast: Broadcast): Promise<Broadcast> => {
  if (broadcast.status !== 'sending' || ctx.stream === silentStream) return broadcast
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
    // It may have ended before the subscription, so the first look comes at once.
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
