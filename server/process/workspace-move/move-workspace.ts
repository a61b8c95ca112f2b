// Moves one workspace to another installation's database, while both serve. See
// docs/decisions/0110-moving-a-workspace.md.

import type { Connection } from '../../platform/db/connection.ts'
import { makeProgress } from '../../platform/db/copy/progress.ts'
import { newId } from '../../platform/db/id.ts'
import { makeSeal } from '../../platform/seal.ts'
import { StartError } from '../../platform/start-error.ts'
import type { Config } from '../config.ts'
import { findSecretKeys } from '../secret-key.ts'
import { closeWorkspace, reopenWorkspace } from './close-workspace.ts'
import { deleteRows } from './delete-rows.ts'
import { type FileCopier, type FilesCopied, listFiles } from './files.ts'
import { copyRows, type Entry, measureRows } from './ledger.ts'
import { beginMove, endMove, findMove, forgetMove, keepJobs, readJobs, setMoveState } from './moves.ts'
import { openBoth, type Pair } from './open-both.ts'
import { bringPeople, type Person } from './people.ts'
import { prepareFiles, type TargetFiles } from './prepare-files.ts'
import { checkTargetKey, resealIn } from './secrets.ts'
import { listMovedTables } from './tables.ts'

/** What the command knows of the target beyond its database. */
export type Target = {
  /** Null: the same key as here. */
  secretKey: string | null
  files: TargetFiles
}

export type MoveOptions = {
  workspaceId: string
  to: string
  target: Target
  /** Where the workspace can be reached afterwards, told to whoever still asks here. */
  url: string | null
  /** For tests: called when all rows are in the target and nothing is committed. */
  onCopied?: () => Promise<void>
  say: (line: string) => void
}

export type WorkspaceMoved = {
  workspace: { id: string; name: string }
  to: string
  /** Rows and the sum over their hashes of each table that has any, the same in both databases. */
  ledger: Record<string, { rows: number; sum: string }>
  rows: number
  bytes: number
  files: number
  missingFiles: string[]
  people: Person[]
  /** Ids of people in the source who have another one in the target. */
  renamed: Record<string, string>
  unreadable: string[]
  /** How long nobody could write to the workspace. */
  closedSeconds: number
  /** Addresses that providers call, on the source's host. */
  webhooks: { channel: string; name: string; path: string }[]
}

/** An earlier run had copied everything and was killed right before its end. */
type Finished = Pick<WorkspaceMoved, 'workspace' | 'to'> & { finished: 'an earlier run' }

/**
 * Closes the workspace, copies it in one transaction of the target, compares both, marks it as moved and opens it there.
 * What fails before the commit opens it again here. Killed at any point, it can be run again. Throws StartError.
 */
export const moveWorkspace = async (
  config: Config,
  options: MoveOptions,
): Promise<WorkspaceMoved | Finished> => {
  const pair = await openBoth(config, options)
  try {
    const keys = await findSecretKeys(config)
    const seals = {
      from: makeSeal(keys.key, keys.former),
      to: makeSeal(options.target.secretKey ?? keys.key, keys.former),
    }
    await checkTargetKey(pair.target, options.target.secretKey === null ? seals.from : seals.to)
    return await moveBetween(pair, options, {
      copyFiles: await prepareFiles(config, pair.source, options),
      seals: options.target.secretKey === null || options.target.secretKey === keys.key ? null : seals,
    })
  } finally {
    await pair.close()
  }
}

type Means = {
  /** Null if both installations use the same storage. */
  copyFiles: FileCopier | null
  /** Null if both have the same key. */
  seals: { from: ReturnType<typeof makeSeal>; to: ReturnType<typeof makeSeal> } | null
}

const moveBetween = async (
  pair: Pair,
  options: MoveOptions,
  means: Means,
): Promise<WorkspaceMoved | Finished> => {
  const { source, target, workspace } = pair
  const { workspaceId, say } = options
  const moveId = await resume(pair, options)
  if (moveId === null) return { workspace, to: pair.address, finished: 'an earlier run' }
  if (means.copyFiles) await means.copyFiles(source)
  const closedMs = performance.now()
  await beginMove(source, { workspaceId, moveId, state: 'closing' })
  let copied: Copied
  try {
    await closeWorkspace(source, workspaceId, say)
    await beginMove(target, { workspaceId, moveId, state: 'arriving' })
    const arrived = await findMove(target, workspaceId)
    if (arrived?.moveId !== moveId)
      throw new StartError('The target is receiving this workspace from elsewhere.')
    copied = await copyAll(pair, options, means)
  } catch (error) {
    await target.query('rollback').then(
      () => forgetMove(target, workspaceId),
      () => {},
    )
    await reopenWorkspace(source, workspaceId).catch(() =>
      say(`the workspace is still closed; open it with "foyer workspace reopen ${workspaceId}"`),
    )
    throw error
  }
  await target.query('commit')
  await finish(pair, options, means.copyFiles !== null)
  const closedSeconds = Math.round((performance.now() - closedMs) / 100) / 10
  // Until then, the plans for its rows are poor.
  await target.query('analyze')
  return {
    workspace,
    to: pair.address,
    ...copied,
    closedSeconds,
    webhooks: await listWebhooks(source, workspaceId),
  }
}

