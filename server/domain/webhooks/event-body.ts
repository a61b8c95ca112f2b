// An event as receivers get it. Only from what is stored and never changes, so that each attempt, a replay and the log
// have the same bytes.
import { showEpoch } from '../feed/cursor.ts'
import type { KeptObject } from '../feed/fit-object.ts'

/** A row of the feed. */
export type FeedEvent = {
  id: string
  workspace_id: string
  seq: number
  type: string
  channel: string | null
  conversation_id: string | null
  contact_id: string | null
  actor: string | null
  request_id: string | null
  data: Record<string, unknown>
  object: KeptObject | null
  occurred_at: string
  epoch: number | null
  /** Not a part of the body: the trace in which it happened. */
  traceparent: string | null
}

type How = { previous: number | null; isFull: boolean }

export const eventBody = (event: FeedEvent, { previous, isFull }: How): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    timestamp: new Date(event.occurred_at).toISOString(),
    sequence: event.seq,
    previous,
    // Events of earlier releases have none, so that theirs have the same bytes as before.
    ...(event.epoch !== null && { epoch: showEpoch(event.epoch) }),
    workspaceId: event.workspace_id,
    conversationId: event.conversation_id,
    contactId: event.contact_id,
    channel: event.channel,
    actor: actorOf(event.actor, event.contact_id),
    requestId: event.request_id,
    data: event.data,
    ...(isFull && event.object !== null && showKept(event.object)),
  })

/** As the feed shows it, but for the name, which may change. */
export const actorOf = (
  actor: string | null,
  contactId: string | null,
): { type: string; id: string | null } | null => {
  if (actor === null) return null
  const [type, id = null] = actor.split(':')
  if (type === 'customer') return { type, id: contactId }
  return { type: type!, id: type === 'token' && id !== null ? `api:${id}` : id }
}

const showKept = ({ objectTruncated = false, ...object }: KeptObject) => ({ object, objectTruncated })
