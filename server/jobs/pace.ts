// A number's sending rate across all processes: a row says until when its sends are booked. A sender takes the next
// slots, each a fraction of a second long, by advancing that time. Times are the database's own, so the processes'
// clocks need not agree.
import { sql } from 'kysely'
import { PACE } from '../../channels/definitions.ts'
import type { StoredChannelAccount } from '../domain/channel-accounts/schema.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'

/** A broadcast books slots only this far ahead, which leaves room for agents' messages. */
const AHEAD_MS = 250
/** Single messages go before broadcasts: they borrow up to this much time, which broadcasts then wait for. */
const BORROWED_MS = 1_000
/** A number that its provider throttles pauses for at most this long at a time. */
const HOLD_MAX_MS = 60_000

/** Messages per second, or null without a limit. */
export const paceOf = (account: StoredChannelAccount): number | null =>
  account.channel === 'whatsapp' ? (account.settings.messagesPerSecond ?? PACE.default) : null

/** How many slots a broadcast takes at once. */
export const slotsOf = (perSecond: number, max: number): number =>
  Math.max(1, Math.min(max, Math.floor((perSecond * AHEAD_MS) / 1000)))

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

/**
 * Takes slots if those before them end within this many milliseconds. Returns how long until the first, or how much
 * too long the wait is.
 */
const take = async (
  { db, workspaceId }: Scope,
  channelAccountId: string,
  { slots, perSecond, withinMs }: { slots: number; perSecond: number; withinMs: number },
): Promise<{ startsInMs: number } | { fullForMs: number }> => {
  const seconds = slots / perSecond
  const { rows } = await sql<{ startsInMs: number }>`
    insert into channel_paces as p (workspace_id, channel_account_id, taken_until)
    values (${workspaceId}, ${channelAccountId}, clock_timestamp() + make_interval(secs => ${seconds}::float8))
    on conflict (workspace_id, channel_account_id) do update
      set taken_until = greatest(p.taken_until, clock_timestamp()) + make_interval(secs => ${seconds}::float8)
      where p.taken_until <= clock_timestamp() + make_interval(secs => ${withinMs / 1000}::float8)
    returning (extract(epoch from p.taken_until - clock_timestamp())::float8 - ${seconds}::float8) * 1000 as "startsInMs"`.execute(
    db,
  )
  if (rows[0]) return { startsInMs: Math.max(0, rows[0].startsInMs) }
  const { rows: found } = await sql<{ ms: number }>`
    select extract(epoch from taken_until - clock_timestamp())::float8 * 1000 as ms from channel_paces
    where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}`.execute(db)
  return { fullForMs: Math.max(1, (found[0]?.ms ?? 0) - withinMs) }
}

/** Slots for a broadcast: the time until the first, or how long to wait before asking again. */
export const takeSlots = (
  ctx: Scope,
  channelAccountId: string,
  { slots, perSecond }: { slots: number; perSecond: number },
): Promise<{ startsInMs: number } | { fullForMs: number }> =>
  take(ctx, channelAccountId, { slots, perSecond, withinMs: AHEAD_MS })

/**
 * A single message's turn: 0 now, otherwise how long it has to wait because single messages alone use up the rate.
 */
export const takeTurn = async (ctx: Scope, channelAccountId: string, perSecond: number): Promise<number> => {
  const withinMs = BORROWED_MS + 1000 / perSecond
  const taken = await take(ctx, channelAccountId, { slots: 1, perSecond, withinMs })
  return 'fullForMs' in taken ? Math.ceil(taken.fullForMs) : 0
}

/** The provider throttles the number: nothing is sent from it for a while. */
export const holdPace = async (
  { db, workspaceId }: Scope,
  channelAccountId: string,
  ms: number,
): Promise<void> => {
  const seconds = Math.min(ms, HOLD_MAX_MS) / 1000
  await sql`
    insert into channel_paces as p (workspace_id, channel_account_id, taken_until)
    values (${workspaceId}, ${channelAccountId}, clock_timestamp() + make_interval(secs => ${seconds}::float8))
    on conflict (workspace_id, channel_account_id) do update
      set taken_until = greatest(p.taken_until, excluded.taken_until)`.execute(db)
}
