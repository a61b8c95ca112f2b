// SQL of what the AI agent is told of a conversation.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { CustomFields, Metadata } from '../../../platform/db/tables.ts'
import { hideCodes } from '../../identity-codes/code.ts'
import { codeIds } from '../../identity-codes/queries.ts'
import type { Decision, Memory } from '../think.ts'
import { isHeard } from './known/heard.ts'

/** Of what the customer wrote since the last reply. */
const MESSAGES_MAX = 10

type AskedRow = { body: string; metadata: Metadata | null; fileCount: number }

export type SituationRow = {
  /** The newest first. */
  messages: AskedRow[]
  /** Of whoever wrote last. */
  lastId: string | null
  memory: Partial<Memory> | null
  hasKnowledge: boolean
  /** What the customer wrote before, since the conversation was opened; the newest first. */
  earlier: string[]
  customFields: CustomFields
  locale: string | null
  /** The newest turn that ended with a message. */
  lastTurn: OfferedTurn | null
}

export type OfferedTurn = { id: string; question: string | null; decision: Decision }

/**
 * What the customer wrote since anybody's last reply; if a flow has spoken since, their last message. Nothing that a
 * program sent in their name. Undefined if the conversation is gone.
 */
export const findSituation = async (
  { db, workspaceId, seal }: Ctx,
  conversationId: string,
): Promise<SituationRow | undefined> => {
  const { rows } = await sql<SituationRow & { codeIds: string[] }>`
    with newest as (
      select m.id, m.sender_type, m.body, m.metadata from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId}
      order by m.id desc limit 60
    ), spoken as (
      select * from newest
      where sender_type <> 'system' and ${isHeard}
    ), asked as (
      select * from spoken s
      where s.sender_type = 'customer' and (
        s.id > coalesce((select max(id) from spoken
          where sender_type <> 'customer' and metadata #> '{ai,isAside}' is null), '')
        or s.id = (select max(id) from spoken where sender_type = 'customer'))
      order by id desc limit ${MESSAGES_MAX}::integer
    )
    select k.custom_fields as "customFields", s.guards -> 'ai' as memory,
      coalesce((select json_agg(json_build_object('body', a.body, 'metadata', a.metadata, 'fileCount',
          (select count(*) from attachments f where f.workspace_id = ${workspaceId} and f.message_id = a.id))
        order by a.id desc) from asked a), '[]') as messages,
      coalesce((select json_agg(s.body order by s.id desc) from spoken s
        where s.sender_type = 'customer' and s.id < (select min(id) from asked)
          and s.id > coalesce((select max(id) from newest where metadata ->> 'event' = 'reopened'), '')), '[]') as earlier,
      (select max(id) from newest where sender_type <> 'system') as "lastId",
      exists (select from knowledge_items i
        where i.workspace_id = ${workspaceId} and i.state = 'published' and not i.is_internal) as "hasKnowledge",
      (select locale from visitors
        where workspace_id = ${workspaceId} and contact_id = k.id and locale is not null
        order by seen_at desc limit 1) as locale,
      (select json_build_object('id', t.id, 'question', t.question, 'decision', t.decision) from ai_turns t
        where t.workspace_id = ${workspaceId} and t.conversation_id = c.id and t.message_id is not null
          and t.decision is not null
        order by t.id desc limit 1) as "lastTurn",
      ${codeIds(workspaceId, sql.ref('c.id'))} as "codeIds"
    from conversations c
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join automation_states s on s.workspace_id = c.workspace_id and s.conversation_id = c.id
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}`.execute(db)
  if (!rows[0]) return undefined
  const { codeIds: ids, messages, earlier, ...row } = rows[0]
  const hide = hideCodes(seal, { workspaceId, codeIds: ids })
  return {
    ...row,
    messages: messages.map((message) => ({ ...message, body: hide(message.body) })),
    earlier: earlier.map(hide),
  }
}

/** The turn whose buttons a customer tapped; undefined if it isn't of this conversation. */
export const findOfferedTurn = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
  id: string,
): Promise<OfferedTurn | undefined> => {
  const { rows } = await sql<OfferedTurn>`
    select id, question, decision from ai_turns
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and id = ${id}
      and decision is not null`.execute(db)
  return rows[0]
}
