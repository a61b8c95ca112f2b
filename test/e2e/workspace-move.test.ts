// A workspace leaves one installation for another: two servers, two databases, and a move that is killed on its way.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { SEALED_COLUMNS } from '../../server/process/sealed-columns.ts'
import { NOT_COPIED } from '../../server/process/workspace-move/tables.ts'
import { startApp, TEST_SECRET_KEY } from '../app.ts'
import { makeDatabase, urlOf } from '../database.ts'
import { makeWorld } from '../operations.ts'
import { PROGRAM } from '../program.ts'
import { startSmtp } from '../smtp.ts'
import {
  type Answer,
  atTheEnd,
  call,
  command,
  type Env,
  makeWorkspace,
  ROOT,
  run,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'

const app = await startApp()
const other = await makeDatabase()
const smtp = await startSmtp()
atTheEnd(() => Promise.all([other.drop(), smtp.stop()]))
const place = temporaryDirectory()
const here: Env = {
  DATABASE_URL: app.database.connectionString,
  SECRET_KEY: TEST_SECRET_KEY,
  DATA_DIR: join(place, 'here'),
}
const there: Env = {
  DATABASE_URL: other.connectionString,
  SECRET_KEY: 'the key of the other installation, which differs',
  DATA_DIR: join(place, 'there'),
}
const targetEnv = { ...here, TARGET_SECRET_KEY: there.SECRET_KEY!, TARGET_DATA_DIR: there.DATA_DIR! }

const mine = await makeWorld(app, 'mine')
const theirs = await makeWorld(app, 'theirs')
const addMailbox = (env: Env, workspace: string, address: string) =>
  command(
    env,
    'channel',
    'add',
    'email',
    '--workspace',
    workspace,
    '--address',
    address,
    '--smtp-url',
    smtp.url,
  )
await addMailbox(here, mine.workspace.id, 'help@mine.example')
await addMailbox(here, theirs.workspace.id, 'help@theirs.example')
const residents = await makeWorkspace(there, 'Residents')
await addMailbox(there, residents.workspaceId, 'help@residents.example')

/** In both workspaces here, and known there under another id. */
const both = await app.make.agent(mine.workspace.id, { email: 'both@people.example', nickname: 'Kim' })
await call2(theirs.workspace.token, 'POST', '/agents', { email: 'both@people.example' })
const { workspace: third } = await command(
  there,
  ...['workspace', 'create', '--name', 'Third', '--admin', 'both@people.example'],
)
const known = await rowOf(other, `select id from accounts where email = 'both@people.example'`)
/** Somebody else has this display name there. */
await other.pool.query(
  `update accounts set nickname = 'mine agent', nickname_key = 'mine agent' where id = $1`,
  [(await rowOf(other, `select id from accounts where email like 'admin-%'`)).id],
)

const source = await serve(here)
const target = await serve(there)

function call2(token: string, method: 'GET' | 'POST', path: string, body?: unknown) {
  return app.call(token, method, path, body)
}

async function rowOf(database: { pool: pg.Pool }, text: string, values: unknown[] = []) {
  const { rows } = await database.pool.query(text, values)
  return rows[0]
}

const api = (url: string, secret: string) => (method: string, path: string, body?: unknown) =>
  call(url, secret, method, `/api/v1${path}`, body)
type Api = ReturnType<typeof api>
const [mineHere, theirsHere, mineThere] = [
  api(source.url, mine.workspace.token),
  api(source.url, theirs.workspace.token),
  api(target.url, mine.workspace.token),
]

const ok = async (answering: Promise<Answer>): Promise<Answer['body']> => {
  const { status, body } = await answering
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const codeOf = async (answering: Promise<Answer>): Promise<string> => {
  const { status, body } = await answering
  return `${status} ${body.error?.code}`
}

const writeTo = async (as: Api, email: string, body: string): Promise<string> => {
  const { conversation } = await ok(as('POST', '/conversations', { email }))
  const { message } = await ok(as('POST', `/conversations/${conversation.id}/messages`, { body }))
  return message.id
}

const FILE = Buffer.from('The bytes of a file, kept as they are.\n'.repeat(500))

const upload = async (): Promise<string> => {
  const form = new FormData()
  form.append('file', new Blob([FILE], { type: 'text/plain' }), 'terms.txt')
  const answer = await fetch(`${source.url}/api/v1/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mine.workspace.token}` },
    body: form,
  })
  const { attachment } = (await answer.json()) as { attachment: { id: string } }
  assert.equal(answer.status, 200)
  return attachment.id
}

