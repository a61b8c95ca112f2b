import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atTheEnd } from '../../../../test/at-the-end.ts'
import type { ArchiveResource } from '../../../platform/db/tables.ts'
import { ARCHIVE_FORMAT, fileNameOf } from '../../exports/archive-format.ts'

export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-archive-'))
  atTheEnd(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Content = Partial<Record<ArchiveResource, readonly (object | string)[]>>

/** A folder with an archive; a text is a line as it is. */
export const makeArchive = (source: string, content: Content, manifest: object = {}): string => {
  const folder = makeFolder()
  for (const [resource, rows] of Object.entries(content))
    writeFileSync(
      join(folder, fileNameOf(resource as ArchiveResource)),
      rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join(''),
    )
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ format: ARCHIVE_FORMAT, version: 1, source, files: [], ...manifest }),
  )
  return folder
}

/** So many conversations of two messages, one an hour, with a contact for every two of them. */
export const threadsOf = (count: number): Content => {
  const at = (minutes: number) => new Date(Date.UTC(2024, 0, 1) + minutes * 60_000).toISOString()
  const numbers = Array.from({ length: count }, (_, n) => n)
  return {
    channels: [{ id: 'ch', channel: 'telegram', name: 'Bot', address: null }],
    tags: [{ id: 'vip', name: 'VIP', color: '#112233', createdAt: at(0) }],
    contacts: numbers
      .filter((n) => n % 2 === 0)
      .map((n) => ({
        id: `k${n}`,
        name: `Person ${n}`,
        createdAt: at(60 * n),
        identities: [{ kind: 'telegram', value: `t${n}`, verified: true }],
        tagIds: ['vip'],
      })),
    conversations: numbers.map((n) => ({
      id: `c${n}`,
      channelId: 'ch',
      contactId: `k${n - (n % 2)}`,
      status: 'closed',
      createdAt: at(60 * n),
      updatedAt: at(60 * n + 5),
    })),
    messages: numbers.flatMap((n) => [
      {
        id: `m${n}a`,
        conversationId: `c${n}`,
        senderType: 'customer',
        body: `Question ${n}`,
        createdAt: at(60 * n),
      },
      {
        ...{ id: `m${n}b`, conversationId: `c${n}`, senderType: 'agent', senderId: 'x', body: `Reply ${n}` },
        ...{ status: 'queued', replyToMessageId: `m${n}a`, createdAt: at(60 * n + 5) },
      },
    ]),
    notes: numbers
      .filter((n) => n % 5 === 0)
      .map((n) => ({
        ...{ id: `n${n}`, contactId: `k${n - (n % 2)}`, conversationId: `c${n}`, authorId: 'x' },
        ...{ body: `Note ${n}`, createdAt: at(60 * n + 6) },
      })),
  }
}
