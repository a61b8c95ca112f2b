// `npm run bench`: a separate PostgreSQL, the data set, a real Foyer process, and load over HTTP; each figure is paired
// with pgbench running the same SQL at the same concurrency in the same minute. BENCH_DIR keeps the data set for the
// next run; BENCH_SIZE chooses its size, and `small` tries all of it in a minute.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { listContacts } from '../server/domain/contacts/directory-queries.ts'
import { listConversations } from '../server/domain/conversations/list-conversations.ts'
import { listMessages } from '../server/domain/messages/list-messages.ts'
import { sendMessage } from '../server/domain/messages/send-message.ts'
import { startEmbedded } from '../server/platform/db/embedded.ts'
import { newId } from '../server/platform/db/id.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { makePool } from '../server/platform/db/pool.ts'
import { type DataSet, makeDataSet } from './data-set.ts'
import { describeSizes, nameOfResults, SIZES } from './data-set-place.ts'
import { log, type Server, startFoyer, stop } from './foyer.ts'
import { median, once, type Request, run } from './load.ts'
import { IS_TRIAL, loadBefore, number, producedBy, writeResults } from './measured.ts'
import { recordStatements, type Script, toScript } from './statements.ts'

const ROUNDS = 3
const WINDOW_MS = 3_000
const WARM_UP_MS = 2_000
const CONCURRENCIES = [1, 10]
const PAGE = 50
const CURSORS = 40
const SEND_CONVERSATIONS = 100
/** Rate limits are on (sixty sends a minute per token), so sends use many tokens, as reads use many addresses. */
const TOKENS = 2_000
const ADDRESSES = 50_000
const SEARCH_REPEATS = 7

const TERMS = [
  ['zyqxwort', 'in 12 messages'],
  ['vjq', 'in 6'],
  ['midfreqz', 'in 0.05 %'],
  ['warrantyx', 'in 1 %'],
  ['oldpromo', 'in 86,000, only in the oldest fifth'],
  ['refund', 'in 10 %'],
  ['the', 'in nearly all'],
  ['in', 'two letters, common'],
  ['vj', 'two letters, rare'],
  ['xq', 'two letters, absent'],
  ['你好', 'two characters, absent'],
  ['nomatchzzq', 'absent'],
  ['ationthe', 'absent, of common trigrams'],
  ['is the for', 'absent, of common words'],
  ['clara.gruber', 'an email'],
] as const

type Scenario = { name: string; next: () => Request; script: Script }
/** More tokens for the big workspace; the secrets are derived from their numbers. */
const addTokens = async (client: pg.Client, workspaceId: string): Promise<string[]> => {
  const secrets = Array.from(
    { length: TOKENS },
    (_, n) => `foyer_${createHash('sha256').update(`bench token ${n}`).digest('base64url')}`,
  )
  await client.query(
    `insert into api_tokens (workspace_id, id, name, prefix, hash, created_at)
     select $1, id, 'Bench', 'foyer_bench_', decode(hash, 'hex'), now() from unnest($2::text[], $3::text[]) t(id, hash)
     on conflict do nothing`,
    [
      workspaceId,
      secrets.map(() => newId()),
      secrets.map((secret) => createHash('sha256').update(secret).digest('hex')),
    ],
  )
  return secrets
}

const addressOf = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

