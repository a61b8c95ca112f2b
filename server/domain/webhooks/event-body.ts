// An event as receivers get it. Only from what is stored and never changes, so that each attempt, a replay and the log
// have the same bytes.

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
  object: Record<string, unknown> | null
  occurred_at: string
}

type How = { previous: number | null; isFull: boolean }

export const eventBody = (event: FeedEvent, { previous, isFull }: How): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    timestamp: new Date(event.occurred_at).toISOString(),
    sequence: event.seq,
    previous,
    workspaceId: event.workspace_id,
    conversationId: event.conversation_id,
    contactId: event.contact_id,
    channel: event.channel,
    actor: actorOf(event.actor),
    requestId: event.request_id,
    data: event.data,
    ...(isFull && event.object !== null && { object: event.object }),
  })

/** `token:c…` → its two parts. */
export const actorOf = (actor: string | null): { type: string; id: string | null } | null => {
  if (actor === null) return null
  const [type, id = null] = actor.split(':')
  return { type: type!, id }
}
