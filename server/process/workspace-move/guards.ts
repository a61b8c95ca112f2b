// The triggers that keep everyone from writing to a closed workspace, whatever they run. Making one waits for whoever is
// writing to the table, so a transaction is in the copy with all that it wrote, or fails.
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection } from '../../platform/db/connection.ts'
import { StartError } from '../../platform/start-error.ts'
import type { MovedTable } from './tables.ts'

type Guarded = Pick<MovedTable, 'name' | 'owner'>

/** While it waits for a table, others who write to it queue behind it. */
const LOCK_TIMEOUT_MS = 400
/** After a second PostgreSQL cancels a vacuum that is in the way. */
const PATIENT_TIMEOUT_MS = 1_500
const PATIENT_FROM = 5
const TRIES_MAX = 120
const AGAIN_MS = 500

const nameOf = (workspaceId: string): string => `closed_${workspaceId}`

export const addGuards = async (
  client: Connection,
  workspaceId: string,
  tables: readonly Guarded[],
): Promise<void> => {
  const name = nameOf(workspaceId)
  for (const table of tables)
    await alter(
      client,
      table.name,
      `create or replace trigger ${name} before insert or update on ${table.name} for each row
         when (new.${table.owner} = '${workspaceId}') execute function refuse_closed('${workspaceId}');
       create or replace trigger ${name}_delete before delete on ${table.name} for each row
         when (old.${table.owner} = '${workspaceId}') execute function refuse_closed('${workspaceId}')`,
    )
}

export const dropGuards = async (client: Connection, workspaceId: string): Promise<void> => {
  const name = nameOf(workspaceId)
  const { rows } = await client.query<{ table: string }>(
    `select distinct tgrelid::regclass::text as table from pg_trigger where tgname = any ($1)`,
    [[name, `${name}_delete`]],
  )
  for (const { table } of rows)
    await alter(
      client,
      table,
      `drop trigger if exists ${name} on ${table}; drop trigger if exists ${name}_delete on ${table}`,
    )
}

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

const alter = async (client: Connection, table: string, statements: string): Promise<void> => {
  for (let attempt = 1; ; attempt++)
    try {
      const timeoutMs = attempt < PATIENT_FROM ? LOCK_TIMEOUT_MS : PATIENT_TIMEOUT_MS
      await client.query(`begin; set local lock_timeout = ${timeoutMs}; ${statements}; commit`)
      return
    } catch (error) {
      await client.query('rollback')
      const { code } = error as { code?: string }
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error
      if (attempt === TRIES_MAX)
        throw new StartError(`The table ${table} is in use by a long transaction. Try again later.`, {
          cause: error,
        })
      await delay(AGAIN_MS)
    }
}
