// Records that messages reached a visitor's page. Batched and stored outside the streams: nothing waits for a
// receipt, and the next session or a read makes up for a lost one.

import { advanceStatus } from '../../domain/messages/message-status.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'

const COLLECT_MS = 50
const TOGETHER_MAX = 500
/** While the database does not respond, anything above this is dropped. */
const WAITING_MAX = 20_000

export type Receipts = {
  delivered(workspaceId: string, messageId: string): void
  /** Stores what is waiting. */
  close(): Promise<void>
}

export const makeReceipts = (ctxFor: (workspaceId: string) => Ctx): Receipts => {
  const waiting = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | null = null

  const storeSome = async (): Promise<void> => {
    const [workspaceId] = waiting.values()
    if (workspaceId === undefined) return
    const messageIds: string[] = []
    for (const [id, of] of waiting) {
      if (of === workspaceId) messageIds.push(id)
      if (messageIds.length === TOGETHER_MAX) break
    }
    for (const id of messageIds) waiting.delete(id)
    const ctx = ctxFor(workspaceId)
    await advanceStatus(ctx, messageIds, 'delivered').catch((error: unknown) =>
      ctx.log.warn({ err: error, count: messageIds.length }, 'delivery receipts were not stored'),
    )
  }

  const storeAll = async (): Promise<void> => {
    while (waiting.size > 0) await storeSome()
    storing = null
  }

  const store = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return storing ?? Promise.resolve()
    storing ??= storeAll()
    return storing
  }

  return {
    delivered(workspaceId, messageId) {
      if (waiting.size >= WAITING_MAX) return
      waiting.set(messageId, workspaceId)
      timer ??= setTimeout(store, COLLECT_MS)
    },
    async close() {
      while (waiting.size > 0 || storing) await store()
    },
  }
}
