// SQL of turns that answer a person at once, and of what they are about.
import { sql } from 'kysely'
import { actorId } from '../../../platform/ctx/actor.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { CLAIMANT } from '../../../platform/db/claimant.ts'
import type { TurnKind } from '../../../platform/db/tables.ts'
import { hideCodes } from '../../identity-codes/code.ts'
import { codeIds } from '../../identity-codes/queries.ts'
import { hidesContacts } from '../settings-queries.ts'
import type { Context } from '../turn/known/context-queries.ts'
import type { TurnRef } from '../turn-queries.ts'
import { isAvailable } from './queries.ts'

/** A turn of this process, for a person who waits for the answer. Undefined if the AI agent may not be asked. */
export const insertOwnTurn = async (
  ctx: Ctx,
  { conversationId, kind }: { conversationId: string; kind: TurnKind },
): Promise<TurnRef | undefined> => {
  const { db, workspaceId, actor, newId, now } = ctx
  const { rows } = await sql<TurnRef>`
    insert into ai_turns (workspace_id, id, conversation_id, kind, asked_by, state, tries, claimed_by, claimed_at,
      due_at, created_at)
    select ${workspaceId}, ${newId()}, c.id, ${kind}, ${actorId(actor)}, 'thinking', 1, ${CLAIMANT}, ${now()},
      ${now()}, ${now()}
    from conversations c
    left join ai_settings s on s.workspace_id = ${workspaceId}
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId} and ${isAvailable(ctx)}
    returning id, revision, tries`.execute(db)
  return rows[0]
}

export const endOwnTurn = async (
  { db, workspaceId, now }: Ctx,
  { id, revision, tries }: TurnRef,
): Promise<void> => {
  await sql`
    update ai_turns set state = 'ended', outcome = 'answered', ended_at = ${now()}, claimed_by = null,
      claimed_at = null
    where workspace_id = ${workspaceId} and id = ${id} and state = 'thinking' and revision = ${revision}
      and tries = ${tries}`.execute(db)
}

/** Enough for what a summary can hold; of longer threads the newest. */
const THREAD_MAX = 200

export type Thread = Pick<Context, 'contactId' | 'channel' | 'messages' | 'hidesContacts'>

/** All that was said in a conversation. The caller has checked that the actor may see it. */
export const findThread = async (
  { db, workspaceId, seal }: Ctx,
  conversationId: string,
): Promise<Thread | undefined> => {
  const { rows } = await sql<Thread & { codeIds: string[] }>`
    with spoken as (
      select m.id, m.sender_type, m.body, m.metadata, m.created_at from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId} and m.sender_type <> 'system'
        and coalesce(m.metadata ->> 'deletedAt', '') = ''
      order by m.id desc limit ${THREAD_MAX}::integer
    )
    select c.contact_id as "contactId", c.channel, ${hidesContacts(workspaceId)} as "hidesContacts",
      (select coalesce(json_agg(json_build_object('senderType', s.sender_type, 'body', s.body,
          'metadata', s.metadata, 'createdAt', s.created_at, 'files', (
            select coalesce(json_agg(json_build_object('type', f.type, 'name', f.name)), '[]') from attachments f
            where f.workspace_id = ${workspaceId} and f.message_id = s.id)) order by s.id), '[]')
        from spoken s) as messages,
      ${codeIds(workspaceId, sql.ref('c.id'))} as "codeIds"
    from conversations c
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}`.execute(db)
  if (!rows[0]) return undefined
  const { codeIds: ids, messages, ...thread } = rows[0]
  const hide = hideCodes(seal, { workspaceId, codeIds: ids })
  return { ...thread, messages: messages.map((message) => ({ ...message, body: hide(message.body) })) }
}
