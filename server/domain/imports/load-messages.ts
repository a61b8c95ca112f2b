// Messages, into conversations that are here. They are not sent, not announced and start no automation.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { LAST_BODY_MAX } from '../deliveries/withdraw-deliveries.ts'
import { bigramsOf, indexBigrams } from '../search/bigrams.ts'
import { findImported } from './import-queries.ts'
import { type MessageRow, readMessage } from './import-rows.ts'
import { type Join, joinThreads } from './live-threads.ts'
import type { Loader, Placed, Run } from './loader.ts'
import { isNotErased, lockContacts, recountConversations } from './thread-counts.ts'

type Place = { id: string; channelAccountId: string; contactId: string }

const findPlaces = async ({ db, workspaceId }: Ctx, ids: readonly string[]): Promise<Map<string, Place>> => {
  const { rows } = await sql<Place>`
    select id, channel_account_id as "channelAccountId", contact_id as "contactId" from conversations c
    where workspace_id = ${workspaceId} and id = any (${[...new Set(ids)]}::text[])
      and ${isNotErased('c.contact_id', workspaceId)}`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

const externalKey = (channelAccountId: string, externalId: string): string =>
  `${channelAccountId}\n${externalId}`

type Here = { id: string; conversationId: string; contactId: string }

/** Messages that are here already, by the provider's id. */
const findByExternalId = async (
  { db, workspaceId }: Ctx,
  wanted: readonly { channelAccountId: string; externalId: string }[],
): Promise<Map<string, Here>> => {
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<Here & { channelAccountId: string; externalId: string }>`
    select m.id, m.channel_account_id as "channelAccountId", m.external_id as "externalId", c.id as "conversationId",
      c.contact_id as "contactId"
    from unnest(${wanted.map((one) => one.channelAccountId)}::text[], ${wanted.map((one) => one.externalId)}::text[])
      as q (account, external)
    join messages m on m.workspace_id = ${workspaceId} and m.channel_account_id = q.account
      and m.external_id = q.external collate "C" and m.external_id is not null
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id`.execute(db)
  return new Map(rows.map((row) => [externalKey(row.channelAccountId, row.externalId), row]))
}

type NewMessage = MessageRow & { targetId: string; place: Place }

const insertMessages = async (
  ctx: Ctx,
  messages: readonly NewMessage[],
  targets: ReadonlyMap<string, string>,
): Promise<void> => {
  const { db, workspaceId } = ctx
  const rows = messages.map(({ place, ...message }) => ({
    ...message,
    conversationId: place.id,
    channelAccountId: place.channelAccountId,
    senderId: message.senderId ?? place.contactId,
    replyToMessageId: targets.get(message.replyToMessageId ?? '') ?? null,
  }))
  await sql`
    with input as (
      select * from ${rowsOf(rows)} as m ("targetId" text, "conversationId" text, "channelAccountId" text,
        "senderType" text, "senderId" text, body text, status text, "replyToMessageId" text, "replyQuote" text,
        metadata jsonb, "externalId" text, email jsonb, at timestamptz)
    ), message as (
      insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status,
        reply_to_message_id, reply_quote, metadata, external_id, created_at)
      select ${workspaceId}, "targetId", "conversationId", "channelAccountId", "senderType", "senderId", body, status,
        "replyToMessageId", "replyQuote", nullif(metadata, 'null'::jsonb), "externalId", at
      from input order by "targetId"
    )
    insert into email_contents (workspace_id, message_id, text, reference_ids)
    select ${workspaceId}, "targetId", email ->> 'text',
      array(select jsonb_array_elements_text(email -> 'referenceIds'))
    from input where jsonb_typeof(email) = 'object'`.execute(db)
  await indexBigrams(
    ctx,
    messages.map(({ place, body }) => ({ conversationId: place.id, grams: bigramsOf(body) })),
  )
}

const insert = async (ctx: Ctx, run: Run, rows: readonly MessageRow[]): Promise<Placed[]> => {
  const conversations = await findImported(
    ctx,
    run.source,
    'conversation',
    rows.map(({ conversationId }) => conversationId),
  )
  const places = await findPlaces(
    ctx,
    [...conversations.values()].map(({ targetId }) => targetId),
  )
  const placeOf = ({ conversationId }: MessageRow): Place | undefined =>
    places.get(conversations.get(conversationId)?.targetId ?? '')
  // Live messages in them wait until these are there.
  await lockContacts(
    ctx,
    [...places.values()].map(({ contactId }) => contactId),
  )
  const known = await findByExternalId(
    ctx,
    rows.flatMap((row) => {
      const place = placeOf(row)
      return place && row.externalId !== null
        ? [{ channelAccountId: place.channelAccountId, externalId: row.externalId }]
        : []
    }),
  )
  const keyOf = ({ externalId }: MessageRow, { channelAccountId }: Place): string | null =>
    externalId === null ? null : externalKey(channelAccountId, externalId)
  // One that came while the import was under way: the rest of its conversation joins it.
  const joins = new Map<string, Join>()
  for (const row of rows) {
    const place = placeOf(row)
    const here = place && known.get(keyOf(row, place) ?? '')
    if (!here || here.conversationId === place.id || here.contactId !== place.contactId) continue
    if (!conversations.get(row.conversationId)?.isCreated) continue
    const { id: from, contactId } = place
    joins.set(from, { sourceId: row.conversationId, from, to: here.conversationId, contactId })
  }
  for (const { from, to } of await joinThreads(ctx, run, [...joins.values()]))
    places.set(from, { ...places.get(from)!, id: to })
  const created: NewMessage[] = []
  const placed = rows.map((row): Placed => {
    const place = placeOf(row)
    if (!place) return { problem: 'its conversation is not here' }
    const key = keyOf(row, place)
    const here = key === null ? undefined : known.get(key)
    if (here !== undefined) return { targetId: here.id, isCreated: false }
    const targetId = run.idAt(row.at, row.id)
    if (key !== null) known.set(key, { id: targetId, conversationId: place.id, contactId: place.contactId })
    created.push({ ...row, targetId, place })
    return { targetId, isCreated: true }
  })
  if (created.length === 0) return placed
  const before = await findImported(
    ctx,
    run.source,
    'message',
    created.map(({ replyToMessageId }) => replyToMessageId),
  )
  const targets = new Map([...before].map(([id, { targetId }]) => [id, targetId]))
  for (const { id, targetId } of created) targets.set(id, targetId)
  await insertMessages(ctx, created, targets)
  await recountConversations(
    ctx,
    created.map(({ place }) => place.id),
  )
  return placed
}

const update: Loader<MessageRow>['update'] = async ({ db, workspaceId }, _, rows) => {
  await sql`
    with message as (
      update messages m set body = r.body from ${rowsOf(rows)} as r ("targetId" text, body text), conversations c
      where m.workspace_id = ${workspaceId} and m.id = r."targetId"
        and c.workspace_id = m.workspace_id and c.id = m.conversation_id
        and ${isNotErased('c.contact_id', workspaceId)}
      returning m.id, m.conversation_id, m.body
    )
    update conversations c set last_message_body = left(m.body, ${LAST_BODY_MAX}::integer) from message m
    where c.workspace_id = ${workspaceId} and c.id = m.conversation_id and c.last_message_id = m.id`.execute(
    db,
  )
}

export const MESSAGES: Loader<MessageRow> = {
  resource: 'messages',
  kind: 'message',
  table: 'messages',
  read: readMessage,
  insert,
  update,
}
