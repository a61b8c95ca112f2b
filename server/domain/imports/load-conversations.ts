// Conversations. Nobody is told, nothing is unread, and the reply window stays as it is.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { bigramsOf, indexBigrams } from '../search/bigrams.ts'
import { findImported } from './import-queries.ts'
import { type ConversationRow, readConversation } from './import-rows.ts'
import type { Loader, Placed, Run } from './loader.ts'
import { isNotErased, lockContacts, recountContacts } from './thread-counts.ts'

type NewConversation = Omit<ConversationRow, 'contactId'> & { contactId: string; targetId: string }

/** A contact has one open conversation on a channel account; others are closed. */
const insertConversations = async (
  { db, workspaceId }: Ctx,
  conversations: readonly NewConversation[],
): Promise<void> => {
  await sql`
    with input as (
      select * from ${rowsOf(conversations)} as c ("targetId" text, "contactId" text, "channelAccountId" text,
        channel text, subject text, "isOpen" boolean, "agentId" text, "assignedAt" timestamptz, email jsonb,
        at timestamptz, "updatedAt" timestamptz)
    ), thread as (
      insert into email_threads (workspace_id, conversation_id, address, reply_to, subject)
      select ${workspaceId}, "targetId", email ->> 'address', email ->> 'replyTo', email ->> 'subject' from input
      where channel = 'email' and email ->> 'address' is not null
    )
    insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, subject, status, agent_id,
      assigned_at, created_at, updated_at)
    select ${workspaceId}, "targetId", channel, "channelAccountId", "contactId", subject,
      case when "isOpen" and (channel = 'email' or
        row_number() over (partition by "contactId", "channelAccountId", "isOpen" order by "updatedAt" desc) = 1
        and not exists (select from conversations o where o.workspace_id = ${workspaceId} and o.status = 'open'
          and o.contact_id = "contactId" and o.channel_account_id = "channelAccountId"))
        then 'open' else 'closed' end,
      "agentId", "assignedAt", at, "updatedAt"
    from input`.execute(db)
}

/** Those that are here already get them, too. */
const tagConversations = async (
  ctx: Ctx,
  run: Run,
  conversations: readonly Pick<NewConversation, 'targetId' | 'tagIds'>[],
): Promise<void> => {
  const ids = conversations.flatMap(({ tagIds }) => tagIds)
  if (ids.length === 0) return
  const { db, workspaceId } = ctx
  const tags = await findImported(ctx, run.source, 'tag', ids)
  const pairs = conversations.flatMap(({ targetId, tagIds }) =>
    tagIds.flatMap((id) => {
      const tag = tags.get(id)
      return tag ? [{ targetId, tagId: tag.targetId }] : []
    }),
  )
  await sql`
    insert into conversation_tags (workspace_id, conversation_id, tag_id)
    select ${workspaceId}, "targetId", "tagId" from ${rowsOf(pairs)} as p ("targetId" text, "tagId" text)
    join tags t on t.workspace_id = ${workspaceId} and t.id = "tagId"
    join conversations c on c.workspace_id = ${workspaceId} and c.id = "targetId"
    on conflict do nothing`.execute(db)
}

const insert = async (ctx: Ctx, run: Run, rows: readonly ConversationRow[]): Promise<Placed[]> => {
  const contacts = await findImported(
    ctx,
    run.source,
    'contact',
    rows.map(({ contactId }) => contactId),
  )
  const held = await lockContacts(
    ctx,
    [...contacts.values()].map(({ targetId }) => targetId),
  )
  const created: NewConversation[] = []
  const tagged: Pick<NewConversation, 'targetId' | 'tagIds'>[] = []
  const placed = rows.map((row): Placed => {
    const contactId = contacts.get(row.contactId)?.targetId
    if (contactId === undefined || !held.has(contactId)) return { problem: 'its contact is not here' }
    const live = run.live
      .get(row.id)
      ?.findLast((one) => one.contactId === contactId && one.channelAccountId === row.channelAccountId)
    if (live) {
      tagged.push({ targetId: live.conversationId, tagIds: row.tagIds })
      return { targetId: live.conversationId, isCreated: false }
    }
    const targetId = run.idAt(row.at, row.id)
    created.push({ ...row, contactId, targetId })
    tagged.push({ targetId, tagIds: row.tagIds })
    return { targetId, isCreated: true }
  })
  if (created.length > 0) await insertConversations(ctx, created)
  await tagConversations(ctx, run, tagged)
  if (created.length === 0) return placed
  await indexBigrams(
    ctx,
    created.map(({ targetId, contactId, subject }) => {
      const { name, email } = held.get(contactId)!
      return { conversationId: targetId, grams: bigramsOf(name, email, subject) }
    }),
  )
  await recountContacts(
    ctx,
    created.map(({ contactId }) => contactId),
  )
  return placed
}

/** Who has it and whether it is open are for the team to decide by now. */
const update: Loader<ConversationRow>['update'] = async ({ db, workspaceId }, _, rows) => {
  await sql`
    update conversations c set subject = r.subject, updated_at = greatest(c.updated_at, r."updatedAt")
    from ${rowsOf(rows)} as r ("targetId" text, subject text, "updatedAt" timestamptz)
    where c.workspace_id = ${workspaceId} and c.id = r."targetId"
      and ${isNotErased('c.contact_id', workspaceId)}`.execute(db)
}

export const CONVERSATIONS: Loader<ConversationRow> = {
  resource: 'conversations',
  kind: 'conversation',
  table: 'conversations',
  read: readConversation,
  insert,
  update,
}