/** The order matters: until the source says that it has moved, nothing works in the target. */
const finish = async (
  { source, target, address }: Pair,
  { workspaceId, url }: MoveOptions,
  hasOwnFiles: boolean,
): Promise<void> => {
  await setMoveState(source, workspaceId, { state: 'moved', movedTo: address, url, hasOwnFiles })
  await endMove(target, workspaceId)
}

/**
 * The id of this move: that of one that was interrupted, if there is one. A copy that never counted is deleted. Null if an
 * earlier run had only left to open the workspace in the target. Throws StartError if it has moved already, or is the
 * target's own.
 */
const resume = async (
  { source, target }: Pair,
  { workspaceId, say }: MoveOptions,
): Promise<string | null> => {
  const [here, there] = [await findMove(source, workspaceId), await findMove(target, workspaceId)]
  const { rows } = await target.query('select from workspaces where id = $1', [workspaceId])
  if (here?.state === 'moved') {
    if (there?.state !== 'arriving' || there.moveId !== here.moveId)
      throw new StartError(`The workspace was already moved, to ${here.movedTo}.`)
    await endMove(target, workspaceId)
    return null
  }
  if (here?.state === 'arriving')
    throw new StartError(
      'The workspace has not arrived here completely. Run the move that brings it here again.',
    )
  if (there && there.state !== 'arriving')
    throw new StartError('The target is moving this workspace elsewhere.')
  if (rows.length > 0 && !there) throw new StartError('The target already has this workspace.')
  if (rows.length > 0) {
    say('deleting an earlier copy that was never opened')
    await deleteRows(target, workspaceId, say)
  }
  if (there) await forgetMove(target, workspaceId)
  return here?.moveId ?? newId()
}

type Copied = Omit<WorkspaceMoved, 'workspace' | 'to' | 'closedSeconds' | 'webhooks'>

/** Everything, compared, in the target's transaction, which is still open afterwards. */
const copyAll = async (pair: Pair, options: MoveOptions, means: Means): Promise<Copied> => {
  const { source, target } = pair
  const { workspaceId, say } = options
  const tables = await listMovedTables(source)
  await source.query('begin isolation level repeatable read, read only')
  await target.query(`begin; set local foyer.copying = 'on'`)
  const rows = await listFiles(source, workspaceId)
  const files: FilesCopied = (await means.copyFiles?.(source)) ?? {
    files: rows.length,
    bytes: 0,
    missing: [],
  }
  // The workspace comes first: new accounts refer to it, and its other rows to them.
  const [workspaceTable, ...rest] = tables
  const copying = { source, target, workspaceId, accounts: new Map<string, string>() }
  const entries: [string, Entry][] = [[workspaceTable!.name, await copyRows(copying, workspaceTable!)]]
  const { people, renamed } = await bringPeople({ source, target, workspaceId, tables })
  const progress = makeProgress(say)
  for (const table of rest) {
    entries.push([table.name, await copyRows({ ...copying, accounts: renamed }, table)])
    progress(
      `copied ${entries.reduce((sum, [, entry]) => sum + entry.rows, 0)} rows, up to the table ${table.name}`,
    )
  }
  const sent = new Map(entries)
  for (const table of tables) {
    const [one, other] = [sent.get(table.name)!, await measureRows(target, table, workspaceId)]
    if (one.rows !== other.rows || one.sum !== other.sum)
      throw new StartError(`The copy of ${table.name} differs from the original, so nothing was moved.`)
  }
  const { unreadable } = means.seals ? await resealIn(target, workspaceId, means.seals) : { unreadable: [] }
  await keepJobs(target, workspaceId, await readJobs(source, workspaceId))
  await source.query('rollback')
  await options.onCopied?.()
  return {
    ledger: Object.fromEntries(
      entries.flatMap(([name, { rows, sum }]) => (rows > 0 ? [[name, { rows, sum }]] : [])),
    ),
    rows: entries.reduce((sum, [, entry]) => sum + entry.rows, 0),
    bytes: entries.reduce((sum, [, entry]) => sum + entry.bytes, 0),
    files: files.files,
    missingFiles: files.missing,
    people,
    renamed: Object.fromEntries(renamed),
    unreadable,
  }
}

const listWebhooks = async (source: Connection, workspaceId: string): Promise<WorkspaceMoved['webhooks']> => {
  const { rows } = await source.query<{ id: string; channel: string; name: string }>(
    `select id, channel, name from channel_accounts where workspace_id = $1 and channel <> 'web' order by id`,
    [workspaceId],
  )
  return rows.map(({ id, channel, name }) => ({ channel, name, path: `/webhooks/${channel}/${id}` }))
}
