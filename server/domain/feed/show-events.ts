// Events as the API and webhooks show them.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { showEpoch } from './cursor.ts'
import { nameActors } from './queries.ts'
import type { FeedRow } from './relay-queries.ts'
import type { Event, EventActor } from './schema.ts'

/** All of one workspace, in one statement. */
export const showEvents = async (
  ctx: Pick<Ctx, 'db' | 'workspaceId'>,
  rows: readonly FeedRow[],
): Promise<Event[]> => {
  const actors = new Set(rows.flatMap((row) => actorOf(row) ?? []))
  const names = actors.size > 0 ? await nameActors(ctx, [...actors]) : new Map<string, string>()
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    timestamp: row.occurredAt,
    sequence: row.seq,
    previous: null,
    ...(row.numberedIn !== null && { epoch: showEpoch(row.numberedIn) }),
    workspaceId: row.workspaceId,
    conversationId: row.conversationId,
    contactId: row.contactId,
    channel: row.channel,
    actor: showActor(actorOf(row), names),
    requestId: row.requestId,
    data: row.data,
  }))
}

/** The recorded actor, which doesn't say which customer. */
const actorOf = ({ actor, contactId }: FeedRow): string | null =>
  actor === 'customer' && contactId !== null ? `customer:${contactId}` : actor

const showActor = (actor: string | null, names: ReadonlyMap<string, string>): EventActor | null => {
  if (actor === null) return null
  const [type, id] = actor.split(':') as [EventActor['type'], string | undefined]
  return {
    type,
    id: id === undefined ? null : type === 'token' ? `api:${id}` : id,
    name: names.get(actor) ?? null,
  }
}