const download = async (as: Api, id: string): Promise<Buffer> => {
  const { attachment } = await ok(as('GET', `/attachments/${id}`))
  const answer = await fetch(attachment.url)
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

const moveArgs = (workspaceId: string, ...more: string[]): string[] => [
  ...['workspace', 'move', workspaceId, '--to', other.connectionString, ...more],
]

/** One line on standard error. */
const refusal = async (env: Env, ...args: string[]): Promise<string> => {
  const { code, output, errors } = await run(env, ...args)
  assert.equal(code, 1, output + errors)
  assert.match(errors, /^[^\n]+\n$/)
  return errors
}

/** Every table with rows of workspaces that can be compared. */
const listTables = async (): Promise<{ name: string; owner: string; columns: string[] }[]> => {
  const { rows } = await app.database.pool.query(
    `select table_name as name, array_agg(column_name::text order by ordinal_position)
       filter (where is_identity = 'NO' and is_generated = 'NEVER') as columns
     from information_schema.columns where table_schema = 'public' group by 1
     having bool_or(column_name = 'workspace_id') or table_name = 'workspaces' order by 1`,
  )
  return rows.map((row) => ({ ...row, owner: row.name === 'workspaces' ? 'id' : 'workspace_id' }))
}

/** The workspace's rows, as text, in an order of their own. What is encrypted differs with the key. */
const dump = async (database: { pool: pg.Pool }, workspaceId: string) => {
  const found: Record<string, string[]> = {}
  for (const { name, owner, columns } of await listTables()) {
    if (name in NOT_COPIED) continue
    const sealed = SEALED_COLUMNS.filter(({ table }) => table === name).map(({ column }) => column)
    const shown = columns.filter((column) => !sealed.includes(column))
    const { rows } = await database.pool.query(
      `select row_to_json(t)::text as row from (select ${shown.map((c) => `"${c}"`).join(', ')} from ${name}
       where ${owner} = $1) t`,
      [workspaceId],
    )
    if (rows.length > 0) found[name] = rows.map(({ row }) => row).sort()
  }
  return found
}

const countIn = async (database: { pool: pg.Pool }, workspaceId: string): Promise<number> =>
  Object.values(await dump(database, workspaceId)).reduce((sum, { length }) => sum + length, 0)

/** Starts a move that has to wait in the target, and kills it there. */
const killOnTheWay = async (workspaceId: string, whileWaiting: () => Promise<void>): Promise<void> => {
  const blocker = new pg.Client({ connectionString: other.connectionString })
  await blocker.connect()
  blocker.on('error', () => {})
  await blocker.query('begin; lock table feed in share mode')
  const moving: ChildProcess = spawn(process.execPath, [PROGRAM, ...moveArgs(workspaceId)], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...targetEnv },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  moving.stderr?.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
  })
  const ended = new Promise((done) => moving.once('exit', done))
  const sessions = (more: string) =>
    rowOf(
      app.database,
      `select count(*)::int as count from pg_stat_activity where application_name = 'foyer workspace move' ${more}`,
    )
  await until(
    'the copying',
    async () => {
      assert.equal(moving.exitCode, null, `it ended before it could be killed: ${errors}`)
      return (await sessions(`and wait_event_type = 'Lock' and query like '% feed %'`)).count > 0
    },
    60_000,
  )
  await whileWaiting()
  moving.kill('SIGKILL')
  await ended
  await blocker.query('rollback')
  await blocker.end()
  await until('its sessions to end', async () => (await sessions('')).count === 0, 30_000)
}

const SENT = 20
const QUEUED = 'queued@customers.example'

