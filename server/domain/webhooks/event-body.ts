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
    actor: actorOf(event.actor, event.contact_id),
    requestId: event.request_id,
    data: event.data,
    ...(isFull && event.object !== null && showObject(event.object)),
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

const BODY_MAX = 10_000

/** Without the addresses of attachments, which are valid for a short time only, and with a text of bounded length. */
const showObject = ({ body, attachments, ...rest }: Record<string, unknown>) => {
  const isTooLong = typeof body === 'string' && body.length > BODY_MAX
  return {
    object: {
      ...rest,
      ...(body !== undefined && { body: isTooLong ? body.slice(0, BODY_MAX).toWellFormed() : body }),
      ...(Array.isArray(attachments) && {
        attachments: attachments.map(({ url: _, ...attachment }: Record<string, unknown>) => attachment),
      }),
    },
    objectTruncated: isTooLong,
  }
}
