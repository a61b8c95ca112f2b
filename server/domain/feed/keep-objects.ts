// Keeps what events are about, as the API shows it at this moment and within the size of an event, beside them in the
// feed.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { findObjects } from './find-objects.ts'
import { fitObject } from './fit-object.ts'
import type { FeedRow } from './relay-queries.ts'

/** The statements of findObjects, and one more. */
export const keepObjects = async (
  ctx: Ctx,
  events: readonly Pick<FeedRow, 'seq' | 'id' | 'type' | 'data'>[],
): Promise<void> => {
  const objects = await findObjects(ctx, events)
  const rows = events.flatMap(({ id, seq }) => {
    const object = objects.get(id)
    return object ? [{ seq, object: fitObject(object) }] : []
  })
  if (rows.length === 0) return
  await sql`
    update feed f set object = r.object
    from ${rowsOf(rows)} as r (seq bigint, object jsonb)
    where f.workspace_id = ${ctx.workspaceId} and f.seq = r.seq`.execute(ctx.db)
}
