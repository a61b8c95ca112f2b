// `npm run bench:costs`: what a thousand messages cost in bytes of tables and indexes, in write-ahead log, and in processor
// time of PostgreSQL and of Foyer, with everything that follows from them: received through a channel's webhook, sent
// through the API, reported on by the provider. Bytes and processor time hardly depend on how busy the machine is.
import { createHmac } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { startEmbedded } from '../server/platform/db/embedded.ts'
import { type Db, makeDb, makePool } from '../server/platform/db/pool.ts'
import { log, runCommand, type Server, startFoyer, stop } from './foyer.ts'
import { once, type Request } from './load.ts'
import {
  IS_TRIAL,
  loadBefore,
  number,
  postgresOf,
  processorMs,
  producedBy,
  spentMs,
  writeResults,
} from './measured.ts'
import { AGENT_SENTENCES, CUSTOMER_SENTENCES, makePhrases } from './phrases.ts'
import { makeWebhooks, startProvider } from './provider.ts'
import { APP_SECRET, makePlace, NUMBER_ID, type WhatsappPlace } from './whatsapp-place.ts'

const PEOPLE = IS_TRIAL ? 100 : 2_000
const MESSAGES = IS_TRIAL ? 200 : 6_000
const CONNECTIONS = 8
const IDLE_MS = IS_TRIAL ? 2_000 : 30_000
const SETTLE_MAX_MS = 600_000
/** The tables of which the results tell each. */
const TABLES_SHOWN = 12
const SECRET = /foyer_[\w-]{43}/

/** How long rows are kept that are not kept for good. */
const KEPT: Record<string, string> = {
  events: '24 hours',
  feed: '30 days',
  idempotency_keys: '24 hours',
  report_late_hours: 'minutes',
}

type State = {
  tables: Map<string, number>
  walBytes: number
  fullPageImages: number
  postgresMs: number
  foyerMs: number
  atMs: number
}

type Phase = { what: string; count: number; before: State; after: State }

const readState = async (db: Db, server: Server): Promise<State> => {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select c.relname as name, pg_total_relation_size(c.oid) as bytes from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)`.execute(
    db,
  )
  const wal = await sql<{ bytes: number; images: number }>`
    select wal_bytes::float8 as bytes, wal_fpi as images from pg_stat_wal`.execute(db)
  const { postgres } = await spentMs(db)
  return {
    tables: new Map(rows.map(({ name, bytes }) => [name, bytes])),
    walBytes: wal.rows[0]!.bytes,
    fullPageImages: wal.rows[0]!.images,
    postgresMs: postgres,
    foyerMs: processorMs([server.child.pid!]),
    atMs: performance.now(),
  }
}

/** Everything that follows from the messages has happened. */
const settle = async (db: Db): Promise<void> => {
  for (const endMs = performance.now() + SETTLE_MAX_MS; ; ) {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from deliveries where state in ('pending', 'sending'))
        + (select count(*) from automation_inputs) + (select count(*) from notification_inputs)
        + (select count(*) from events e, feed_relay r where (e.tx, e.id) > (r.tx, r.id)) as left`.execute(db)
    if (Number(rows[0]!.left) === 0) break
    if (performance.now() > endMs) throw new Error(`${rows[0]!.left} things are left to do`)
    await delay(200)
  }
  // PostgreSQL counts write-ahead log once a connection has been idle for a moment.
  await delay(1_500)
}

const sendAll = async (port: number, requests: readonly Request[]): Promise<string[]> => {
  const bodies: string[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < requests.length) {
      const at = next++
      bodies[at] = (await once(port, requests[at]!)).body
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return bodies
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at)
const waIdOf = (person: number): string => `3519${String(10_000_000 + (person % PEOPLE))}`

const statusesOf = (accountId: string, messageId: string, to: string, status: string): Request => {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id: NUMBER_ID },
    statuses: [
      { id: messageId, status, recipient_id: to, timestamp: String(Math.floor(Date.now() / 1_000)) },
    ],
  }
  const entry = [{ id: '102290129340398', changes: [{ field: 'messages', value }] }]
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry })
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex')
  return {
    method: 'POST',
    path: `/webhooks/whatsapp/${accountId}`,
    headers: { 'X-Hub-Signature-256': `sha256=${signature}` },
    body,
  }
}

type World = { db: Db; server: Server; accountId: string; secret: string }

const measurePhases = async ({
  db,
  server,
  accountId,
  secret,
}: World): Promise<{ idle: Phase; phases: Phase[] }> => {
  const webhookOf = makeWebhooks(APP_SECRET, NUMBER_ID)
  const questions = makePhrases(CUSTOMER_SENTENCES, PEOPLE + MESSAGES)
  const answers = makePhrases(AGENT_SENTENCES, MESSAGES)
  const inbound = (at: number): Request =>
    webhookOf({
      accountId,
      waId: waIdOf(at),
      name: `Person ${at % PEOPLE}`,
      id: `wamid.in.${at}`,
      text: questions[at]!,
    })
  await sql`checkpoint`.execute(db)
  let before = await readState(db, server)
  const phase = async (what: string, count: number, work: () => Promise<unknown>): Promise<Phase> => {
    await work()
    await settle(db)
    await sql`vacuum`.execute(db)
    await sql`checkpoint`.execute(db)
    const after = await readState(db, server)
    const made = { what, count, before, after }
    before = after
    log(`${what}: done`)
    return made
  }
  const idle = await phase('at rest', 0, () => delay(IDLE_MS))
  const phases = [
    await phase('first messages of new customers', PEOPLE, () =>
      sendAll(server.port, numbers(PEOPLE).map(inbound)),
    ),
    await phase('messages received', MESSAGES, () =>
      sendAll(
        server.port,
        numbers(MESSAGES).map((at) => inbound(PEOPLE + at)),
      ),
    ),
  ]
  const { rows } = await sql<{ id: string }>`select id from conversations order by id`.execute(db)
  phases.push(
    await phase('messages sent', MESSAGES, () =>
      sendAll(
        server.port,
        numbers(MESSAGES).map((at) => ({
          method: 'POST',
          path: `/api/v1/conversations/${rows[at % rows.length]!.id}/messages`,
          headers: { Authorization: `Bearer ${secret}` },
          body: JSON.stringify({ body: answers[at] }),
        })),
      ),
    ),
  )
  const sent = await sql<{ id: string; to: string }>`
    select m.external_id as id, i.value as to from messages m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    join identities i on i.workspace_id = c.workspace_id and i.contact_id = c.contact_id and i.kind = 'whatsapp_id'
    where m.status = 'sent' and m.external_id is not null and m.sender_type <> 'customer'`.execute(db)
  for (const status of ['delivered', 'read'])
    phases.push(
      await phase(`reports that one was ${status}`, sent.rows.length, () =>
        sendAll(
          server.port,
          sent.rows.map(({ id, to }) => statusesOf(accountId, id, to, status)),
        ),
      ),
    )
  return { idle, phases }
}

