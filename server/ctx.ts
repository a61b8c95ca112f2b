// What an operation is given: whose workspace, who acts, the database, the clock. Operations take it first and know
// nothing of HTTP. inTransaction makes several statements one, and what must wait for the commit wait.
import type { FastifyBaseLogger } from 'fastify'
import type { Channels } from '../channels/channel.ts'
import type { Db } from './db/pool.ts'
import type { Stream } from './events/stream.ts'
import type { FileStore } from './files/store.ts'
import type { Permission } from './resources/roles/permissions.ts'
import type { Seal } from './seal.ts'

export type Actor =
  | { type: 'token'; tokenId: string }
  /** Permissions are those of the role; an admin needs none. */
  | { type: 'agent'; accountId: string; role: 'agent' | 'admin'; permissions: readonly Permission[] }
  | { type: 'customer'; contactId: string | null }
  | { type: 'operator' }
  | { type: 'system' }

export type Ctx = {
  db: Db
  /** The same database over a few connections whose statements may not run long: for search. */
  searchDb: Db
  channels: Channels
  workspaceId: string
  actor: Actor
  now: () => Date
  newId: () => string
  log: FastifyBaseLogger
  stream: Stream
  /** Opens the credentials of channel accounts. */
  seal: Seal
  /** The contents of attachments. */
  files: FileStore
  /** Where browsers and providers reach us, without a slash at the end. */
  publicUrl: string
  /** How long a send waits for its provider, where not the usual five seconds. */
  settleMs?: number
  /** Inside a transaction: what runs after the commit. Null outside. */
  afterCommit: Set<() => void> | null
}

const RETRIES_MAX = 3
/** Deadlock and serialisation failure: PostgreSQL asks for the whole transaction again. */
const RETRYABLE = new Set(['40P01', '40001'])

/**
 * Runs `work` in one transaction; inside another, joins it. A deadlock is retried up to three times, so `work` must
 * touch nothing but the database. Callbacks in `ctx.afterCommit` run once, after the commit.
 */
export const inTransaction = async <T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> => {
  if (ctx.afterCommit) return work(ctx)
  for (let attempt = 1; ; attempt++) {
    const afterCommit = new Set<() => void>()
    try {
      const result = await ctx.db.transaction().execute((db) => work({ ...ctx, db, afterCommit }))
      for (const callback of afterCommit) callback()
      return result
    } catch (error) {
      const code = (error as { code?: string }).code
      if (attempt === RETRIES_MAX || !code || !RETRYABLE.has(code)) throw error
    }
  }
}

export const isPerson = (actor: Actor): actor is Actor & { type: 'agent' } => actor.type === 'agent'

/** The id that marks what an actor did: an agent's account id, `api:<token id>`, a contact's id or `system`. */
export const actorId = (actor: Actor): string => {
  switch (actor.type) {
    case 'token':
      return `api:${actor.tokenId}`
    case 'agent':
      return actor.accountId
    case 'customer':
      return actor.contactId ?? 'system'
    default:
      return 'system'
  }
}
