// All SQL of web chat blocks.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type BlockState = {
  visitor: boolean
  address: boolean
  /** Whether an address of the contact is known and can be blocked. */
  hasAddress: boolean
}

/** What is blocked of a contact. A contact may have several browsers, of which the one last seen counts. */
export const readBlocks = async ({ db, workspaceId }: Scope, contactId: string): Promise<BlockState> => {
  const { rows } = await sql<BlockState>`
    select
      coalesce(bool_or(kind = 'contact' and value = ${contactId}), false) as visitor,
      coalesce(bool_or(kind = 'address'), false) as address,
      coalesce(bool_or(kind = 'address'), false) or exists (
        select from visitors where workspace_id = ${workspaceId} and contact_id = ${contactId} and address is not null
      ) as "hasAddress"
    from visitor_blocks where workspace_id = ${workspaceId} and contact_id = ${contactId}`.execute(db)
  return rows[0]!
}

export const findVisitorAddress = async (
  { db, workspaceId }: Scope,
  contactId: string,
): Promise<string | null> => {
  const { rows } = await sql<{ address: string }>`
    select address from visitors
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and address is not null
    order by seen_at desc limit 1`.execute(db)
  return rows[0]?.address ?? null
}

/** Adds a block unless there is one already. */
export const insertBlock = async (
  { db, workspaceId, now }: Ctx,
  block: { kind: 'contact' | 'address'; value: string; contactId: string; blockedBy: string },
): Promise<void> => {
  await db
    .insertInto('visitor_blocks')
    .values({
      workspace_id: workspaceId,
      kind: block.kind,
      value: block.value,
      contact_id: block.contactId,
      blocked_by: block.blockedBy,
      created_at: now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const deleteBlocks = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  kind: 'contact' | 'address',
): Promise<void> => {
  await db
    .deleteFrom('visitor_blocks')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .where('kind', '=', kind)
    .execute()
}

/** Moves one contact's blocks to another, so that a merged contact stays blocked. */
export const moveBlocks = async ({ db, workspaceId }: Ctx, from: string, to: string): Promise<void> => {
  await sql`
    with moved as (
      delete from visitor_blocks where workspace_id = ${workspaceId} and contact_id = ${from} returning *
    )
    insert into visitor_blocks (workspace_id, kind, value, contact_id, blocked_by, created_at)
    select workspace_id, kind, case kind when 'contact' then ${to} else value end, ${to}, blocked_by, created_at
    from moved
    on conflict (workspace_id, kind, value) do update set contact_id = excluded.contact_id`.execute(db)
}

export type MovedBlocks = {
  /** Whether both were blocked, which is one block of the merged contact. */
  wereBothBlocked: boolean
  isBlocked: boolean
  addresses: readonly string[]
}

/** Gives a contact its blocks back as far as they still hold. */
export const returnBlocks = async (
  { db, workspaceId }: Ctx,
  {
    from,
    to,
    blocks: { isBlocked, wereBothBlocked, addresses },
  }: { from: string; to: string; blocks: MovedBlocks },
): Promise<void> => {
  await sql`
    with own as (
      insert into visitor_blocks (workspace_id, kind, value, contact_id, blocked_by, created_at)
      select workspace_id, kind, ${to}, ${to}, blocked_by, created_at from visitor_blocks
      where workspace_id = ${workspaceId} and kind = 'contact' and value = ${from} and ${isBlocked}
      on conflict do nothing
    ), gone as (
      delete from visitor_blocks
      where workspace_id = ${workspaceId} and kind = 'contact' and value = ${from}
        and ${isBlocked && !wereBothBlocked}
    )
    update visitor_blocks set contact_id = ${to}
    where workspace_id = ${workspaceId} and contact_id = ${from} and kind = 'address'
      and value = any(${addresses}::text[])`.execute(db)
}

/** Whether a caller is blocked, as a part of a larger statement. */
export const isBlockedAt = (
  address: string,
  contactId: RawBuilder<unknown>,
  workspaceId: string,
) => sql<boolean>`exists (
  select from visitor_blocks b where b.workspace_id = ${workspaceId}
    and (b.kind = 'address' and b.value = ${address} or b.kind = 'contact' and b.value = ${contactId}))`

export const isContactBlocked = async ({ db, workspaceId }: Scope, contactId: string): Promise<boolean> => {
  const { rows } = await sql`
    select from visitor_blocks
    where workspace_id = ${workspaceId} and kind = 'contact' and value = ${contactId}`.execute(db)
  return rows.length > 0
}

/** Whether the address of an unknown visitor is blocked. */
export const isAddressBlocked = async ({ db, workspaceId }: Scope, address: string): Promise<boolean> => {
  const { rows } = await sql<{ isBlocked: boolean }>`
    select ${isBlockedAt(address, sql`null`, workspaceId)} as "isBlocked"`.execute(db)
  return rows[0]!.isBlocked
}
