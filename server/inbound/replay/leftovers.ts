// What admins and operators can do with leftovers: view, retry, dismiss.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import {
  countLeftovers,
  deleteLeftover,
  type LeftoverRef,
  listLeftoverRows,
  setShown,
} from '../leftovers/queries.ts'
import { type Replayed, replayLeftover } from './replay.ts'
import { LEFTOVERS_SHOWN_MAX, type LeftoverList } from './schema.ts'

const ID = /^(c[0-9a-z]{24})-([0-9a-f]{64})$/

const idOf = ({ channelAccountId, hash }: LeftoverRef): string => `${channelAccountId}-${hash}`

const refOf = (id: string): LeftoverRef => {
  const [, channelAccountId, hash] = ID.exec(id) ?? []
  if (!channelAccountId || !hash) throw new ApiError('LEFTOVER_NOT_FOUND')
  return { channelAccountId, hash }
}

/** The newest leftovers of a workspace and how many there are. They count as seen from then on. */
export const listLeftovers = async (ctx: Ctx): Promise<LeftoverList> => {
  const rows = await listLeftoverRows(ctx, LEFTOVERS_SHOWN_MAX)
  await setShown(ctx, rows)
  return {
    leftovers: rows.map(({ channelAccountId, hash, ...row }) => ({
      id: idOf({ channelAccountId, hash }),
      channelId: channelAccountId,
      ...row,
    })),
    total: await countLeftovers(ctx),
  }
}

/** Throws LEFTOVER_NOT_FOUND. */
export const retryLeftover = (ctx: Ctx, id: string): Promise<Replayed> => replayLeftover(ctx, refOf(id))

/** Deletes leftovers for good; missing ones are skipped. Returns how many were deleted. */
export const dismissLeftovers = async (ctx: Ctx, ids: readonly string[]): Promise<number> => {
  let dismissed = 0
  for (const id of new Set(ids)) if (await deleteLeftover(ctx, refOf(id))) dismissed++
  return dismissed
}

/** Retries what can be stored, at most as many as are shown, oldest first. */
export const replayLeftovers = async (ctx: Ctx): Promise<{ stored: number; failed: number }> => {
  const rows = await listLeftoverRows(ctx, LEFTOVERS_SHOWN_MAX, { onlyReplayable: true })
  let stored = 0
  for (const row of rows.reverse()) if ((await replayLeftover(ctx, row)).stored) stored++
  return { stored, failed: rows.length - stored }
}
