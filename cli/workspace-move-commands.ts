import { readConfig } from '../server/process/config.ts'
import type { Target } from '../server/process/workspace-move/move-workspace.ts'
import { type Command, type Given, required, UsageError } from './command.ts'

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** What the other installation has in its own environment, after TARGET_. */
const OF_TARGET = ['SECRET_KEY', 'DATA_DIR', 'FILES_URL', 'FILES_ACCESS_KEY_ID', 'FILES_SECRET_ACCESS_KEY']

const readTarget = ({ flags, flag }: Given): Target => {
  const given = OF_TARGET.flatMap((name) => {
    const value = process.env[`TARGET_${name}`]
    return value ? [[name, value] as const] : []
  })
  const { SECRET_KEY: secretKey = null, ...files } = Object.fromEntries(given)
  const isSame = flags.sameFiles !== undefined
  if (isSame && Object.keys(files).length > 0)
    throw new UsageError('--same-files means that there are no TARGET_DATA_DIR and TARGET_FILES_URL.')
  const config = () =>
    readConfig({ DATABASE_URL: flag('to'), SECRET_KEY: secretKey ?? 'x'.repeat(40), ...files })
  return { secretKey, files: isSame ? 'same' : Object.keys(files).length > 0 ? config() : null }
}

const webUrl = (text: string): string => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError('--url must be the address of the other installation, https://…')
  return text.replace(/\/$/, '')
}

export const workspaceMoveCommands: Command[] = [
  {
    words: 'workspace move',
    about: 'Move a workspace to the database of another installation, while both run.',
    operand: 'WORKSPACE',
    flags: {
      to: required('DATABASE_URL'),
      url: { value: 'URL' },
      'same-files': { value: null },
      'dry-run': { value: null },
      'delete-source': { value: null },
    },
    run: async (given, settings) => {
      const { flag, flags, operand: workspaceId } = given
      const config = settings()
      const target = readTarget(given)
      const options = { workspaceId, to: flag('to'), target, say }
      if (flags.dryRun !== undefined) {
        const { estimateMove } = await import('../server/process/workspace-move/estimate.ts')
        return { estimate: await estimateMove(config, options) }
      }
      const { moveWorkspace } = await import('../server/process/workspace-move/move-workspace.ts')
      const url = flags.url === undefined ? null : webUrl(flag('url'))
      const moved = await moveWorkspace(config, { ...options, url })
      if (flags.deleteSource === undefined)
        return {
          moved,
          next: [
            'Send its host name, and the webhooks of its channels, to the other installation.',
            `Then delete what is left here: foyer workspace delete ${workspaceId}`,
          ],
        }
      const { deleteMovedWorkspace } = await import(
        '../server/process/workspace-move/delete-moved-workspace.ts'
      )
      return { moved, deleted: await deleteMovedWorkspace(config, { workspaceId, say }) }
    },
  },
  {
    words: 'workspace reopen',
    about: 'Open a workspace again whose move was interrupted.',
    operand: 'WORKSPACE',
    run: async ({ operand: workspaceId }, settings) => {
      const config = settings()
      const { reopenInterrupted } = await import('../server/process/workspace-move/reopen-interrupted.ts')
      return { reopened: await reopenInterrupted(config, { workspaceId, say }) }
    },
  },
  {
    words: 'workspace delete',
    about: 'Delete what a workspace that was moved has left in this database.',
    operand: 'WORKSPACE',
    run: async ({ operand: workspaceId }, settings) => {
      const config = settings()
      const { deleteMovedWorkspace } = await import(
        '../server/process/workspace-move/delete-moved-workspace.ts'
      )
      return { deleted: await deleteMovedWorkspace(config, { workspaceId, say }) }
    },
  },
]