const MIB = 1024 ** 2
const bytesOf = ({ tables }: State): number => [...tables.values()].reduce((sum, bytes) => sum + bytes, 0)

/** Per thousand. The processor time that both use at rest is not counted. */
const rowOf = ({ what, count, before, after }: Phase, idle: Phase): string => {
  const idleMs = idle.after.atMs - idle.before.atMs
  const each = (read: (state: State) => number): number => ((read(after) - read(before)) / count) * 1_000
  const eachMs = (read: (state: State) => number): number => {
    const atRestMs = ((read(idle.after) - read(idle.before)) / idleMs) * (after.atMs - before.atMs)
    return each(read) - (atRestMs / count) * 1_000
  }
  const cells = [
    what,
    number(count),
    `${(each(bytesOf) / MIB).toFixed(2)} MiB`,
    `${(each(({ walBytes }) => walBytes) / MIB).toFixed(1)} MiB`,
    number(each(({ fullPageImages }) => fullPageImages)),
    `${number(eachMs(({ postgresMs }) => postgresMs))} ms`,
    `${number(eachMs(({ foyerMs }) => foyerMs))} ms`,
  ]
  return `| ${cells.join(' | ')} |`
}

const tableRows = (phases: readonly Phase[]): string[] => {
  const grown = (name: string, { before, after, count }: Phase): number =>
    (((after.tables.get(name) ?? 0) - (before.tables.get(name) ?? 0)) / count) * 1_000
  const totals = [...phases[0]!.after.tables.keys()]
    .map((name) => ({ name, each: phases.map((phase) => grown(name, phase)) }))
    .sort((a, b) => Math.max(...b.each) - Math.max(...a.each))
    .slice(0, TABLES_SHOWN)
  return totals.map(
    ({ name, each }) =>
      `| ${name} | ${each.map((bytes) => `${(bytes / 1024).toFixed(0)} KiB`).join(' | ')} | ${KEPT[name] ?? ''} |`,
  )
}

const dataDir = mkdtempSync(join(tmpdir(), 'foyer-bench-costs-'))
chmodSync(dataDir, 0o755)
const postgres = await startEmbedded({ dataDir })
const provider = await startProvider(5)
const pool = makePool({ connectionString: postgres.connectionString, max: 1, statementTimeoutMs: 0 })
let server: Server | undefined
let place: WhatsappPlace | undefined
try {
  const busy = loadBefore()
  server = await startFoyer(dataDir, { settings: { RATE_LIMITS: 'off' } })
  place = await makePlace(dataDir, postgres.connectionString, provider, { 'messages-per-second': '1000' })
  const made = await runCommand(
    dataDir,
    'token',
    'create',
    '--workspace',
    place.workspaceId,
    '--name',
    'Bench',
  )
  const secret = SECRET.exec(made)![0]
  const db = makeDb(pool)
  const { idle, phases } = await measurePhases({ db, server, accountId: place.number, secret })
  writeResults('results-costs', IS_TRIAL, [
    '# What a thousand messages cost',
    '',
    producedBy({
      script: 'bench:costs',
      postgres: await postgresOf(db),
      shared: 'Foyer (one process, API and worker), PostgreSQL and this script, which is also the provider,',
      busy,
      caveat: 'which these figures hardly depend on.',
    }),
    '',
    `On WhatsApp, one webhook or API call for each message, ${CONNECTIONS} at a time, with texts of about ${Math.round(makePhrases(CUSTOMER_SENTENCES, 500).join('').length / 500)} characters; a vacuum and a checkpoint after each line. The processor time that both programs use at rest is subtracted. No webhooks of the workspace's own, no flows, no AI agent and no files. [docs/scaling.md](../docs/scaling.md) says how to read them.`,
    '',
    '## Per 1,000',
    '',
    '| What | Measured | Tables and indexes | WAL | Full-page images in it | Processor, PostgreSQL | Processor, Foyer |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...phases.map((phase) => rowOf(phase, idle)),
    '',
    '## The tables that grow most, per 1,000',
    '',
    `| Table | ${phases.map(({ what }) => what).join(' | ')} | Kept for |`,
    `| --- | ${phases.map(() => '---').join(' | ')} | --- |`,
    ...tableRows(phases),
    '',
  ])
} finally {
  await pool.end().catch(() => {})
  await place?.client.end()
  if (server) await stop(server.child)
  await provider.stop()
  await postgres.release()
  rmSync(dataDir, { recursive: true, force: true })
}
