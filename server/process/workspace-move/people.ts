// The accounts of the workspace's people. Those who have one in the target keep that; the others are created there.
import { foldNickname } from '../../domain/accounts/nickname.ts'
import type { Connection } from '../../platform/db/connection.ts'
import type { MovedTable } from './tables.ts'

type Account = {
  id: string
  email: string
  nickname: string
  isAi: boolean
  createdIn: string | null
  lastSeenAt: string | null
  undoSeconds: number
  createdAt: string
}

export type Person = { email: string; nickname: string; is: 'created' | 'known' }

export type People = {
  people: Person[]
  /** The id in the source → the one in the target, where they differ. */
  renamed: Map<string, string>
}

type Bringing = {
  source: Connection
  target: Connection
  workspaceId: string
  tables: readonly MovedTable[]
}

/**
 * Finds each in the target by id or email, or creates it in the transaction that is open there. A nickname that another
 * person has there gets a number.
 */
export const bringPeople = async ({ source, target, workspaceId, tables }: Bringing): Promise<People> => {
  const found: People = { people: [], renamed: new Map() }
  for (const account of await listAccounts(source, workspaceId, tables)) {
    const known = await findKnown(target, account)
    if (known === undefined) {
      const nickname = await freeNickname(target, account.nickname)
      await insertAccount(target, { ...account, nickname }, workspaceId)
      await copySettings(source, target, account.id)
      found.people.push({ email: account.email, nickname, is: 'created' })
      continue
    }
    if (known.id !== account.id) found.renamed.set(account.id, known.id)
    if (!account.isAi) found.people.push({ email: account.email, nickname: known.nickname, is: 'known' })
  }
  return found
}

/** Everyone whom a row of the workspace names. */
const listAccounts = async (
  source: Connection,
  workspaceId: string,
  tables: readonly MovedTable[],
): Promise<Account[]> => {
  const named = tables.flatMap(({ name, owner, accountColumns }) =>
    accountColumns.map((column) => `select ${column} from ${name} where ${owner} = $1`),
  )
  const { rows } = await source.query<Account>(
    `select id, email, nickname, is_ai as "isAi", created_in as "createdIn", last_seen_at::text as "lastSeenAt",
       undo_seconds as "undoSeconds", created_at::text as "createdAt"
     from accounts where id in (${named.join(' union ')}) order by id`,
    [workspaceId],
  )
  return rows
}

const findKnown = async (
  target: Connection,
  { id, email, isAi }: Account,
): Promise<{ id: string; nickname: string } | undefined> => {
  const { rows } = await target.query<{ id: string; nickname: string }>(
    `select id, nickname from accounts where case when $3 then is_ai else not is_ai and (id = $1 or email = $2) end
     order by id <> $1 limit 1`,
    [id, email, isAi],
  )
  return rows[0]
}

const freeNickname = async (target: Connection, nickname: string): Promise<string> => {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? nickname : `${nickname} ${number}`
    const { rows } = await target.query('select from accounts where nickname_key = $1', [foldNickname(tried)])
    if (rows.length === 0) return tried
  }
}

const insertAccount = async (target: Connection, account: Account, workspaceId: string): Promise<void> => {
  const { id, email, nickname, createdIn, lastSeenAt, undoSeconds, createdAt } = account
  await target.query(
    `insert into accounts (id, email, nickname, nickname_key, created_in, last_seen_at, undo_seconds, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[id, email, nickname, foldNickname(nickname), createdIn === workspaceId ? workspaceId : null],
      ...[lastSeenAt, undoSeconds, createdAt],
    ],
  )
}

const copySettings = async (source: Connection, target: Connection, accountId: string): Promise<void> => {
  const { rows } = await source.query<{ settings: unknown; pausedUntil: string | null; updatedAt: string }>(
    `select settings, paused_until::text as "pausedUntil", updated_at::text as "updatedAt"
     from notification_settings where account_id = $1`,
    [accountId],
  )
  for (const { settings, pausedUntil, updatedAt } of rows)
    await target.query(
      'insert into notification_settings (account_id, settings, paused_until, updated_at) values ($1, $2, $3, $4)',
      [accountId, JSON.stringify(settings), pausedUntil, updatedAt],
    )
}
