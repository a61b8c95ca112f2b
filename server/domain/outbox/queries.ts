// All SQL of held messages.
import { type RawBuilder, sql } from 'kysely'
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { fileUrl } from '../../platform/files/links.ts'
import { announcement } from '../automation/inputs.ts'
import type { OutgoingEmail } from '../emails/schema.ts'
import type { TemplateBody } from '../templates/schema.ts'
import { seenBy } from '../visible-conversations.ts'
import { type Afterwards, HELD_MAX, type HeldMessage } from './schema.ts'

export type NewHeld = {
  conversationId: string
  body: string
  attachmentIds?: readonly string[] | undefined
  replyTo?: string | undefined
  sendTo?: string | undefined
  draftId?: string | undefined
  template?: TemplateBody
  email?: OutgoingEmail | undefined
  lastMessageId: string | null
  yields: boolean
  reopens: boolean
  thenClose: boolean
  after?: Afterwards | undefined
  undoSeconds: number
}

/** The author's messages in a conversation stay in the order in which they were written. */
export const insertHeld = async (ctx: Ctx, held: NewHeld): Promise<string> => {
  const { db, workspaceId, actor, now } = ctx
  const id = ctx.newId()
  const author = actorId(actor)
  const dueAt = new Date(now().getTime() + held.undoSeconds * 1000)
  await sql`
    insert into held_messages (workspace_id, id, conversation_id, account_id, body, attachment_ids, reply_to, send_to,
      draft_id, template, email, last_message_id, yields, reopens, then_close, after, due_at, created_at)
    select ${workspaceId}, ${id}, ${held.conversationId}, ${author}, ${held.body}, ${held.attachmentIds ?? []}::text[],
      ${held.replyTo ?? null}, ${held.sendTo ?? null}, ${held.draftId ?? null},
      ${held.template ? JSON.stringify(held.template) : null}::jsonb,
      ${held.email ? JSON.stringify(held.email) : null}::jsonb,
      ${held.lastMessageId}, ${held.yields}, ${held.reopens}, ${held.thenClose},
      ${held.after ? JSON.stringify(held.after) : null}::jsonb,
      greatest(${dueAt}::timestamptz, (
        select max(o.due_at) from held_messages o
        where o.workspace_id = ${workspaceId} and o.conversation_id = ${held.conversationId}
          and o.account_id = ${author} and o.problem is null)), ${now()}`.execute(db)
  return id
}

type Row = Omit<HeldMessage, 'attachments'> & {
  attachments: Omit<HeldMessage['attachments'][number], 'url'>[]
}

/** With names, and without what is gone. */
const AFTER = sql`case when h.after is not null then json_build_object('closes', (h.after ->> 'closes')::boolean,
  'tags', (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) order by t.name_key), '[]')
    from tags t where t.workspace_id = h.workspace_id and h.after -> 'tagIds' ? t.id::text),
  'assignee', (select json_build_object('id', a.id, 'nickname', a.nickname)
    from memberships p join accounts a on a.id = p.account_id
    where p.workspace_id = h.workspace_id and p.removed_at is null and p.account_id = h.after ->> 'assigneeId')) end`

/** The rows that `from` yields as `h`, as their author reads them. */
const shown = async (ctx: Ctx, from: RawBuilder<unknown>, limit = 1): Promise<HeldMessage[]> => {
  const { db, workspaceId, actor, now } = ctx
  const { rows } = await sql<Row>`
    select h.id, h.conversation_id as "conversationId", h.body, h.reply_to as "replyTo", h.send_to as "sendTo",
      h.draft_id as "draftId", h.template, h.email, h.then_close as "thenClose", ${AFTER} as after,
      greatest(0, extract(epoch from h.due_at - ${now()}::timestamptz) * 1000)::integer as "msLeft", h.problem,
      h.created_at as "createdAt",
      (select k.name from conversations c
        join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
        where c.workspace_id = ${workspaceId} and c.id = h.conversation_id${seenBy(actor, 'c')}) as "contactName",
      (select coalesce(json_agg(json_build_object('id', f.id, 'type', f.type, 'name', f.name, 'mimeType', f.mime_type,
          'size', f.size) order by array_position(h.attachment_ids, f.id::text)), '[]')
        from attachments f where f.workspace_id = ${workspaceId} and f.id = any(h.attachment_ids)) as attachments
    from ${from} h
    order by h.due_at, h.id limit ${limit}`.execute(db)
  return rows.map((row) => ({
    ...row,
    attachments: row.attachments.map((file) => ({ ...file, url: fileUrl(ctx, file.id) })),
  }))
}

/** The actor's own, in the order in which they are sent. */
export const listHeld = (ctx: Ctx): Promise<HeldMessage[]> =>
  shown(
    ctx,
    sql`(select * from held_messages
      where workspace_id = ${ctx.workspaceId} and account_id = ${actorId(ctx.actor)})`,
    HELD_MAX,
  )

/** One of the actor's own. */
export const findHeld = async (ctx: Ctx, id: string): Promise<HeldMessage | undefined> => {
  const [held] = await shown(
    ctx,
    sql`(select * from held_messages
      where workspace_id = ${ctx.workspaceId} and account_id = ${actorId(ctx.actor)} and id = ${id})`,
  )
  return held
}

