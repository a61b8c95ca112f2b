// Events in the feed, as the relay numbers them.
import type { TestApp } from '../../../../test/app.ts'
import { newId } from '../../../platform/db/id.ts'
import { fanOut } from '../fan-out.ts'

export type MadeEvent = {
  type?: string
  conversationId?: string | null
  contactId?: string | null
  channel?: 'web' | 'whatsapp' | null
  actor?: string | null
  data?: Record<string, unknown>
  /** Left out, as in events of earlier releases. */
  epoch?: number
}

/** Numbers and fans out in one transaction; returns their ids. */
export const makeEvents = async (
  { db, clock, ctxOf }: Pick<TestApp, 'db' | 'clock' | 'ctxOf'>,
  workspaceId: string,
  events: readonly MadeEvent[],
): Promise<{ id: string; seq: number }[]> =>
  db.transaction().execute(async (trx) => {
    const { seq } = await trx
      .insertInto('feed_heads')
      .values({ workspace_id: workspaceId, seq: events.length })
      .onConflict((conflict) =>
        conflict
          .column('workspace_id')
          .doUpdateSet((eb) => ({ seq: eb('feed_heads.seq', '+', events.length) })),
      )
      .returning('seq')
      .executeTakeFirstOrThrow()
    const rows = events.map((event, index) => ({
      workspace_id: workspaceId,
      seq: seq - events.length + 1 + index,
      id: newId(),
      type: event.type ?? 'message.created',
      channel: event.channel === undefined ? ('web' as const) : event.channel,
      conversation_id: event.conversationId ?? null,
      contact_id: event.contactId ?? null,
      actor: event.actor ?? 'customer',
      request_id: null,
      data: JSON.stringify(event.data ?? {}),
      occurred_at: clock.now(),
      numbered_at: clock.now(),
      epoch: event.epoch ?? null,
    }))
    await trx.insertInto('feed').values(rows).execute()
    await fanOut(
      trx,
      rows.map(({ seq, id, type, data }) => ({ workspaceId, seq, id, type, data: JSON.parse(data) })),
      { now: clock.now(), ctxOf },
    )
    return rows.map(({ id, seq }) => ({ id, seq }))
  })