test('a move says in one line why it can’t be made, and changes nothing', async () => {
  const id = mine.workspace.id
  const lines: [RegExp, Env, string[]][] = [
    [/is not the id of a workspace/, targetEnv, moveArgs('nowhere')],
    [/is the database that is copied/, targetEnv, ['workspace', 'move', id, '--to', here.DATABASE_URL!]],
    [/is not a Foyer database/, targetEnv, ['workspace', 'move', id, '--to', urlOf('postgres')]],
    [/has another SECRET_KEY. Set TARGET_SECRET_KEY/, here, moveArgs(id)],
    [/Only a workspace that was moved can be deleted/, here, ['workspace', 'delete', id]],
    [/The workspace is open/, here, ['workspace', 'reopen', id]],
  ]
  for (const [line, env, args] of lines) assert.match(await refusal(env, ...args), line)
  await other.pool.query(`insert into schema_migrations (name) values ('9999_later.sql')`)
  assert.match(await refusal(targetEnv, ...moveArgs(id)), /9999_later.sql is only in the target. Upgrade/)
  await other.pool.query(`delete from schema_migrations where name = '9999_later.sql'`)
  assert.equal(await countIn(other, id), 0)
  const { estimate } = await command(targetEnv, ...moveArgs(id, '--dry-run'))
  assert.ok(estimate.rows.contacts >= 1 && estimate.closedSeconds >= 3, JSON.stringify(estimate))
  await writeTo(mineHere, 'still-open@customers.example', 'Still open')
})

test('a killed move leaves nothing in the target, and meanwhile the workspace refuses writes and its neighbour none', async () => {
  smtp.answer(QUEUED, { times: 1_000_000, code: 451 })
  await writeTo(mineHere, QUEUED, 'Sent by whoever has me')
  await killOnTheWay(mine.workspace.id, async () => {
    const refused = await mineHere('POST', '/conversations', { email: 'late@customers.example' })
    assert.equal(refused.status, 503, JSON.stringify(refused.body))
    assert.equal(refused.headers.get('retry-after'), '30')
    await ok(mineHere('GET', '/contacts'))
    const webhook = await call(
      source.url,
      null,
      'POST',
      `/webhooks/whatsapp/${mine.whatsapp}`,
      {},
      {
        'x-hub-signature-256': 'sha256=00',
      },
    )
    assert.equal(webhook.status, 503)
    // Whatever wants to write there is told so by the tables.
    await assert.rejects(
      app.database.pool.query('update contacts set name = name where workspace_id = $1', [mine.workspace.id]),
      /the workspace is closed/,
    )
    const id = await writeTo(theirsHere, 'neighbour@customers.example', 'Undisturbed')
    await until('the neighbour’s message', () =>
      smtp.mailsTo('neighbour@customers.example').some(({ text }) => text.includes(id)),
    )
  })
  assert.equal(await countIn(other, mine.workspace.id), 0)
  assert.equal(
    await codeOf(mineHere('POST', '/conversations', { email: 'a@b.example' })),
    '503 SERVICE_UNAVAILABLE',
  )
  assert.deepEqual(await command(here, 'workspace', 'reopen', mine.workspace.id), {
    reopened: { id: mine.workspace.id, name: mine.workspace.name },
  })
  await until('the workspace to be open', async () => {
    const { status } = await mineHere('POST', '/conversations', { email: 'open-again@customers.example' })
    return status === 200
  })
})

