// What is kept about a person beside the resources of a workspace's archive.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'

export const PERSON_RECORDS = [
  'visits',
  'broadcasts',
  'flowRuns',
  'drafts',
  'actionCalls',
  'aiRequests',
] as const
type PersonRecord = (typeof PERSON_RECORDS)[number]

/** What was sent to a model is up to hundreds of kilobytes. */
const PAGE = 50

type Place = { workspaceId: string; contactId: string }

/** Each selects from a table `t` of which `id` is where the next page begins. */
const selectOf = (record: PersonRecord, { workspaceId, contactId }: Place): RawBuilder<unknown> => {
  const own = sql`t.workspace_id = ${workspaceId} and t.contact_id = ${contactId}`
  const inConversation = sql`t.workspace_id = ${workspaceId} and t.conversation_id in (
    select c.id from conversations c where c.workspace_id = ${workspaceId} and c.contact_id = ${contactId})`
  switch (record) {
    case 'visits':
      return sql`select t.id, t.name, t.email, t.locale, t.page, t.time_zone as "timeZone", t.address, t.created_at as "createdAt",
        t.seen_at as "seenAt" from visitors t where ${own}`
    case 'broadcasts':
      return sql`select t.broadcast_id as id, t.outcome, t.message_id as "messageId", t.parameters,
        t.updated_at as "updatedAt" from broadcast_recipients t where ${own}`
    case 'flowRuns':
      return sql`select t.id, t.flow_name as "flowName", t.conversation_id as "conversationId", t.status, t.state,
        t.started_at as "startedAt", t.completed_at as "completedAt" from flow_runs t where ${own}`
    case 'drafts':
      return sql`select t.id, t.conversation_id as "conversationId", t.text, t.state, t.created_at as "createdAt"
        from reply_drafts t where ${inConversation}`
    case 'actionCalls':
      return sql`select t.id, t.conversation_id as "conversationId", t.parameters, t.outcome, t.kept,
        t.created_at as "createdAt" from action_calls t where ${inConversation}`
    case 'aiRequests':
      return sql`select r.id, t.conversation_id as "conversationId", r.model, r.request, r.response,
        r.created_at as "createdAt"
        from ai_turns t join ai_requests r on r.workspace_id = t.workspace_id and r.turn_id = t.id
        where ${inConversation}`
  }
}

/** In the order of their ids, a page at a time. */
export async function* readPersonRecords(
  db: Db,
  record: PersonRecord,
  place: Place,
): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string; line: string }>`
      select r.id, to_json(r)::text as line from (${selectOf(record, place)}) r
      where r.id > ${after} order by r.id limit ${sql.lit(PAGE)}`.execute(db)
    if (rows.length > 0) yield rows.map(({ line }) => line)
    if (rows.length < PAGE) return
    after = rows.at(-1)!.id
  }
}
