// The SQL of what no id leads to: logs and queues of the workspace, read in pages so that nothing is locked for long.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

/** `pattern`: a regular expression that finds the person's addresses and ids in a text; empty if there are none. */
export type Traces = {
  contactIds: readonly string[]
  conversationIds: readonly string[]
  pattern: string
}

const PAGE = 5_000
/** Their texts are up to megabytes. */
const TEXTS_PAGE = 200

const REMOVED = JSON.stringify('Removed.')

/** `data` without what a provider or an admin wrote about a person. */
const cleanData = sql`(case when data -> 'error' ? 'message'
  then jsonb_set(data, '{error,message}', ${REMOVED}::jsonb) else data end) - 'address'`

/** Events keep their numbers; what they were about is removed. */
export const cleanFeed = async (
  { db, workspaceId }: Scope,
  { contactIds, conversationIds }: Traces,
  { after }: { after: number },
): Promise<number | undefined> => {
  const { rows } = await sql<{ to: number | null }>`
    with page as (
      select seq from feed where workspace_id = ${workspaceId} and seq > ${after} order by seq limit ${sql.lit(PAGE)}
    ), cleaned as (
      update feed set object = null, data = ${cleanData}
      where workspace_id = ${workspaceId} and seq > ${after} and seq <= (select max(seq) from page)
        and (object is not null or data ? 'error' or data ? 'address')
        and (contact_id = any(${contactIds}::text[]) or conversation_id = any(${conversationIds}::text[]))
    )
    select max(seq) as to from page`.execute(db)
  return rows[0]!.to ?? undefined
}

/** What live streams resume from. Kept for a day. */
export const cleanEvents = async (
  { db, workspaceId }: Scope,
  { contactIds, conversationIds }: Traces,
): Promise<void> => {
  await sql`
    update events set data = ${cleanData}
    where workspace_id = ${workspaceId} and (data ? 'error' or data ? 'address')
      and (contact_id = any(${contactIds}::text[]) or conversation_id = any(${conversationIds}::text[])
        or data ->> 'contactId' = any(${contactIds}::text[]))`.execute(db)
}

/** The bytes that were sent to endpoints, and what those answered. */
export const cleanDeliveries = async (
  { db, workspaceId }: Scope,
  { contactIds, conversationIds }: Traces,
  { after }: { after: string },
): Promise<string | undefined> => {
  const { rows } = await sql<{ to: string | null }>`
    with page as (
      select id, seq, conversation_id from webhook_deliveries
      where workspace_id = ${workspaceId} and id > ${after} order by id limit ${sql.lit(PAGE)}
    ), own as materialized (
      select p.id from page p where p.conversation_id = any(${conversationIds}::text[]) or exists (
        select from feed f where f.workspace_id = ${workspaceId} and f.seq = p.seq
          and f.contact_id = any(${contactIds}::text[]))
    ), cleaned as (
      update webhook_deliveries d set body = null, last_error = null from own
      where d.workspace_id = ${workspaceId} and d.id = own.id
    ), attempt as (
      update webhook_attempts a set response_body = null, error = null from own
      where a.workspace_id = ${workspaceId} and a.delivery_id = own.id
    )
    select max(id) as to from page`.execute(db)
  return rows[0]!.to ?? undefined
}

export type KeyPlace = { operation: string; key: string }

/** Answers that name something of the person. A repeat of such a request is no longer recognised. */
export const deleteAnswers = async (
  { db, workspaceId }: Scope,
  { contactIds, conversationIds, pattern }: Traces,
  { after }: { after: KeyPlace },
): Promise<KeyPlace | undefined> => {
  const { rows } = await sql<KeyPlace>`
    with page as materialized (
      select operation, key, response from idempotency_keys
      where workspace_id = ${workspaceId} and (operation, key) > (${after.operation}, ${after.key} collate "C")
      order by operation, key limit ${sql.lit(TEXTS_PAGE)}
    ), named as (
      select distinct p.operation, p.key, m.t[1] as id
      from page p, regexp_matches(p.response, '"(c[a-z0-9]{24})"', 'g') m (t)
    ), own as (
      select operation, key from named n
      where n.id = any(${[...contactIds, ...conversationIds]}::text[])
        or exists (select from messages x where x.workspace_id = ${workspaceId} and x.id = n.id
          and x.conversation_id = any(${conversationIds}::text[]))
        or exists (select from notes x where x.workspace_id = ${workspaceId} and x.id = n.id
          and x.contact_id = any(${contactIds}::text[]))
        or exists (select from attachments x
          join messages y on y.workspace_id = x.workspace_id and y.id = x.message_id
          where x.workspace_id = ${workspaceId} and x.id = n.id
            and y.conversation_id = any(${conversationIds}::text[]))
      union
      select operation, key from page where ${pattern} <> '' and (response ~* ${pattern} or key ~* ${pattern})
    ), gone as (
      delete from idempotency_keys k using own
      where k.workspace_id = ${workspaceId} and k.operation = own.operation and k.key = own.key
    )
    select operation, key from page order by operation desc, key desc limit 1`.execute(db)
  return rows[0]
}

/** What providers delivered and could not be stored, or waits for its message. */
export const deleteLeftovers = async ({ db, workspaceId }: Scope, { pattern }: Traces): Promise<void> => {
  if (pattern === '') return
  await sql`
    with leftover as (
      delete from webhook_leftovers where workspace_id = ${workspaceId} and raw ~* ${pattern}
    )
    delete from parked_alterations where workspace_id = ${workspaceId} and alteration::text ~* ${pattern}`.execute(
    db,
  )
}

/** The entries stay: who did what, when, and to which id. */
export const cleanAuditLog = async (
  { db, workspaceId }: Scope,
  { contactIds, conversationIds, pattern }: Traces,
): Promise<void> => {
  await sql`
    update audit_log set target_name = null, changes = '{}'
    where workspace_id = ${workspaceId} and (target_name is not null or changes <> '{}') and (
      target_id = any(${[...contactIds, ...conversationIds]}::text[])
      or ${pattern} <> '' and (changes::text ~* ${pattern} or target_name ~* ${pattern}))`.execute(db)
}

/** Broadcasts keep how many they reached. Returns those in which the person still waits. */
export const cleanRecipients = async (
  { db, workspaceId }: Scope,
  { contactIds }: Traces,
): Promise<string[]> => {
  const { rows } = await sql<{ broadcastId: string }>`
    update broadcast_recipients r set parameters = null, error_message = null
    from broadcasts b
    where r.workspace_id = ${workspaceId} and b.workspace_id = r.workspace_id and r.broadcast_id = b.id
      and r.contact_id = any(${contactIds}::text[])
    returning case r.outcome when 'pending' then r.broadcast_id end as "broadcastId"`.execute(db)
  return rows.flatMap(({ broadcastId }) => (broadcastId === null ? [] : [broadcastId]))
}

export const listExportIds = async (
  { db, workspaceId }: Scope,
  contactIds: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from exports where workspace_id = ${workspaceId} and contact_id = any(${contactIds}::text[])`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Their files are removed already. */
export const deleteExports = async ({ db, workspaceId }: Scope, ids: readonly string[]): Promise<void> => {
  await sql`delete from exports where workspace_id = ${workspaceId} and id = any(${ids}::text[])`.execute(db)
}