/** What sending needs beyond what its author reads. */
export type TakenMessage = Pick<HeldMessage, 'body' | 'template' | 'email' | 'thenClose'> & {
  conversationId: string
  attachmentIds: string[]
  after: Afterwards | null
  replyTo: string | null
  sendTo: string | null
  draftId: string | null
  lastMessageId: string | null
  yields: boolean
  reopens: boolean
}

/**
 * Removes one of the actor's own, for which automation has waited: of those who send and undo it at the same time, one gets it. `dueBy`: only if its time
 * has come, and it has not failed.
 */
export const takeHeld = async (
  { db, workspaceId, actor }: Ctx,
  id: string,
  { dueBy = null }: { dueBy?: Date | null } = {},
): Promise<TakenMessage | undefined> => {
  const { rows } = await sql<TakenMessage>`
    delete from held_messages
    where workspace_id = ${workspaceId} and account_id = ${actorId(actor)} and id = ${id}
      and (${dueBy}::timestamptz is null or due_at <= ${dueBy} and problem is null)
    returning conversation_id as "conversationId", body, template, email, then_close as "thenClose", after,
      attachment_ids as "attachmentIds", reply_to as "replyTo", send_to as "sendTo", draft_id as "draftId",
      last_message_id as "lastMessageId", yields, reopens, ${announcement(sql.ref('conversation_id'), workspaceId)}`.execute(
    db,
  )
  return rows[0]
}

export const saveProblem = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  id: string,
  problem: NonNullable<HeldMessage['problem']>,
): Promise<void> => {
  await sql`
    update held_messages set problem = ${JSON.stringify(problem)}::jsonb
    where workspace_id = ${workspaceId} and id = ${id} and problem is null
    returning ${announcement(sql.ref('conversation_id'), workspaceId)}`.execute(db)
}

export type DueMessage = {
  workspaceId: string
  id: string
  conversationId: string
  accountId: string
  dueAt: string
}

/** What is due by a time, of all workspaces, the earliest first. */
export const listDue = async (
  db: Db,
  { by, max, notIn }: { by: Date; max: number; notIn: readonly string[] },
): Promise<DueMessage[]> => {
  const { rows } = await sql<DueMessage>`
    select workspace_id as "workspaceId", id, conversation_id as "conversationId", account_id as "accountId",
      due_at as "dueAt"
    from held_messages
    where problem is null and due_at <= ${by} and not conversation_id = any(${notIn}::text[])
      and ${isAtWork('workspace_id')}
    order by due_at, id limit ${max}`.execute(db)
  return rows
}

/**
 * Whether a person is about to reply in a conversation, for larger statements. What could not be sent waits for its
 * author only.
 */
export const isReplyHeld = (
  workspaceId: string | RawBuilder<unknown>,
  conversationId: RawBuilder<unknown>,
) => sql<boolean>`exists (select from held_messages held
    where held.workspace_id = ${workspaceId} and held.conversation_id = ${conversationId} and held.problem is null)`

/** What others did in a conversation after a message; null: from its start. */
export type Since = {
  replyId: string | null
  isFromFlow: boolean
  senderAbout: string | null
  hasCustomerWritten: boolean
}

export const findSince = async (
  { db, workspaceId, actor }: Ctx,
  { conversationId, after }: { conversationId: string; after: string | null },
): Promise<Since> => {
  const newer = sql`select m.id, m.sender_id from messages m
    where m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId} and m.id > ${after ?? ''}`
  const { rows } = await sql<Since>`
    with reply as (
      ${newer} and m.sender_type in ('agent', 'automation') and m.sender_id <> ${actorId(actor)}
      order by (m.sender_id like 'flow:%'), m.id desc limit 1
    )
    select (select id from reply) as "replyId",
      coalesce((select sender_id like 'flow:%' from reply), false) as "isFromFlow",
      (select a.nickname from held_messages h join accounts a on a.id = h.account_id
        where h.workspace_id = ${workspaceId} and h.conversation_id = ${conversationId}
          and h.account_id <> ${actorId(actor)} and h.problem is null
        order by h.id limit 1) as "senderAbout",
      exists (${newer} and m.sender_type = 'customer') as "hasCustomerWritten"`.execute(db)
  return rows[0]!
}

/** The conversation and its first message are stored by the same request. */
const STARTED_WITHIN_MS = 5_000

/** Whether a conversation was started with a message that is held no longer, and has nothing else in it. */
export const wasStartedWith = async (
  { db, workspaceId }: Ctx,
  { conversationId, createdAt }: Pick<HeldMessage, 'conversationId' | 'createdAt'>,
): Promise<boolean> => {
  const since = new Date(Date.parse(createdAt) - STARTED_WITHIN_MS)
  const { rows } = await sql`
    select c.id from conversations c
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId} and c.status = 'open'
      and c.last_message_id is null and c.created_at >= ${since}
      and not exists (select from notes n where n.workspace_id = c.workspace_id and n.conversation_id = c.id)
      and not exists (select from held_messages h where h.workspace_id = c.workspace_id and h.conversation_id = c.id)`.execute(
    db,
  )
  return rows.length > 0
}
