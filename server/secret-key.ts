// The installation's secret key: the setting, or a file in the data directory that the first process makes.
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, ConfigError } from './config.ts'

const KEY_BYTES = 32
const KEY_FILE = 'secret.key'
const KEY_PATTERN = /^[A-Za-z0-9_-]{43,}$/

/**
 * The key that seals and signs. Without SECRET_KEY it is read from the data directory, and made there first when there
 * is none; of several processes that start together all get the same one. Throws ConfigError when the file is damaged.
 */
export const findSecretKey = async (config: Pick<Config, 'secretKey' | 'dataDir'>): Promise<string> => {
  if (config.secretKey) return config.secretKey
  const path = join(config.dataDir, KEY_FILE)
  const found = (await readKey(path)) ?? (await makeKey(path, config.dataDir))
  // A new key in its place would leave every stored credential unreadable, so that is for the operator to decide.
  if (!KEY_PATTERN.test(found))
    throw new ConfigError([`${path} does not hold a key: restore it, or set SECRET_KEY to the key of before`])
  return found
}

const readKey = async (path: string): Promise<string | undefined> => {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Written whole beside its place and linked into it: a link never replaces, so whoever comes second reads the first. */
const makeKey = async (path: string, dataDir: string): Promise<string> => {
  await mkdir(dataDir, { recursive: true })
  const unfinished = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64url')}\n`)
    await file.sync()
    await link(unfinished, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await file.close()
    await rm(unfinished, { force: true })
  }
  return (await readFile(path, 'utf8')).trim()
}
