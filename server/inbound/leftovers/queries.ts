// The SQL for leftovers: what webhooks and mailboxes brought that is in no thread. It is kept unchanged, retried if
// that may help, and shown to admins.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ChannelName } from '../../platform/db/tables.ts'

/** How to read `raw` for a retry: a webhook item as JSON, or a whole email, one character per byte. */
type Replay = 'item' | 'mail'

export type Leftover = {
  channelAccountId: string
  reason: string
  raw: string
  hash: string
  /** Null: a retry would be pointless. */
  replay: Replay | null
  error: string | null
}

const ERROR_MAX = 300

export const leftoverOf = (
  channelAccountId: string,
  reason: string,
  text: string,
  { replay = null, error }: { replay?: Replay | null; error?: unknown } = {},
): Leftover => {
  // PostgreSQL can't store NUL, and a non-JSON body may contain anything.
  const raw = text.replaceAll('\0', '\uFFFD').toWellFormed()
  return {
    channelAccountId,
    reason,
    raw,
    hash: createHash('sha256').update(raw).digest('hex'),
    replay,
    error: error === undefined ? null : messageOf(error),
  }
}

export const messageOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .replaceAll('\0', '')
    .slice(0, ERROR_MAX)
    .toWellFormed()

export const FIRST_TRY_MS = 5_000
const TRY_MAX_MS = 6 * 3_600_000
/** 5 s · 2¹³ exceeds the longest delay. */
const DOUBLINGS_MAX = 13

/** Keeps leftovers; keeping one again changes nothing. */
export const insertLeftovers = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  rows: readonly Leftover[],
): Promise<void> => {
  const nextTry = new Date(now().getTime() + FIRST_TRY_MS)
  await sql`
    insert into webhook_leftovers
      (workspace_id, channel_account_id, hash, reason, raw, replay, error, next_try_at, created_at)
    select ${workspaceId}, account, decode(hash, 'hex'), reason, raw, replay, error,
      case when replay is not null then ${nextTry}::timestamptz end, ${now()}
    from unnest(
      ${rows.map(({ channelAccountId }) => channelAccountId)}::text[],
      ${rows.map(({ hash }) => hash)}::text[],
      ${rows.map(({ reason }) => reason)}::text[],
      ${rows.map(({ raw }) => raw)}::text[],
      ${rows.map(({ replay }) => replay)}::text[],
      ${rows.map(({ error }) => error)}::text[]
    ) n (account, hash, reason, raw, replay, error)
    order by account, hash
    on conflict do nothing`.execute(db)
}

/** One leftover of a workspace. The hash is in hexadecimal. */
export type LeftoverRef = { channelAccountId: string; hash: string }

/**
 * Leftovers that are due, in all workspaces. The next attempt is scheduled before this one runs, so that no two
 * workers try the same one, and one that crashes the process isn't retried at once.
 */
export const claimDueLeftovers = async (
  db: Db,
  now: Date,
  limit: number,
): Promise<(LeftoverRef & { workspaceId: string })[]> => {
  const { rows } = await sql<LeftoverRef & { workspaceId: string }>`
    update webhook_leftovers l set tries = l.tries + 1,
      next_try_at = ${now}::timestamptz
        + least(${FIRST_TRY_MS}::float8 * 2 ^ least(l.tries + 1, ${DOUBLINGS_MAX}::integer), ${TRY_MAX_MS}::float8)
          * interval '1 millisecond'
    from (
      select workspace_id, channel_account_id, hash from webhook_leftovers
      where next_try_at <= ${now} and ${isAtWork('workspace_id')}
      order by next_try_at
      limit ${limit}
      for no key update skip locked
    ) due
    where l.workspace_id = due.workspace_id and l.channel_account_id = due.channel_account_id and l.hash = due.hash
    returning l.workspace_id as "workspaceId", l.channel_account_id as "channelAccountId",
      encode(l.hash, 'hex') as hash`.execute(db)
  return rows
}

/** The reason for an item that names an account which is not connected. */
const NOT_CONNECTED = 'notConnected'

/**
 * Moves what some accounts received for one that was not connected then to that one, to be stored now, in the
 * original order, up to a limit. `marks` are how the items name it. Returns how many there were.
 */
