// What every operation receives as its first argument: the workspace, the actor, the database and the clock.
// Operations know nothing of HTTP. inTransaction runs several statements as one and defers callbacks until the
// commit.
import type { FastifyBaseLogger } from 'fastify'
import type { Channels } from '../../../channels/channel.ts'
import { isConflict } from '../db/failures.ts'
import { runTransaction, waitUntilListed } from '../db/horizon.ts'
import type { Db } from '../db/pool.ts'
import type { FileStore } from '../files/store.ts'
import type { Stream } from '../live/stream.ts'
import type { Seal } from '../seal.ts'
import type { Actor } from './actor.ts'

/** Where a call came from, for the audit log. */
export type Client = { address: string | null; userAgent: string | null }

export type Ctx = {
  db: Db
  /** The same database through a few connections with a short statement timeout, for search. */
  searchDb: Db
  channels: Channels
  workspaceId: string
  actor: Actor
  /** The X-Request-Id of the call; background work has none. */
  requestId?: string
  /** The caller of that call. */
  client?: Client
  now: () => Date
  /** A new row id that sorts after every id made by this process and after the one given. */
  newId: (after?: string | null) => string
  /** When a row was created: the time in its id, so that sorting by id and by creation time agree. */
  createdAt: (id: string) => Date
  log: FastifyBaseLogger
  stream: Stream
  /** Decrypts the credentials of channel accounts. */
  seal: Seal
  /** The contents of attachments. */
  files: FileStore
  /** The public base URL, without a trailing slash. */
  publicUrl: string
  /** The operator has turned the AI agent off everywhere: AI=off. */
  isAiOff?: boolean
  /** Whether the server's own mail (SMTP_URL) may go to this workspace's customers. */
  sendsMail?: boolean
  /** How long a send waits for its provider; five seconds if not set. */
  settleMs?: number
  /** Callbacks to run after the commit; null outside a transaction. */
  afterCommit: Set<() => void> | null
}

/** What a customer wrote and background work takes in was done by the customer. */
export const asCustomer = (ctx: Ctx): Ctx => ({ ...ctx, actor: { type: 'customer', contactId: null } })

const RETRIES_MAX = 3

/**
 * Runs `work` in a transaction, or joins the one already open. A deadlock is retried up to three times, so `work`
 * must touch nothing but the database. Callbacks in `ctx.afterCommit` run once, after the commit.
 */
export const inTransaction = async <T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> => {
  if (ctx.afterCommit) return work(ctx)
  for (let attempt = 1; ; attempt++) {
    const afterCommit = new Set<() => void>()
    try {
      const isAwaited = ctx.actor.type === 'token' || ctx.actor.type === 'agent'
      const result = await runTransaction(ctx, isAwaited, (db) => work({ ...ctx, db, afterCommit }))
      for (const callback of afterCommit) callback()
      if (isAwaited) await waitUntilListed(ctx)
      return result
    } catch (error) {
      if (attempt === RETRIES_MAX || !isConflict(error)) throw error
    }
  }
}
