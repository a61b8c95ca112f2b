// What belongs to a workspace: every table with workspace_id, and what its people have elsewhere. The list is read from the
// database; a test compares it with the two lists here, so that nobody forgets a new table.
import type { Connection } from '../../platform/db/connection.ts'

/** Tables with workspace_id whose rows stay behind. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  events: 'live streams begin again at another server, and the feed has all that programs may still ask for',
  push_deliveries: 'they are for browsers that subscribed to the address of the source',
  workspace_moves: 'it is about the move itself',
}

/** Tables without workspace_id. */
export const OF_NO_WORKSPACE: Readonly<Record<string, string>> = {
  workspaces: 'the row of the workspace is copied',
  accounts: 'those of its people are created in the target if their id and their email are missing there',
  notification_settings: 'copied for accounts that are created',
  event_epoch: 'of the database',
  feed_relay: 'of the database',
  readiness_checks: 'of the database',
  schema_migrations: 'of the database',
  push_keys: 'of the installation',
  push_subscriptions: 'browsers subscribed to the address of the source',
  sessions: 'people sign in again',
  sign_in_codes: 'people sign in again',
  sign_in_secrets: 'people sign in again',
  pending_sign_ins: 'people sign in again',
  passkeys: 'they only work at the host name of the source',
  passkey_challenges: 'they only work at the host name of the source',
  recovery_codes: 'they stand in for passkeys',
  oidc_subjects: 'the first sign-in through the identity provider makes them again',
  oidc_used_states: 'people sign in again',
}

export type MovedTable = {
  name: string
  /** The column with the workspace's id. */
  owner: 'id' | 'workspace_id'
  columns: string[]
  /** Numbered by the target; rows go there in the order of the source. */
  numbered: string | null
  /** Columns that name a person. */
  accountColumns: string[]
  /** Inserting rows makes others elsewhere. */
  hasTriggers: boolean
}

type Found = MovedTable & { needs: string[]; hasOwner: boolean }

const TABLES = `
  select c.relname as name, case when c.relname = 'workspaces' then 'id' else 'workspace_id' end as owner,
    (select array_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a where a.attrelid = c.oid
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = '') as columns,
    (select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '') as numbered,
    array(select quote_ident(a.attname) from pg_constraint k join pg_attribute a on a.attrelid = c.oid
      and a.attnum = any (k.conkey) where k.conrelid = c.oid and k.contype = 'f'
      and k.confrelid = 'accounts'::regclass) as "accountColumns",
    array(select distinct k.confrelid::regclass::text from pg_constraint k where k.conrelid = c.oid
      and k.contype = 'f' and k.confrelid <> c.oid) as needs,
    exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
      and t.tgname not like 'closed\\_c%') as "hasTriggers",
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and a.attnum > 0
      and not a.attisdropped) as "hasOwner"
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`

/** All tables of ours: those of workspaces, and the others. */
export const listTables = async (client: Connection): Promise<{ owned: string[]; others: string[] }> => {
  const { rows } = await client.query<Found>(TABLES)
  const namesOf = (some: readonly Found[]) => some.map(({ name }) => name)
  return {
    owned: namesOf(rows.filter(({ hasOwner }) => hasOwner)),
    others: namesOf(rows.filter(({ hasOwner }) => !hasOwner)),
  }
}

/**
 * The workspace's own row first, and every table after those that its rows refer to. Tables whose triggers fill others
 * come as early as that allows, so that what they made is replaced by the copy.
 */
export const listMovedTables = async (client: Connection): Promise<MovedTable[]> => {
  const { rows } = await client.query<Found>(TABLES)
  const moved = rows.filter(
    ({ name, hasOwner }) => name === 'workspaces' || (hasOwner && !(name in NOT_COPIED)),
  )
  const left = new Map(moved.map((table) => [table.name, table] as const))
  const sorted: MovedTable[] = []
  /** With what it needs before it. */
  const take = (name: string): void => {
    const table = left.get(name)
    if (!table) return
    left.delete(name)
    const { needs, hasOwner: _, ...rest } = table
    for (const needed of needs) take(needed)
    sorted.push(rest)
  }
  for (const { name } of [
    ...moved.filter(({ name }) => name === 'workspaces'),
    ...moved.filter(({ hasTriggers }) => hasTriggers),
    ...moved,
  ])
    take(name)
  return sorted
}

/** Those that a closed workspace's rows are guarded in: all but the one that says so. */
export const listGuardedTables = async (
  client: Connection,
): Promise<Pick<MovedTable, 'name' | 'owner'>[]> => {
  const { owned } = await listTables(client)
  return [
    { name: 'workspaces', owner: 'id' },
    ...owned
      .filter((name) => name !== 'workspace_moves')
      .map((name) => ({ name, owner: 'workspace_id' as const })),
  ]
}