export const adoptLeftoverRows = async (
  { db, workspaceId }: Ctx,
  {
    channelAccountId,
    from,
    marks,
  }: { channelAccountId: string; from: readonly string[]; marks: readonly string[] },
  limit: number,
): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    with theirs as (
      delete from webhook_leftovers where (workspace_id, channel_account_id, hash) in (
        select workspace_id, channel_account_id, hash from webhook_leftovers
        where workspace_id = ${workspaceId} and channel_account_id = any(${from}::text[])
          and reason = ${NOT_CONNECTED} and exists (select from unnest(${[...marks]}::text[]) mark where strpos(raw, mark) > 0)
        limit ${limit}
        for update skip locked)
      returning hash, raw, created_at
    ), adopted as (
      insert into webhook_leftovers
        (workspace_id, channel_account_id, hash, reason, raw, replay, next_try_at, created_at)
      select ${workspaceId}, ${channelAccountId}, hash, 'failed', min(raw), 'item', min(created_at), min(created_at)
      from theirs group by hash order by hash
      on conflict do nothing
    )
    select count(*)::float8 as count from theirs`.execute(db)
  return rows[0]!.count
}

/** When the next leftover is due; undefined if none waits. Across all workspaces. */
export const findNextTry = async (db: Db): Promise<Date | undefined> => {
  const { rows } = await sql<{ at: string | null }>`
    select min(next_try_at) as at from webhook_leftovers where next_try_at is not null`.execute(db)
  return rows[0]?.at ? new Date(rows[0].at) : undefined
}

export type KeptLeftover = LeftoverRef & { channel: ChannelName; replay: Replay | null; raw: string }

export const findLeftover = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, hash }: LeftoverRef,
): Promise<KeptLeftover | undefined> => {
  const { rows } = await sql<KeptLeftover>`
    select l.channel_account_id as "channelAccountId", encode(l.hash, 'hex') as hash, a.channel, l.replay, l.raw
    from webhook_leftovers l
    join channel_accounts a on a.workspace_id = l.workspace_id and a.id = l.channel_account_id
    where l.workspace_id = ${workspaceId} and l.channel_account_id = ${channelAccountId}
      and l.hash = decode(${hash}, 'hex')`.execute(db)
  return rows[0]
}

/** False if it no longer exists. */
export const deleteLeftover = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, hash }: LeftoverRef,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    delete from webhook_leftovers where workspace_id = ${workspaceId}
      and channel_account_id = ${channelAccountId} and hash = decode(${hash}, 'hex')`.execute(db)
  return numAffectedRows === 1n
}

export const setLeftoverError = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, hash }: LeftoverRef,
  error: string,
): Promise<void> => {
  await sql`
    update webhook_leftovers set error = ${error} where workspace_id = ${workspaceId}
      and channel_account_id = ${channelAccountId} and hash = decode(${hash}, 'hex')`.execute(db)
}

type LeftoverRow = LeftoverRef & {
  channel: ChannelName
  channelName: string
  reason: string
  error: string | null
  raw: string
  canRetry: boolean
  nextTryAt: string | null
  createdAt: string
}

/** How much of the raw text is shown. */
const RAW_SHOWN_MAX = 2_000

/** The newest first. */
export const listLeftoverRows = async (
  { db, workspaceId }: Ctx,
  limit: number,
  { onlyReplayable = false } = {},
): Promise<LeftoverRow[]> => {
  const { rows } = await sql<LeftoverRow>`
    select l.channel_account_id as "channelAccountId", encode(l.hash, 'hex') as hash, a.channel,
      a.name as "channelName", l.reason, l.error, left(l.raw, ${RAW_SHOWN_MAX}::integer) as raw,
      l.replay is not null as "canRetry", l.next_try_at as "nextTryAt", l.created_at as "createdAt"
    from webhook_leftovers l
    join channel_accounts a on a.workspace_id = l.workspace_id and a.id = l.channel_account_id
    where l.workspace_id = ${workspaceId} and (not ${onlyReplayable}::boolean or l.replay is not null)
    order by l.created_at desc, l.hash desc
    limit ${limit}`.execute(db)
  return rows
}

/** The maximum that is counted per workspace. */
export const COUNTED_MAX = 1_000

export const countLeftovers = async ({ db, workspaceId }: Ctx): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from (
      select from webhook_leftovers where workspace_id = ${workspaceId} limit ${COUNTED_MAX}
    ) l`.execute(db)
  return rows[0]!.count
}

/** An admin is viewing them. */
export const setShown = async (
  { db, workspaceId, now }: Ctx,
  refs: readonly LeftoverRef[],
): Promise<void> => {
  await sql`
    update webhook_leftovers l set shown_at = ${now()}
    from unnest(
      ${refs.map(({ channelAccountId }) => channelAccountId)}::text[], ${refs.map(({ hash }) => hash)}::text[]
    ) n (account, hash)
    where l.workspace_id = ${workspaceId} and l.channel_account_id = n.account
      and l.hash = decode(n.hash, 'hex') and l.shown_at is null`.execute(db)
}

/** How many wait for a retry, and for how long the oldest has. Across all workspaces. */
export const readLeftovers = async (db: Db): Promise<{ depth: number; oldestSeconds: number }> => {
  const { rows } = await sql<{ depth: number; oldestSeconds: number }>`
    select count(*)::float8 as depth,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
    from webhook_leftovers where next_try_at is not null and ${isAtWork('workspace_id')}`.execute(db)
  return rows[0]!
}

/**
 * Deletes leftovers that can't be stored if an admin first saw them before a time, or if nobody has seen them since a
 * much earlier one; up to a limit. Those that may still be stored stay. Across all workspaces.
 */
export const deleteLeftovers = async (
  db: Db,
  { shownBefore, createdBefore }: { shownBefore: Date; createdBefore: Date },
  limit: number,
): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from webhook_leftovers where (workspace_id, channel_account_id, hash) in (
      select workspace_id, channel_account_id, hash from webhook_leftovers
      where replay is null and created_at < ${shownBefore}
        and (shown_at < ${shownBefore} or created_at < ${createdBefore})
      order by created_at limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
