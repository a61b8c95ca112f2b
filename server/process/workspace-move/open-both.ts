// The two databases of a move: that of this installation, and the one that receives the workspace.
import type { Connection } from '../../platform/db/connection.ts'
import { listMigrations } from '../../platform/db/copy/catalog.ts'
import { openCopyConnection } from '../../platform/db/copy/sessions.ts'
import { ID_PATTERN } from '../../platform/db/id.ts'
import { checkNotMoved } from '../../platform/live/moved.ts'
import { StartError } from '../../platform/start-error.ts'
import type { Config } from '../config.ts'
import { lockForCopying } from '../copied-database.ts'
import { checkServer, openDatabase } from '../open-database.ts'
import { showAddress } from '../show-address.ts'

export type Pair = {
  source: Connection
  target: Connection
  workspace: { id: string; name: string }
  /** Of the target, without its password. */
  address: string
  close: () => Promise<void>
}

export type Opened = Pick<Pair, 'source' | 'workspace' | 'close'>

type Wanted = { workspaceId: string; say: (line: string) => void }

/** The names of sessions must not be Foyer's own: live streams don't wait for others (platform/live/settled.ts). */
const SESSION = 'foyer workspace move'
/** So that both servers write rows in the same way, whatever their settings. */
const FORMAT = `set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set bytea_output = 'hex';
  set extra_float_digits = 1; set timezone = 'UTC'`

/** Locked, so that one such command runs at a time. Throws StartError. */
export const openSource = async (config: Config, { workspaceId, say }: Wanted): Promise<Opened> => {
  const { connectionString, release } = await openDatabase(config, say)
  const source = await openCopyConnection(connectionString, SESSION)
  const close = async (): Promise<void> => {
    await source.end().catch(() => {})
    await release()
  }
  try {
    await lockForCopying(source, SOURCE)
    await source.query(FORMAT)
    await checkIsFoyer(source, SOURCE)
    await checkNotMoved(source)
    return { source, workspace: await findWorkspace(source, workspaceId), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Throws StartError, with nothing changed. */
export const openBoth = async (config: Config, { to, ...wanted }: Wanted & { to: string }): Promise<Pair> => {
  await checkServer(to, '--to')
  const { source, workspace, close: closeSource } = await openSource(config, wanted)
  const target = await openCopyConnection(to, SESSION).catch(async (error) => {
    await closeSource()
    throw error
  })
  const close = async (): Promise<void> => {
    await target.end().catch(() => {})
    await closeSource()
  }
  try {
    await lockForCopying(target, TARGET)
    await target.query(FORMAT)
    await checkIsFoyer(target, TARGET)
    await checkNotMoved(target)
    await checkSameVersion(source, target)
    return { source, target, workspace, address: showAddress(to), close }
  } catch (error) {
    await close()
    throw error
  }
}

const SOURCE = 'The database of this installation'
const TARGET = 'The database in --to'

const findWorkspace = async (source: Connection, id: string): Promise<Pair['workspace']> => {
  const { rows } = ID_PATTERN.test(id)
    ? await source.query<Pair['workspace']>('select id, name from workspaces where id = $1', [id])
    : { rows: [] }
  if (!rows[0]) throw new StartError(`${id} is not the id of a workspace (foyer workspace list).`)
  return rows[0]
}

const checkIsFoyer = async (client: Connection, what: string): Promise<void> => {
  const { rows } = await client.query<{ is: boolean }>(
    `select to_regclass('schema_migrations') is not null and to_regclass('event_epoch') is not null
       and to_regclass('graphile_worker.jobs') is not null as is`,
  )
  if (!rows[0]!.is)
    throw new StartError(
      `${what} is not a Foyer database. Start Foyer on it once, or run "foyer migrate" there.`,
    )
}

const checkSameVersion = async (source: Connection, target: Connection): Promise<void> => {
  const [here, there] = [await listMigrations(source), await listMigrations(target)]
  const missing = here.findLast((name) => !there.includes(name))
  const unknown = there.findLast((name) => !here.includes(name))
  if (missing ?? unknown)
    throw new StartError(
      `The two databases have different versions of Foyer: ${missing ?? unknown} is only in ${missing ? 'the source' : 'the target'}. Upgrade the older one first.`,
    )
}