test('a move takes everything, once: rows, files, what waits, and the people', async () => {
  const fileId = await upload()
  const { conversation } = await ok(mineHere('POST', '/conversations', { email: 'file@customers.example' }))
  await ok(
    mineHere('POST', `/conversations/${conversation.id}/messages`, { body: 'See', attachmentIds: [fileId] }),
  )
  await ok(mineHere('POST', `/conversations/${conversation.id}/assign`, { agentId: both.id }))
  const neighbour = await dump(app.database, theirs.workspace.id)
  const sent = await Promise.all(
    Array.from({ length: SENT }, (_, at) => writeTo(mineHere, `busy${at}@customers.example`, `No. ${at}`)),
  )
  await killOnTheWay(mine.workspace.id, async () => {})

  const { moved, next } = await command(
    targetEnv,
    ...moveArgs(mine.workspace.id, '--url', 'https://second.example/'),
  )
  assert.deepEqual(moved.workspace, { id: mine.workspace.id, name: mine.workspace.name })
  assert.ok(moved.rows > 100 && Object.keys(moved.ledger).length > 40, JSON.stringify(moved.ledger))
  assert.deepEqual([moved.files, moved.missingFiles.length], [1, 2])
  assert.deepEqual(moved.renamed, { [both.id]: known.id })
  assert.equal(moved.unreadable.length, 0)
  assert.match(next.at(-1), /foyer workspace delete/)
  const isOf = (email: string) => moved.people.find((one: { email: string }) => one.email === email)
  assert.equal(isOf('both@people.example').is, 'known')
  assert.deepEqual(isOf('agent@mine.example'), {
    ...{ email: 'agent@mine.example', nickname: 'mine agent 2', is: 'created' },
  })

  // The source is as it was copied; the target has gone on with what waited there.
  const left = await dump(app.database, mine.workspace.id)
  assert.equal(
    Object.values(left).reduce((sum, { length }) => sum + length, 0),
    moved.rows,
  )
  const arrived = await dump(other, mine.workspace.id)
  for (const table of [
    'contacts',
    'identities',
    'notes',
    'api_tokens',
    'flows',
    'knowledge_chunks',
    'memberships',
  ])
    assert.deepEqual(
      arrived[table],
      left[table]?.map((row) => row.replaceAll(both.id, known.id)).sort(),
      table,
    )
  assert.deepEqual(await dump(other, theirs.workspace.id), {})
  const untouched = await dump(app.database, theirs.workspace.id)
  for (const table of ['contacts', 'memberships', 'messages', 'feed', 'attachments'])
    assert.deepEqual(untouched[table], neighbour[table], table)

  // The answers of both.
  const gone = await mineHere('GET', '/contacts')
  assert.equal(gone.status, 421)
  assert.match(gone.body.error.message, /moved to https:\/\/second\.example\. /)
  assert.equal(
    await codeOf(call(source.url, null, 'POST', `/widget/${mine.web}/session`, {})),
    '421 WORKSPACE_MOVED',
  )
  await ok(mineThere('GET', '/me'))
  assert.deepEqual(await download(mineThere, fileId), FILE)
  const shown = await ok(mineThere('GET', `/conversations/${conversation.id}`))
  assert.ok(JSON.stringify(shown).includes(known.id), JSON.stringify(shown))
  assert.match(await refusal(targetEnv, ...moveArgs(mine.workspace.id)), /was already moved, to /)
  const { workspaces } = await command(here, 'workspace', 'list')
  assert.equal(workspaces.find(({ id }: { id: string }) => id === mine.workspace.id).move.state, 'moved')

  // Numbers of the feed go on.
  const head = (
    await rowOf(app.database, 'select seq from feed_heads where workspace_id = $1', [mine.workspace.id])
  ).seq
  const tag = await ok(mineThere('POST', '/tags', { name: 'There', color: '#336699' }))
  await until('the feed', async () => {
    const row = await rowOf(
      other,
      `select seq from feed where workspace_id = $1 and data::text like '%' || $2 || '%'`,
      [mine.workspace.id, tag.tag.id],
    )
    return row && Number(row.seq) > Number(head)
  })

  // What waited is sent by the target, and nothing twice.
  smtp.answer(QUEUED, { times: 0, code: 451 })
  await other.pool.query(`update deliveries set not_before = now() where state = 'pending'`)
  await until('the queued message', () => smtp.mailsTo(QUEUED).length > 0, 30_000)
  await until(
    'all messages',
    () => sent.every((id) => smtp.taken.some(({ text }) => text.includes(id))),
    30_000,
  )
  for (const id of sent) assert.equal(smtp.taken.filter(({ text }) => text.includes(id)).length, 1)
  assert.equal(smtp.mailsTo(QUEUED).length, 1)
})

test('what is left in the source can be deleted, and the neighbour works as before', async () => {
  const { deleted } = await command(here, 'workspace', 'delete', mine.workspace.id)
  assert.ok(deleted.rows > 100)
  // The one that was uploaded, and those of exports, which were never written.
  assert.equal(deleted.files, 3)
  assert.equal(await countIn(app.database, mine.workspace.id), 0)
  assert.deepEqual(
    readdirSync(join(here.DATA_DIR!, 'files', mine.workspace.id), { recursive: true }).filter(
      (name) => String(name).length > 3,
    ),
    [],
  )
  const { count } = await rowOf(
    app.database,
    `select count(*)::int as count from pg_trigger where tgname like 'closed_%'`,
  )
  assert.equal(count, 0)
  assert.equal(await codeOf(mineHere('GET', '/contacts')), '401 INVALID_API_TOKEN')
  const id = await writeTo(theirsHere, 'later@customers.example', 'As before')
  await until('the message', () =>
    smtp.mailsTo('later@customers.example').some(({ text }) => text.includes(id)),
  )
  assert.ok(third.id)
})