const makeScenarios = async (
  pool: pg.Pool,
  { workspaceId, secret, webConversationIds }: DataSet,
  tokens: string[],
  tokenId: string,
): Promise<Scenario[]> => {
  let turn = 0
  const read = (path: () => string) => (): Request => {
    turn += 1
    return {
      method: 'GET',
      path: `/api/v1${path()}`,
      headers: { Authorization: `Bearer ${secret}`, 'X-Forwarded-For': addressOf(turn % ADDRESSES) },
    }
  }
  const statementsOf = (work: Parameters<typeof recordStatements>[3]) =>
    recordStatements(pool, workspaceId, tokenId, work)
  const all = { status: 'all', sort: 'updated', limit: PAGE } as const

  // Cursors from all over the list, in the API's format: the position is the last row of the page before.
  const cursors: string[] = []
  const { rows } = await pool.query<{ id: string; at: string }>(
    `select id, updated_at as at from (select id, updated_at, row_number() over (order by updated_at desc, id desc) as n
       from conversations where workspace_id = $1) c
     where n % (select greatest(count(*) / $2, 1) from conversations where workspace_id = $1) = 0 limit $2`,
    [workspaceId, CURSORS],
  )
  const { encodeCursor } = await import('../server/platform/db/pagination.ts')
  const listing = [
    'listConversations',
    workspaceId,
    'all',
    undefined,
    undefined,
    undefined,
    'updated',
    undefined,
  ]
  for (const position of rows) cursors.push(encodeCursor(listing, position))

  const lists: [string, () => string, Script][] = [
    [
      'GET /conversations, first page',
      () => '/conversations',
      toScript(await statementsOf((ctx) => listConversations(ctx, all))),
    ],
    [
      'GET /conversations, random cursor',
      () => `/conversations?cursor=${cursors[Math.floor(Math.random() * cursors.length)]}`,
      toScript(await statementsOf((ctx) => listConversations(ctx, { ...all, cursor: cursors[0]! })), {
        ats: rows.map(({ at }) => at),
        ids: rows.map(({ id }) => id),
      }),
    ],
    [
      'GET /conversations?status=open',
      () => '/conversations?status=open',
      toScript(await statementsOf((ctx) => listConversations(ctx, { ...all, status: 'open' }))),
    ],
    [
      'GET /messages',
      () => '/messages',
      toScript(await statementsOf((ctx) => listMessages(ctx, { direction: 'inbound', limit: PAGE }))),
    ],
    ['GET /contacts', () => '/contacts', toScript(await statementsOf((ctx) => listContacts(ctx, {})))],
  ]
  const targets = webConversationIds.slice(0, SEND_CONVERSATIONS)
  const { rows: contacts } = await pool.query<{ id: string }>(
    `select contact_id as id from unnest($2::text[]) with ordinality t(id, n)
     join conversations c on c.workspace_id = $1 and c.id = t.id order by n`,
    [workspaceId, targets],
  )
  let sent = ''
  const sending = await statementsOf(async (ctx) => {
    sent = (await sendMessage(ctx, { conversationId: targets[0]!, body: 'We look into it, number 0.' })).id
  })
  const send = toScript(sending, { conversations: targets, contacts: contacts.map(({ id }) => id) }, sent)
  return [
    ...lists.map(([name, path, script]) => ({ name, next: read(path), script })),
    {
      name: 'POST /conversations/{id}/messages, web',
      script: send,
      next: () => {
        turn += 1
        return {
          method: 'POST',
          path: `/api/v1/conversations/${targets[Math.floor(Math.random() * targets.length)]}/messages`,
          headers: { Authorization: `Bearer ${tokens[turn % tokens.length]}` },
          body: JSON.stringify({ body: `We look into it, number ${turn}.` }),
        }
      },
    },
  ]
}

const SETTINGS = '-c plan_cache_mode=force_generic_plan -c enable_memoize=off -c timezone=UTC'

/** Transactions per second. */
const runPgbench = (target: pg.Client, folder: string, script: Script, clients: number): number => {
  const file = join(folder, 'script.sql')
  writeFileSync(file, script.text)
  const variables = Object.entries(script.variables).flatMap(([name, value]) => ['-D', `${name}=${value}`])
  const place = ['-h', target.host, '-p', String(target.port), '-U', target.user ?? '']
  const { stdout, stderr, status } = spawnSync(
    'pgbench',
    [
      '-n',
      '-M',
      'prepared',
      '-c',
      String(clients),
      '-j',
      '1',
      '-T',
      String(Math.round(WINDOW_MS / 1000)),
      '-f',
      file,
      ...variables,
      ...place,
      target.database ?? '',
    ],
    { encoding: 'utf8', env: { ...process.env, PGOPTIONS: SETTINGS } },
  )
  const tps = /tps = ([\d.]+) \(without/.exec(stdout)
  if (status !== 0 || !tps) throw new Error(`pgbench: ${stderr.slice(0, 600)}`)
  return Number(tps[1])
}

const measureLoad = async (
  server: Server,
  client: pg.Client,
  scenarios: Scenario[],
  folder: string,
): Promise<string[]> => {
  const table = [
    '| Call | connections | Foyer, calls/s | p50 ms | p99 ms | pgbench, the same SQL, tps | ratio |',
    '|---|---:|---:|---:|---:|---:|---:|',
  ]
  for (const { name, next, script } of scenarios) {
    await run(server.port, { connections: 10, ms: WARM_UP_MS, next })
    for (const connections of CONCURRENCIES) {
      const loads: Awaited<ReturnType<typeof run>>[] = []
      const limits: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        loads.push(await run(server.port, { connections, ms: WINDOW_MS, next }))
        limits.push(runPgbench(client, folder, script, connections))
      }
      const perSecond = median(loads.map((load) => load.perSecond))
      const limit = median(limits)
      const cells = [
        name,
        connections,
        number(perSecond),
        median(loads.map((load) => load.p50Ms)).toFixed(2),
        median(loads.map((load) => load.p99Ms)).toFixed(1),
        number(limit),
        (perSecond / limit).toFixed(2),
      ]
      table.push(`| ${cells.join(' | ')} |`)
      log(table.at(-1)!)
    }
  }
  return table
}

