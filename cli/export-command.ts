// Writes an archive of a workspace into a folder, with or without a running server.
import { createWriteStream } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ARCHIVE_RESOURCES, type ArchiveResource } from '../server/platform/db/tables.ts'
import { type Command, required, UsageError, WORKSPACE } from './command.ts'
import { pathOf } from './read-json.ts'

/** A stopped server's feed stands still. */
const FEED_WAIT_MS = 5_000

export const exportCommand: Command = {
  words: 'export',
  about: 'Write a workspace to a folder: NDJSON files, and a manifest with the feed’s cursor at that moment.',
  flags: {
    workspace: WORKSPACE,
    out: required('DIR'),
    resources: { value: 'NAME,NAME' },
    'created-after': { value: 'TIME' },
    'include-files': { value: null },
  },
  run: async ({ flag, flags }, settings) => {
    const resources = readResources(flags.resources)
    const createdAfter = readTime(flags.createdAfter)
    const config = settings()
    const folder = pathOf(flag('out'))
    const { withDatabase } = await import('./open-database.ts')
    const { writeArchive } = await import('../server/domain/exports/write-archive.ts')
    return withDatabase(config, async ({ ctxOf, connectionString }) => {
      const ctx = await ctxOf(flag('workspace'))
      await mkdir(folder, { recursive: true })
      if ((await readdir(folder)).length > 0) throw new UsageError(`${flag('out')} is not empty.`)
      const { manifest } = await writeArchive(ctx, {
        connectionString,
        resources,
        createdAfter,
        includeFiles: flags.includeFiles !== undefined,
        feedWaitMs: FEED_WAIT_MS,
        signal: new AbortController().signal,
        sink: (name, content) => pipeline(content, createWriteStream(join(folder, name), { flush: true })),
      })
      return manifest
    })
  },
}

const readResources = (given: string | string[] | undefined): ArchiveResource[] => {
  if (given === undefined) return [...ARCHIVE_RESOURCES]
  const names = String(given).split(',')
  const unknown = names.find((name) => !ARCHIVE_RESOURCES.some((one) => one === name))
  if (unknown !== undefined)
    throw new UsageError(`--resources has ${unknown}. It must name some of ${ARCHIVE_RESOURCES.join(', ')}.`)
  return ARCHIVE_RESOURCES.filter((one) => names.includes(one))
}

const readTime = (given: string | string[] | undefined): string | null => {
  if (given === undefined) return null
  const time = new Date(String(given))
  if (Number.isNaN(time.getTime()))
    throw new UsageError('--created-after must be a time such as 2026-11-21T09:30:00Z.')
  return time.toISOString()
}
