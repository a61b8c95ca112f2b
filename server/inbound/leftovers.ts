// What webhooks brought and has no place: kept as it came, for the operator.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../ctx.ts'
import type { Db } from '../db/pool.ts'

export type Leftover = { channelAccountId: string; reason: string; raw: string; hash: string }

export const leftoverOf = (channelAccountId: string, reason: string, text: string): Leftover => {
  // PostgreSQL keeps no NUL, and a body that is no JSON may hold anything.
  const raw = text.replaceAll('\0', '\uFFFD').toWellFormed()
  return { channelAccountId, reason, raw, hash: createHash('sha256').update(raw).digest('hex') }
}

/** Keeps leftovers; the same one again changes nothing. */
export const insertLeftovers = async (
  { db, workspaceId, now }: Ctx,
  rows: readonly Leftover[],
): Promise<void> => {
  await sql`
    insert into webhook_leftovers (workspace_id, channel_account_id, hash, reason, raw, created_at)
    select ${workspaceId}, account, decode(hash, 'hex'), reason, raw, ${now()}
    from unnest(
      ${rows.map(({ channelAccountId }) => channelAccountId)}::text[],
      ${rows.map(({ hash }) => hash)}::text[],
      ${rows.map(({ reason }) => reason)}::text[],
      ${rows.map(({ raw }) => raw)}::text[]
    ) n (account, hash, reason, raw)
    order by account, hash
    on conflict do nothing`.execute(db)
}

/** Drops what was kept before a time, at most so many. Over all workspaces. */
export const deleteLeftovers = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from webhook_leftovers where (workspace_id, channel_account_id, hash) in (
      select workspace_id, channel_account_id, hash from webhook_leftovers
      where created_at < ${before} order by created_at limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
