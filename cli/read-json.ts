// Files that are named on the command line.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** As much as a definition, 50 tests and the names of what it refers to can take. */
const FILE_BYTES_MAX = 4 * 1024 * 1024

/** From where the command was given; the script that starts it changes the directory. */
export const pathOf = (file: string): string => resolve(process.env.INIT_CWD ?? '.', file)

export const readJson = async (file: string): Promise<unknown> => {
  const text = await readFile(pathOf(file), 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(code === 'ENOENT' ? `${file}: no such file` : `${file} can't be read (${code})`)
  })
  if (Buffer.byteLength(text) > FILE_BYTES_MAX)
    throw new Error(`${file} is larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${file} isn't JSON: ${(error as Error).message}`)
  }
}
