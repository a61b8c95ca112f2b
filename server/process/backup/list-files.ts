// The keys of the files that a database refers to.
import type { Connection } from '../../platform/db/connection.ts'

const PAGE = 1_000

/** Each once, in the transaction that is open. */
export async function* listFileKeys(client: Connection): AsyncGenerator<string> {
  await client.query(`declare foyer_files no scroll cursor for
    select storage_key as key from attachments where storage_key is not null and state = 'stored'
    group by workspace_id, storage_key
    union all
    select f->>'key' from exports, jsonb_array_elements(files) f where status = 'completed' and f->>'key' is not null`)
  for (;;) {
    const { rows } = await client.query<{ key: string }>(`fetch ${PAGE} from foyer_files`)
    if (rows.length === 0) return
    for (const { key } of rows) yield key
  }
}

/** Those of the given keys that the database still refers to now: the others were deleted while the backup was made. */
export const listStillNeeded = async (client: Connection, keys: readonly string[]): Promise<string[]> => {
  const { rows } = await client.query<{ key: string }>(
    `select distinct storage_key as key from attachments
     where storage_key is not null and state = 'stored' and workspace_id = any ($2::text[]) and storage_key = any ($1::text[])`,
    [keys, [...new Set(keys.map((key) => key.split('/', 1)[0]))]],
  )
  return rows.map(({ key }) => key)
}

/** What the storage is told about a file. */
export const findMimeType = async (client: Connection, key: string): Promise<string> => {
  const { rows } = await client.query<{ mimeType: string }>(
    `select mime_type as "mimeType" from attachments where workspace_id = $1 and storage_key = $2 limit 1`,
    [key.split('/', 1)[0], key],
  )
  return rows[0]?.mimeType ?? 'application/octet-stream'
}
