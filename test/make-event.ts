// An event in a workspace's feed, without a relay.
import { encodePosition } from '../server/domain/feed/cursor.ts'
import { makeEventId } from '../server/domain/feed/event-id.ts'
import { insertFeedRows, takeNumbers } from '../server/domain/feed/relay-queries.ts'
import type { TestApp } from './app.ts'

export const makeEvent = async ({ db, seal, clock }: TestApp, workspaceId: string) => {
  const seq = (await takeNumbers(db, [{ workspaceId, count: 1 }])).get(workspaceId)!
  const id = makeEventId(seq)
  const row = {
    ...{ workspaceId, seq, id, type: 'agent.updated', conversationId: null, contactId: null },
    ...{ actor: 'system', requestId: null, data: {}, occurredAt: clock.now().toISOString() },
  }
  await insertFeedRows(db, [row], clock.now())
  const expiredCursor = encodePosition({ seal, workspaceId }, { epoch: 1, seq, mark: id.slice(-8) })
  return { eventId: id, expiredCursor }
}
