// Changes SECRET_KEY: everything that the former key encrypts is encrypted with the present one.
import type { Connection } from '../platform/db/connection.ts'
import { checkIsUnused, openCopyConnection } from '../platform/db/copy/sessions.ts'
import { migrate } from '../platform/db/migrate.ts'
import { makeSeal } from '../platform/seal.ts'
import { StartError } from '../platform/start-error.ts'
import type { Config } from './config.ts'
import { openDatabase } from './open-database.ts'
import { listSealed, openValue, replaceValue, SEALED_COLUMNS } from './sealed-columns.ts'
import { findSecretKeys, replaceKeyFile, type SecretKeys } from './secret-key.ts'

export type Rotated = {
  /** Values that the former key had encrypted. */
  resealed: number
  /** Values that the present key had encrypted already. */
  kept: number
  /** Values that neither key opens, by column. They have to be entered again. */
  unreadable: Record<string, number>
}

/**
 * With the key in a file of DATA_DIR, it makes a new one first, while no server runs. With SECRET_KEY and SECRET_KEY_OLD
 * set, servers that have both may run. Killed at any point, it can be run again: until then both keys are used. Throws
 * StartError.
 */
export const rotateSecretKey = async (config: Config, say: (line: string) => void): Promise<Rotated> => {
  if (config.secretKey !== null && config.formerSecretKey === null)
    throw new StartError(
      'Set SECRET_KEY to the new key and SECRET_KEY_OLD to the present one, for this command and for every server.',
    )
  const { connectionString, release } = await openDatabase(config, say)
  const client = await openCopyConnection(connectionString, 'foyer secret-key')
  try {
    await migrate(connectionString, { say })
    if (config.secretKey !== null) return await reseal(client, await findSecretKeys(config))
    await checkIsUnused(client, `The database in ${config.dataDir}`)
    // One that was interrupted is finished first; it has used the new key already.
    const before = await findSecretKeys(config)
    if (before.former !== null) {
      const finished = await reseal(client, before)
      if (finished.resealed > 0) return finished
    }
    await replaceKeyFile(config)
    return await reseal(client, await findSecretKeys(config))
  } finally {
    await client.end().catch(() => {})
    await release()
  }
}

const reseal = async (client: Connection, { key, former }: SecretKeys): Promise<Rotated> => {
  const [present, earlier] = [makeSeal(key), former === null ? null : makeSeal(former)]
  const counts: Rotated = { resealed: 0, kept: 0, unreadable: {} }
  for (const column of SEALED_COLUMNS)
    for await (const value of listSealed(client, column)) {
      if (openValue(present, value) !== null) {
        counts.kept += 1
        continue
      }
      const text = earlier && openValue(earlier, value)
      if (text === null) {
        const name = `${column.table}.${column.column}`
        counts.unreadable[name] = (counts.unreadable[name] ?? 0) + 1
        continue
      }
      await replaceValue(client, value, present.seal(text, column.owner(value.row)))
      counts.resealed += 1
    }
  return counts
}
