// The installation's secret key: the setting, or a file in the data directory created by the first process.
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Config, ConfigError } from './config.ts'

const KEY_BYTES = 32
const KEY_FILE = 'secret.key'
const FORMER_KEY_FILE = `${KEY_FILE}.old`
const KEY_PATTERN = /^[A-Za-z0-9_-]{43,}$/

/**
 * The key for encrypting and signing. Without SECRET_KEY it is read from the data directory, and created there if
 * missing; several processes starting together get the same one. Throws ConfigError if the file is damaged.
 */
export const findSecretKey = async (config: Pick<Config, 'secretKey' | 'dataDir'>): Promise<string> => {
  if (config.secretKey) return config.secretKey
  const path = join(config.dataDir, KEY_FILE)
  const found = (await readKey(path)) ?? (await makeKey(path, config.dataDir))
  // A new key would make every stored credential unreadable, so the operator has to decide.
  if (!KEY_PATTERN.test(found))
    throw new ConfigError([
      `${path} does not contain a key. Restore it, or set SECRET_KEY to the previous key`,
    ])
  return found
}

export type SecretKeys = {
  key: string
  /** The key before the last rotation, if it is known. */
  former: string | null
}

type Keys = Pick<Config, 'secretKey' | 'formerSecretKey' | 'dataDir'>

/** The same with the former key: the setting, or the file that a rotation has left. */
export const findSecretKeys = async (config: Keys): Promise<SecretKeys> => {
  const key = await findSecretKey(config)
  const stored = config.secretKey ? null : ((await readKey(join(config.dataDir, FORMER_KEY_FILE))) ?? null)
  const former = config.formerSecretKey ?? stored
  return { key, former: former === key ? null : former }
}

/**
 * Makes a new key and keeps the present one as the former. Killed in between, the present key is in both files, and
 * nothing has changed.
 */
export const replaceKeyFile = async ({ dataDir }: Pick<Config, 'dataDir'>): Promise<void> => {
  const path = join(dataDir, KEY_FILE)
  await replaceFile(join(dataDir, FORMER_KEY_FILE), await readFile(path, 'utf8'))
  await replaceFile(path, `${randomBytes(KEY_BYTES).toString('base64url')}\n`)
}

const replaceFile = async (path: string, text: string): Promise<void> => {
  const unfinished = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await rename(unfinished, path)
  } finally {
    await file.close()
    await rm(unfinished, { force: true })
  }
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** The key that is there already. */
export const readSecretKey = async (
  config: Pick<Config, 'secretKey' | 'dataDir'>,
): Promise<string | undefined> => config.secretKey ?? (await readKey(join(config.dataDir, KEY_FILE)))

const readKey = async (path: string): Promise<string | undefined> => {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Written completely under another name and then linked into place: a link never replaces, so later processes read
 * the first key.
 */
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
