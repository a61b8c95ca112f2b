// Every column with values that SECRET_KEY encrypts, for rotating the key and for checking it.
import { keyOwner } from '../domain/ai/provider/find-provider.ts'
import { identitySecretOwner } from '../domain/chat-boxes/update-chat-box.ts'
import { tokenOwner } from '../domain/mcp-servers/open-account.ts'
import { PUSH_KEYS_OWNER } from '../domain/notifications/push-keys.ts'
import type { Connection } from '../platform/db/connection.ts'
import { type Seal, SealError, type SealOwner } from '../platform/seal.ts'

type Row = Record<string, string>

export type SealedColumn = {
  table: string
  column: string
  /** The primary key. */
  key: readonly string[]
  /** Other columns that the owner is made of. */
  more?: readonly string[]
  owner: (row: Row) => SealOwner
}

const KEY = ['workspace_id', 'id']
const ownerOfRow = ({ workspace_id, id }: Row): SealOwner => ({ workspaceId: workspace_id!, id: id! })

const ofChatBox = (column: string): SealedColumn => ({
  ...{ table: 'chat_boxes', column, key: ['workspace_id', 'channel_account_id'] },
  owner: ({ workspace_id, channel_account_id }) => identitySecretOwner(workspace_id!, channel_account_id!),
})

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'channel_accounts', column: 'secrets', key: KEY, owner: ownerOfRow },
  { table: 'webhook_endpoints', column: 'secrets', key: KEY, owner: ownerOfRow },
  { table: 'actions', column: 'headers', key: KEY, owner: ownerOfRow },
  { table: 'erasures', column: 'clues', key: KEY, owner: ownerOfRow },
  ofChatBox('identity_secret'),
  ofChatBox('former_secret'),
  {
    ...{ table: 'ai_providers', column: 'key', key: ['workspace_id'], more: ['base_url'] },
    owner: ({ workspace_id, base_url }) => keyOwner({ workspaceId: workspace_id! }, base_url!),
  },
  {
    ...{ table: 'mcp_servers', column: 'token', key: KEY, more: ['url'] },
    owner: ({ workspace_id, id, url }) => tokenOwner({ workspaceId: workspace_id! }, { id: id!, url: url! }),
  },
  { table: 'push_keys', column: 'private_key', key: ['public_key'], owner: () => PUSH_KEYS_OWNER },
]

const PAGE = 500

export type SealedValue = { column: SealedColumn; row: Row; sealed: Buffer }

/** All values of a column, in the order of their key. */
export async function* listSealed(client: Connection, column: SealedColumn): AsyncGenerator<SealedValue> {
  const { table, column: name, key, more = [] } = column
  const keys = key.join(', ')
  let after: (string | undefined)[] = []
  for (;;) {
    const { rows } = await client.query<Row & { sealed: Buffer }>(
      `select ${[...key, ...more].join(', ')}, ${name} as sealed from ${table}
       where ${name} is not null ${after.length > 0 ? `and (${keys}) > (${key.map((_, at) => `$${at + 1}`).join(', ')})` : ''}
       order by ${keys} limit ${PAGE}`,
      after,
    )
    for (const { sealed, ...row } of rows) yield { column, row, sealed }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return
    after = key.map((part) => last[part])
  }
}

/** The text, or null if the key doesn't open it. */
export const openValue = (seal: Seal, { column, row, sealed }: SealedValue): string | null => {
  try {
    return seal.open(sealed, column.owner(row))
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

/** Unless it has changed in the meantime: whoever changed it used the new key. */
export const replaceValue = async (
  client: Connection,
  { column: { table, column, key }, row, sealed }: SealedValue,
  resealed: Buffer,
): Promise<void> => {
  const isRow = key.map((part, at) => `${part} = $${at + 3}`).join(' and ')
  await client.query(`update ${table} set ${column} = $1 where ${column} = $2 and ${isRow}`, [
    resealed,
    sealed,
    ...key.map((part) => row[part]),
  ])
}
