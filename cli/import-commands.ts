// Brings archives to a workspace, and takes them out again.
import { createWriteStream } from 'node:fs'
import type { LoadedArchive } from '../server/domain/imports/load-archive.ts'
import type { Ctx } from '../server/platform/ctx/ctx.ts'
import type { Config } from '../server/process/config.ts'
import { type Command, type Flag, type Given, UsageError, WORKSPACE } from './command.ts'
import { pathOf } from './read-json.ts'

const SHOWN_EVERY_MS = 1_000
const LISTED_MAX = 100

/** Of every command that loads. */
export const LOAD_FLAGS: Record<string, Flag> = {
  workspace: WORKSPACE,
  channel: { value: 'THEIRS=OURS', isMultiple: true },
  'dry-run': { value: null },
  report: { value: 'FILE' },
}

const readChannels = (given: string | string[] | undefined): Map<string, string> =>
  new Map(
    [given ?? []].flat().map((pair) => {
      const at = pair.lastIndexOf('=')
      if (at < 1)
        throw new UsageError('--channel must be their id and yours, such as 12=cmi8q2f5c0000x7h2k9d3m1vb.')
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )

/** Loads a folder with an archive; progress goes to standard error, and problems also to the report. */
export const loadFolder = async (ctx: Ctx, { flags }: Given, folder: string): Promise<LoadedArchive> => {
  const { openArchive } = await import('../server/domain/imports/archive-folder.ts')
  const { loadArchive } = await import('../server/domain/imports/load-archive.ts')
  const channels = readChannels(flags.channel)
  const report = flags.report === undefined ? null : createWriteStream(pathOf(String(flags.report)))
  let shownMs = 0
  try {
    return await loadArchive(ctx, {
      archive: await openArchive(folder),
      channels,
      isDryRun: flags.dryRun !== undefined,
      report: (problem) => report?.write(`${JSON.stringify(problem)}\n`),
      onProgress: (counts) => {
        if (Date.now() - shownMs < SHOWN_EVERY_MS) return
        shownMs = Date.now()
        process.stderr.write(`${JSON.stringify(counts)}\n`)
        report?.write(`${JSON.stringify({ progress: counts })}\n`)
      },
    })
  } finally {
    await new Promise<void>((resolve) => (report ? report.end(resolve) : resolve()))
  }
}

const inWorkspace = async <T>(
  { flag }: Given,
  config: Config,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> => {
  const { withDatabase } = await import('./open-database.ts')
  return withDatabase(config, async ({ ctxOf }) => work(await ctxOf(flag('workspace'))))
}

export const importCommands: Command[] = [
  {
    words: 'import archive',
    about:
      'Bring an archive written by "foyer export" to a workspace, without notifying anyone. Can be run again: what is there is not brought twice.',
    flags: LOAD_FLAGS,
    operand: 'DIR',
    run: (given, settings) =>
      inWorkspace(given, settings(), (ctx) => loadFolder(ctx, given, pathOf(given.operand))),
  },
  {
    words: 'import list',
    about: 'List the imports of a workspace, newest first.',
    flags: { workspace: WORKSPACE },
    run: (given, settings) =>
      inWorkspace(given, settings(), async (ctx) => {
        const { listImports } = await import('../server/domain/imports/import-queries.ts')
        return { imports: await listImports(ctx, LISTED_MAX) }
      }),
  },
  {
    words: 'import undo',
    about:
      'Delete what an import brought, within seven days. Conversations in which something has happened since stay.',
    flags: { workspace: WORKSPACE },
    operand: 'IMPORT',
    run: (given, settings) =>
      inWorkspace(given, settings(), async (ctx) => {
        const { undoImport } = await import('../server/domain/imports/undo-import.ts')
        return undoImport(ctx, given.operand)
      }),
  },
]
