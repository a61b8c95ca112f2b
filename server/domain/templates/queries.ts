// All SQL of templates: the last fetched list of each WhatsApp Business account.
import { sql } from 'kysely'
import type { TemplateDefinition } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { countLater, eventsFrom } from '../../platform/events/record.ts'

/** Replaces the stored list with a newly fetched one, and announces new states. In the caller's transaction. */
export const replaceTemplates = async (
  ctx: Ctx,
  businessAccountId: string,
  definitions: readonly TemplateDefinition[],
): Promise<void> => {
  const { db, workspaceId, now } = ctx
  const input = definitions.map((definition) => ({
    name: definition.name,
    language: definition.language,
    definition,
  }))
  const { rows } = await sql<{ count: number }>`
    with kept as materialized (
      select name, language, definition ->> 'status' as status from whatsapp_templates
      where workspace_id = ${workspaceId} and business_account_id = ${businessAccountId}
    ), fetched as (
      insert into whatsapp_template_fetches (workspace_id, business_account_id, fetched_at)
      values (${workspaceId}, ${businessAccountId}, ${now()})
      on conflict (workspace_id, business_account_id) do update set fetched_at = excluded.fetched_at
    ), input as (
      select distinct on (name collate "C", language collate "C") *
      from jsonb_to_recordset(${JSON.stringify(input)}::jsonb) as t (name text, language text, definition jsonb)
      order by name collate "C", language collate "C"
    ), gone as (
      delete from whatsapp_templates t
      where t.workspace_id = ${workspaceId} and t.business_account_id = ${businessAccountId}
        and not exists (select from input i where i.name = t.name and i.language = t.language)
    ), stored as (
      insert into whatsapp_templates (workspace_id, business_account_id, name, language, definition)
      select ${workspaceId}, ${businessAccountId}, name, language, definition from input
      on conflict (workspace_id, business_account_id, name, language)
        do update set definition = excluded.definition
        where whatsapp_templates.definition is distinct from excluded.definition
      returning name, language, definition
    ), changed as (
      select s.name, s.language, s.definition ->> 'status' as status, s.definition -> 'rejectedReason' as reason
      from stored s join kept k on k.name = s.name and k.language = s.language
      where s.definition ->> 'status' <> k.status
    ), event as (${eventsFrom(
      ctx,
      'template.status',
      sql`
        select null::text as "conversationId", null::text as "contactId",
          jsonb_build_object('name', name, 'language', language, 'status', status, 'reason', reason) as data
        from changed`,
    )}
    )
    select count(*)::integer as count from changed`.execute(db)
  countLater(ctx, 'template.status', rows[0]!.count)
}

/** The stored templates of some business accounts, in the order of name and language. */
export const listKeptTemplates = async (
  { db, workspaceId }: Ctx,
  businessAccountIds: readonly string[],
): Promise<TemplateDefinition[]> => {
  const { rows } = await sql<{ definition: TemplateDefinition }>`
    select definition from whatsapp_templates
    where workspace_id = ${workspaceId} and business_account_id = any(${businessAccountIds}::text[])
    order by name, language, business_account_id`.execute(db)
  return rows.map(({ definition }) => definition)
}

/** The same with the business account of each. */
export const listKeptByAccount = async (
  { db, workspaceId }: Ctx,
  businessAccountIds: readonly string[],
): Promise<{ businessAccountId: string; definition: TemplateDefinition }[]> => {
  const { rows } = await sql<{ businessAccountId: string; definition: TemplateDefinition }>`
    select business_account_id as "businessAccountId", definition from whatsapp_templates
    where workspace_id = ${workspaceId} and business_account_id = any(${businessAccountIds}::text[])
    order by name, language, business_account_id`.execute(db)
  return rows
}

/** A template in every language that a business account has it in. */
export const findTemplates = async (
  { db, workspaceId }: Ctx,
  businessAccountId: string,
  name: string,
): Promise<TemplateDefinition[]> => {
  const { rows } = await sql<{ definition: TemplateDefinition }>`
    select definition from whatsapp_templates
    where workspace_id = ${workspaceId} and business_account_id = ${businessAccountId} and name = ${name}
    order by language`.execute(db)
  return rows.map(({ definition }) => definition)
}

export const findFetchedAt = async (
  { db, workspaceId }: Ctx,
  businessAccountId: string,
): Promise<Date | undefined> => {
  const row = await db
    .selectFrom('whatsapp_template_fetches')
    .select('fetched_at')
    .where('workspace_id', '=', workspaceId)
    .where('business_account_id', '=', businessAccountId)
    .executeTakeFirst()
  return row && new Date(row.fetched_at)
}

/** Marks the stored templates as stale, so that the next use fetches them again. */
export const forgetFetch = async (
  { db, workspaceId }: Ctx,
  businessAccountIds: readonly string[],
): Promise<void> => {
  await sql`
    delete from whatsapp_template_fetches
    where workspace_id = ${workspaceId} and business_account_id = any(${businessAccountIds}::text[])`.execute(
    db,
  )
}

/** Whether a number of the contact is known, from WhatsApp or from the team. */
export const hasNumber = async ({ db, workspaceId }: Ctx, contactId: string): Promise<boolean> => {
  const { rows } = await sql<{ has: boolean }>`
    select k.phone is not null or exists (select from identities i
      where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.kind in ('phone', 'whatsapp_id')) as has
    from contacts k where k.workspace_id = ${workspaceId} and k.id = ${contactId}`.execute(db)
  return rows[0]?.has === true
}

/** Updates a stored template's state or category from the provider. Returns its state before; null if none is stored. */
export const setKept = async (
  { db, workspaceId }: Ctx,
  { businessAccountId, name, language }: { businessAccountId: string; name: string; language: string },
  change: { status?: string; category?: string },
): Promise<{ status: string | null }> => {
  const { rows } = await sql<{ status: string | null }>`
    with before as materialized (
      select business_account_id, name, language, definition ->> 'status' as status from whatsapp_templates
      where workspace_id = ${workspaceId} and business_account_id = ${businessAccountId}
        and name = ${name} and language = ${language}
      for no key update
    )
    update whatsapp_templates t set definition = definition || ${JSON.stringify(change)}::jsonb
    from before b
    where t.workspace_id = ${workspaceId} and t.business_account_id = b.business_account_id
      and t.name = b.name and t.language = b.language
    returning b.status`.execute(db)
  return rows[0] ?? { status: null }
}