const measureSearch = async (server: Server, secret: string): Promise<string[]> => {
  const table = [
    '| Term | how frequent | median ms | slowest ms | found on the first page | more pages |',
    '|---|---|---:|---:|---:|---|',
  ]
  let turn = 0
  for (const [term, frequency] of TERMS) {
    const times: number[] = []
    let answer = ''
    for (let repeat = 0; repeat < SEARCH_REPEATS; repeat++) {
      turn += 1
      const { ms, body } = await once(server.port, {
        method: 'GET',
        path: `/api/v1/conversations?q=${encodeURIComponent(term)}`,
        headers: { Authorization: `Bearer ${secret}`, 'X-Forwarded-For': addressOf(ADDRESSES + turn) },
      })
      times.push(ms)
      answer = body
    }
    const { conversations, nextCursor } = JSON.parse(answer) as {
      conversations: unknown[]
      nextCursor: string | null
    }
    const cells = [
      term,
      frequency,
      median(times).toFixed(1),
      Math.max(...times).toFixed(1),
      conversations.length,
      nextCursor ? 'yes' : 'no',
    ]
    table.push(`| ${cells.join(' | ')} |`)
    log(table.at(-1)!)
  }
  return table
}

const kept = process.env.BENCH_DIR
const dataDir = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'foyer-bench-'))
if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'foyer-bench-scripts-'))
if (spawnSync('pgbench', ['--version']).status !== 0)
  throw new Error('pgbench is not on the path: install the PostgreSQL client programs (postgresql-contrib)')
const postgres = await startEmbedded({ dataDir })
let server: Server | undefined
try {
  await migrate(postgres.connectionString)
  const dataSet = await makeDataSet(postgres.connectionString, SIZES, log)
  const client = new pg.Client({ connectionString: postgres.connectionString })
  // When the measuring fails, the server is stopped below while this is open.
  client.on('error', () => {})
  await client.connect()
  const tokens = await addTokens(client, dataSet.workspaceId)
  const { rows: token } = await client.query<{ id: string }>(
    'select id from api_tokens where workspace_id = $1 limit 1',
    [dataSet.workspaceId],
  )
  const { rows: version } = await client.query<{ server_version: string }>('show server_version')
  // The first connection to read a page of a new table writes its hint bits; no measurement should include that.
  await client.query('select count(*) from messages')
  await client.query('checkpoint')
  server = await startFoyer(dataDir)
  const pool = makePool({ connectionString: postgres.connectionString })
  const scenarios = await makeScenarios(pool, dataSet, tokens, token[0]!.id)
  await pool.end()
  const busy = loadBefore()
  const search = await measureSearch(server, dataSet.secret)
  const load = await measureLoad(server, client, scenarios, folder)
  await client.end()
  writeResults(nameOfResults('results'), IS_TRIAL, [
    '# Measurements',
    '',
    producedBy({
      script: 'bench',
      postgres: `PostgreSQL ${version[0]!.server_version} (the private one, with fsync and synchronous_commit on)`,
      shared: 'One Foyer process, PostgreSQL and the load generators',
      busy,
      caveat:
        'so the absolute figures are too low. Only the ratios are meaningful, because both sides ran under the same conditions.',
    }),
    '',
    `Data: ${describeSizes(SIZES)}, and ${SIZES.smallWorkspaces} small ones (\`bench/data-set.ts\`).`,
    '',
    '## Calls',
    '',
    `The process is an ordinary \`foyer serve\`: tokens are checked, limits are on, requests are logged. Reads come from many addresses and sends from many tokens, so that no limit is reached. Pages have ${PAGE} rows (contacts 20). Each figure is the median of ${ROUNDS} windows of ${WINDOW_MS / 1000} s, alternating with windows of \`pgbench -M prepared\` that run the recorded statements of the same call with the same number of clients and the same planner settings. In both, a send is a transaction with a durable commit.`,
    '',
    ...load,
    '',
    '## Search',
    '',
    `\`GET /conversations?q=…\`, the first page, one call at a time on a new connection, ${SEARCH_REPEATS} times each. A page can be short and still have a next one; see \`server/domain/conversations/search-conversations.ts\`.`,
    '',
    ...search,
    '',
  ])
} finally {
  if (server) await stop(server.child)
  await postgres.release()
  rmSync(folder, { recursive: true, force: true })
  if (!kept) rmSync(dataDir, { recursive: true, force: true })
}
