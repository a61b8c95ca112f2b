// An mbox becomes an archive in a temporary folder, which is loaded like any other.
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, UsageError } from './command.ts'
import { LOAD_FLAGS, loadFolder } from './import-commands.ts'
import { pathOf } from './read-json.ts'

export const importMboxCommand: Command = {
  words: 'import mbox',
  about:
    'Bring the emails of an mbox file to a workspace, without notifying anyone. --address is the mailbox; repeat it for every other address of yours.',
  flags: {
    ...LOAD_FLAGS,
    address: { value: 'EMAIL', isRequired: true, isMultiple: true },
  },
  operand: 'FILE',
  run: async (given, settings) => {
    const addresses = [given.flags.address!].flat().map((one) => one.toLowerCase())
    if (addresses.some((one) => !/^\S+@\S+$/.test(one)))
      throw new UsageError('--address must be an email address.')
    const file = pathOf(given.operand)
    const found = await stat(file).catch(() => {
      throw new UsageError(`${given.operand}: no such file`)
    })
    if (found.isDirectory()) throw new UsageError(`${given.operand} is a folder. Name an mbox file.`)
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    const { openArchiveWriter } = await import('../server/domain/imports/archive-writer.ts')
    const { readMbox } = await import('../server/domain/imports/mbox/read-mbox.ts')
    const folder = await mkdtemp(join(tmpdir(), 'foyer-mbox-'))
    try {
      return await withDatabase(config, async ({ ctxOf }) => {
        const ctx = await ctxOf(given.flag('workspace'))
        const writer = openArchiveWriter(folder, `mbox:${addresses[0]}`)
        const read = await readMbox(ctx, createReadStream(file) as AsyncIterable<Buffer>, {
          addresses,
          writer,
          onProblem: (problem) => process.stderr.write(`${JSON.stringify(problem)}\n`),
        })
        await writer.finish(ctx.now())
        return { read, ...(await loadFolder(ctx, given, folder)) }
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
