// The SQL of broadcasts and of their parts, one for each number that they are sent from.
import { sql } from 'kysely'
import type { HeaderValues, OutboundTemplate, TemplateDefinition } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { KeyedUpload } from '../attachments/upload-queries.ts'
import type { PartRef } from '../recipients/turn-queries.ts'
import type { Broadcast, BroadcastList, BroadcastsQuery } from './schema.ts'

type Row = Omit<Broadcast, 'channel'>

const columns = sql`b.id, b.group_id as "groupId", b.group_name as "groupName", b.template_name as "templateName",
  b.template_language as "templateLanguage", b.status, b.total_count as "totalRecipients", b.sent_count as "sentCount",
  b.failed_count as "failedCount", b.skipped_count as "skippedCount", b.created_at as "createdAt",
  b.name, b.scheduled_at as "scheduledAt", b.paused_at as "pausedAt", b.canceled_at as "canceledAt"`

const toBroadcast = ({ id, groupId, groupName, ...rest }: Row): Broadcast => ({
  id,
  groupId,
  groupName,
  channel: 'whatsapp',
  ...rest,
})

export const findBroadcast = async ({ db, workspaceId }: Ctx, id: string): Promise<Broadcast | undefined> => {
  const { rows } = await sql<Row>`
    select ${columns} from broadcasts b where b.workspace_id = ${workspaceId} and b.id = ${id}`.execute(db)
  return rows[0] && toBroadcast(rows[0])
}

/** Several of them, in any order. */
export const findBroadcasts = async (
  { db, workspaceId }: Ctx,
  ids: readonly string[],
): Promise<Broadcast[]> => {
  const { rows } = await sql<Row>`
    select ${columns} from broadcasts b
    where b.workspace_id = ${workspaceId} and b.id = any (${ids}::text[])`.execute(db)
  return rows.map(toBroadcast)
}

