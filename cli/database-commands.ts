import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../server/process/config.ts'
import { type Command, required } from './command.ts'
import { pathOf } from './read-json.ts'

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

const secretKeyOf = ({ secretKey, dataDir }: Config): string =>
  secretKey === null ? resolve(dataDir, 'secret.key') : 'SECRET_KEY'

export const databaseCommands: Command[] = [
  {
    words: 'backup',
    about: 'Write everything, database and files, into one new file. The server may run.',
    operand: 'FILE',
    run: async ({ operand }, settings) => {
      const config = settings()
      const { writeBackup } = await import('../server/process/backup/write-backup.ts')
      const backup = await writeBackup(config, pathOf(operand), say)
      return { backup, notIncluded: [secretKeyOf(config), '.env'] }
    },
  },
  {
    words: 'restore',
    about: 'Bring a backup into an empty installation, while no server runs.',
    operand: 'FILE',
    flags: { replace: { value: null }, 'without-credentials': { value: null } },
    run: async ({ operand, flags }, settings) => {
      const config = settings()
      const { restoreBackup } = await import('../server/process/backup/restore-backup.ts')
      const restored = await restoreBackup(config, pathOf(operand), {
        replace: flags.replace !== undefined,
        withoutCredentials: flags.withoutCredentials !== undefined,
        say,
      })
      return { restored }
    },
  },
  {
    words: 'database move',
    about: 'Move everything from the current database to an empty PostgreSQL, while no server runs.',
    flags: { to: required('DATABASE_URL'), replace: { value: null } },
    run: async ({ flag, flags }, settings) => {
      const config = settings()
      const { moveDatabase } = await import('../server/process/move-database.ts')
      const moved = await moveDatabase(config, {
        to: flag('to'),
        replace: flags.replace !== undefined,
        say,
      })
      return {
        moved,
        next: [
          'Set DATABASE_URL to the new database.',
          ...(config.secretKey === null
            ? [
                `Set SECRET_KEY to the content of ${secretKeyOf(config)}.`,
                ...(existsSync(`${secretKeyOf(config)}.old`)
                  ? [`Set SECRET_KEY_OLD to the content of ${secretKeyOf(config)}.old.`]
                  : []),
              ]
            : []),
          ...(config.filesStorage ? [] : [`Keep ${resolve(config.dataDir, 'files')}: files were not moved.`]),
        ],
      }
    },
  },
]
