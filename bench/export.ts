// `npm run bench:export`: how fast an archive is written, and whether memory grows with it. In one process, on a
// PostgreSQL whose commits wait for the disk.
import { test } from 'node:test'
import { sql } from 'kysely'
import { writeArchive } from '../server/domain/exports/write-archive.ts'
import { startApp } from '../test/app.ts'
import {
  IS_TRIAL,
  load,
  loadBefore,
  postgresOf,
  producedBy,
  tableOf,
  writePlatformSection,
} from './measured.ts'

const MESSAGES = IS_TRIAL ? 20_000 : 400_000
const SEEDED_AT_ONCE = 20_000
const CONVERSATIONS = 4_000
const SHARED = 'The process that writes the archive and PostgreSQL'

test('an archive', { timeout: 600_000 }, async () => {
  const busy = loadBefore()
  const { ctxOf, database, db, make } = await startApp()
  const { id } = await make.workspace()
  const conversation = await make.conversation(id)
  await sql`
    insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, status, created_at, updated_at)
    select workspace_id, 'cmi' || lpad(n::text, 22, '0'), channel, channel_account_id, contact_id, 'closed', created_at, updated_at
    from conversations, generate_series(1, ${CONVERSATIONS}::integer) n where id = ${conversation.id}`.execute(
    db,
  )
  // On a slow disk, all of them at once take longer than a statement may.
  for (let made = 0; made < MESSAGES; made += SEEDED_AT_ONCE)
    await sql`
    insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status, created_at)
    select c.workspace_id, 'cmj' || lpad(n::text, 22, '0'), 'cmi' || lpad((n % ${CONVERSATIONS}::integer + 1)::text, 22, '0'),
      c.channel_account_id, 'customer', c.contact_id, 'Where is my order ' || n || '? It should have been here by now.',
      'read', now()
    from conversations c, generate_series(${made + 1}::integer, ${made + SEEDED_AT_ONCE}::integer) n where c.id = ${conversation.id}`.execute(
      db,
    )
  const startMs = performance.now()
  let bytes = 0
  let peak = 0
  const { files } = await writeArchive(ctxOf(id), {
    connectionString: database.connectionString,
    resources: ['contacts', 'conversations', 'messages'],
    createdAfter: null,
    includeFiles: false,
    feedWaitMs: 0,
    signal: new AbortController().signal,
    sink: async (_, content) => {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        bytes += chunk.length
        peak = Math.max(peak, process.memoryUsage().heapUsed)
      }
    },
  })
  const seconds = (performance.now() - startMs) / 1_000
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  const now = load()
  writePlatformSection('Exports', [
    producedBy({ script: 'bench:export', postgres: await postgresOf(db), shared: SHARED, busy }),
    '',
    `An archive of ${rows.toLocaleString('en-US')} rows, ${(bytes / 1e6).toFixed(0)} MB.`,
    '',
    ...tableOf([
      { what: 'rows a second', measured: Math.round(rows / seconds).toLocaleString('en-US'), load: now },
      { what: 'largest heap of the process, MiB', measured: (peak / 2 ** 20).toFixed(0), load: now },
    ]),
  ])
})
