// Files in a local folder: written to a temporary file, synced to disk and renamed into place.
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { type FileStore, MissingFileError } from './store.ts'

/** Our keys consist of ids and slashes. Anything else could escape the folder. */
const KEY_PATTERN = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/

/** No key starts with this: keys start with a workspace id. */
const UNFINISHED = 'unfinished'
const HOUR_MS = 3_600_000
/** No write takes this long. */
const UNFINISHED_KEPT_MS = 24 * HOUR_MS
const SWEEP_EVERY_MS = HOUR_MS

export const makeFolderStore = (folder: string): FileStore => {
  const root = resolve(folder)
  const pathOf = (key: string): string => {
    if (!KEY_PATTERN.test(key)) throw new Error(`not the key of a file: ${JSON.stringify(key)}`)
    return join(root, key)
  }

  let sweptAtMs = Number.NEGATIVE_INFINITY
  /** Periodically removes unfinished files left by a process that died. */
  const sweep = async (): Promise<void> => {
    const nowMs = Date.now()
    if (nowMs - sweptAtMs < SWEEP_EVERY_MS) return
    sweptAtMs = nowMs
    const folder = join(root, UNFINISHED)
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }))
      if (nowMs - mtimeMs > UNFINISHED_KEPT_MS) await rm(path, { force: true })
    }
  }

  return {
    async put(key, content) {
      // The stream may fail before it is read; the reader gets the error.
      if (content instanceof Readable) content.on('error', () => {})
      const path = pathOf(key)
      const parent = dirname(path)
      await makeFolder(parent)
      const unfinished = join(root, UNFINISHED, randomBytes(12).toString('hex'))
      try {
        await makeFolder(dirname(unfinished))
        await sweep()
        const size = await write(unfinished, content)
        await rename(unfinished, path)
        await syncFolder(parent)
        return { size }
      } catch (error) {
        if (content instanceof Readable) content.destroy()
        await rm(unfinished, { force: true })
        throw error
      }
    },
    async open(key, range) {
      try {
        const file = await open(pathOf(key), 'r')
        return file.createReadStream(range)
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw new MissingFileError(key, { cause })
        throw cause
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  }
}

const write = async (path: string, content: Buffer | Readable): Promise<number> => {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

/** A file name is durable once its directory has been synced. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const makeFolder = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}