/** Newest first. */
export const listBroadcasts = async (
  { db, workspaceId }: Ctx,
  { cursor, limit = PAGE_DEFAULT }: BroadcastsQuery,
): Promise<BroadcastList> => {
  const listing = ['listBroadcasts', workspaceId]
  const after = cursor === undefined ? null : decodeCursor(listing, cursor).id
  const { rows } = await sql<Row>`
    select ${columns} from broadcasts b
    where b.workspace_id = ${workspaceId} and b.id < coalesce(${after}::text, 'd')
    order by b.id desc
    limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  return {
    broadcasts: shown.map(toBroadcast),
    nextCursor: rows.length > limit ? encodeCursor(listing, { at: null, id: shown.at(-1)!.id }) : null,
  }
}

type NewBroadcast = {
  id: string
  audienceType: Tables['broadcasts']['audience_type']
  group: { id: string; name: string } | null
  template: { name: string; language: string }
  parameters: readonly string[]
  senderType: Tables['broadcasts']['sender_type']
  senderId: string
  name: string | null
  scheduledAt: Date | null
  header: HeaderValues
}

export const insertBroadcast = async ({ db, workspaceId, now }: Ctx, row: NewBroadcast): Promise<void> => {
  await db
    .insertInto('broadcasts')
    .values({
      workspace_id: workspaceId,
      id: row.id,
      audience_type: row.audienceType,
      group_id: row.group?.id ?? null,
      group_name: row.group?.name ?? null,
      template_name: row.template.name,
      template_language: row.template.language,
      parameters: JSON.stringify(row.parameters),
      sender_type: row.senderType,
      sender_id: row.senderId,
      announced_at: now(),
      created_at: now(),
      name: row.name,
      scheduled_at: row.scheduledAt,
      header: Object.keys(row.header).length > 0 ? JSON.stringify(row.header) : null,
      header_attachment_id: row.header.headerAttachmentId ?? null,
    })
    .execute()
}

export const setCounts = async (
  { db, workspaceId }: Ctx,
  id: string,
  { total, skipped }: { total: number; skipped: number },
): Promise<void> => {
  await db
    .updateTable('broadcasts')
    .set({ total_count: total, skipped_count: skipped })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

type NewPart = {
  channelAccountId: string
  definition: TemplateDefinition
  body: string
  components: OutboundTemplate['components']
}

export const insertPart = async (
  { db, workspaceId, now }: Ctx,
  broadcastId: string,
  part: NewPart,
): Promise<void> => {
  await db
    .insertInto('broadcast_parts')
    .values({
      workspace_id: workspaceId,
      broadcast_id: broadcastId,
      channel_account_id: part.channelAccountId,
      definition: JSON.stringify(part.definition),
      body: part.body,
      components: JSON.stringify(part.components),
      worked_at: now(),
    })
    .execute()
}

/** A part with everything needed to build its messages. */
export type Part = PartRef & {
  definition: TemplateDefinition
  body: string
  components: OutboundTemplate['components']
  parameters: string[]
  senderType: 'agent' | 'automation'
  senderId: string
  createdAt: string
  pausedSince: string | null
  pausedUntil: string | null
  pauses: number
  pauseCode: string | null
  pauseMessage: string | null
  scheduledAt: string | null
  isPaused: boolean
  isCanceled: boolean
  header: HeaderValues | null
  /** The uploaded file in the header. */
  file: KeyedUpload | null
}

export const findPart = async (
  { db, workspaceId }: Ctx,
  { broadcastId, channelAccountId }: PartRef,
): Promise<Part | undefined> => {
  const { rows } = await sql<Part>`
    select p.broadcast_id as "broadcastId", p.channel_account_id as "channelAccountId", p.definition, p.body,
      p.components, b.parameters, b.sender_type as "senderType", b.sender_id as "senderId",
      b.created_at as "createdAt", p.paused_since as "pausedSince", p.paused_until as "pausedUntil", p.pauses,
      p.pause_code as "pauseCode", p.pause_message as "pauseMessage",
      b.scheduled_at as "scheduledAt", b.paused_at is not null or not ${isAtWork('b.workspace_id')} as "isPaused",
      b.canceled_at is not null as "isCanceled", b.header, (select json_build_object('id', f.id, 'type', f.type, 'name', f.name, 'mimeType', f.mime_type,
          'size', f.size, 'key', f.storage_key) from attachments f
        where f.workspace_id = b.workspace_id and f.id = b.header_attachment_id) as file
    from broadcast_parts p
    join broadcasts b on b.workspace_id = p.workspace_id and b.id = p.broadcast_id
    where p.workspace_id = ${workspaceId} and p.broadcast_id = ${broadcastId}
      and p.channel_account_id = ${channelAccountId}`.execute(db)
  return rows[0]
}

/** Precision of the time a part was last worked on, so that two workers rarely contend for its row. */
const NOTED_EVERY_MS = 5_000

/** Marks the part as worked on, so that the sweep does not start another worker. */
export const touchPart = async (
  { db, workspaceId, now }: Ctx,
  { broadcastId, channelAccountId }: PartRef,
): Promise<void> => {
  await sql`
    update broadcast_parts set worked_at = ${now()}
    where workspace_id = ${workspaceId} and broadcast_id = ${broadcastId} and channel_account_id = ${channelAccountId}
      and worked_at < ${new Date(now().getTime() - NOTED_EVERY_MS)}`.execute(db)
}

export const pausePart = async (
  { db, workspaceId, now }: Ctx,
  { broadcastId, channelAccountId }: PartRef,
  { until, code, message }: { until: Date; code: string; message: string },
): Promise<void> => {
  await sql`
    update broadcast_parts set paused_since = coalesce(paused_since, ${now()}), paused_until = ${until},
      pauses = pauses + 1, pause_code = ${code}, pause_message = ${message}
    where workspace_id = ${workspaceId} and broadcast_id = ${broadcastId} and channel_account_id = ${channelAccountId}`.execute(
    db,
  )
}

export const resumePart = async (
  { db, workspaceId }: Ctx,
  { broadcastId, channelAccountId }: PartRef,
): Promise<void> => {
  await sql`
    update broadcast_parts set paused_since = null, paused_until = null, pauses = 0, pause_code = null,
      pause_message = null
    where workspace_id = ${workspaceId} and broadcast_id = ${broadcastId}
      and channel_account_id = ${channelAccountId} and paused_since is not null`.execute(db)
}

/** Parts with waiting recipients that no worker has processed since a time. Over all workspaces. */
export const listStalled = async (
  db: Db,
  { workedBefore, now }: { workedBefore: Date; now: Date },
  limit: number,
): Promise<(PartRef & { workspaceId: string })[]> => {
  const { rows } = await sql<PartRef & { workspaceId: string }>`
    select p.workspace_id as "workspaceId", p.broadcast_id as "broadcastId", p.channel_account_id as "channelAccountId"
    from broadcasts b
    join broadcast_parts p on p.workspace_id = b.workspace_id and p.broadcast_id = b.id
    where b.status = 'sending' and b.paused_at is null and ${isAtWork('b.workspace_id')}
      and (b.scheduled_at is null or b.scheduled_at <= ${now}) and p.worked_at <= ${workedBefore}
      and (p.paused_until is null or p.paused_until <= ${now})
      and exists (select from broadcast_recipients r
        where r.workspace_id = p.workspace_id and r.broadcast_id = p.broadcast_id
          and r.channel_account_id = p.channel_account_id and r.outcome = 'pending')
    limit ${limit}`.execute(db)
  return rows
}
