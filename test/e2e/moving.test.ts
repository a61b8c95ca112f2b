// An operator's data leaves the machine it is on: to a database of their own, and into a backup and out of it again.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { PROGRAM } from '../program.ts'
import {
  type Answer,
  atTheEnd,
  call,
  command,
  makeWorkspace,
  ROOT,
  run,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'

const urlOf = (database: string): string => {
  const url = new URL(process.env.TEST_SERVER_URL ?? '')
  url.pathname = `/${database}`
  return url.toString()
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
const query = async (url: string, text: string): Promise<any[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const makeEmpty = async (): Promise<string> => {
  const name = `foyer_test_${randomBytes(6).toString('hex')}`
  await query(urlOf('postgres'), `create database ${name}`)
  atTheEnd(async () => {
    await query(urlOf('postgres'), `drop database ${name} with (force)`)
  })
  return urlOf(name)
}

/** One line on standard error, nothing on standard output. */
const refusal = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
  const { code, output, errors } = await run(env, ...args)
  assert.equal(code, 1, output)
  assert.equal(output, '')
  assert.match(errors, /^[^\n]+\n$/)
  return errors
}

const api = (url: string, secret: string) => (method: string, path: string, body?: unknown) =>
  call(url, secret, method, `/api/v1${path}`, body)

type Api = ReturnType<typeof api>

const ok = async (answering: Promise<Answer>): Promise<Answer['body']> => {
  const { status, body } = await answering
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const start = async (call: Api, email: string, more: object = {}) =>
  ok(call('POST', '/conversations', { email, channel: 'web', message: `From ${email}`, ...more }))

const FILE = Buffer.from('The bytes of a file, kept as they are.\n'.repeat(500))

const upload = async (url: string, secret: string): Promise<string> => {
  const form = new FormData()
  form.append('file', new Blob([FILE], { type: 'text/plain' }), 'terms.txt')
  const answer = await fetch(`${url}/api/v1/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: form,
  })
  const { attachment } = (await answer.json()) as { attachment: { id: string } }
  assert.equal(answer.status, 200, JSON.stringify(attachment))
  return attachment.id
}

const download = async (call: Api, id: string): Promise<Buffer> => {
  const { attachment } = await ok(call('GET', `/attachments/${id}`))
  // The link has the public URL's host, and the test another port.
  const answer = await fetch(attachment.url)
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

/** Everything that the lists show, and what the feed has, without what changes with its epoch. */
const readAll = async (call: Api) => {
  const { contacts, total } = await ok(call('GET', '/contacts'))
  const { conversations } = await ok(call('GET', '/conversations'))
  const messages = []
  for (const { id } of conversations)
    messages.push((await ok(call('GET', `/conversations/${id}/messages`))).messages)
  return { contacts, total, conversations, messages }
}

const settled = (call: Api, count: number) =>
  until('the feed', async () => {
    const page = await ok(call('GET', '/events?from=oldest&limit=500'))
    const created = page.events.filter(({ type }: { type: string }) => type === 'contact.created')
    return created.length === count && page
  })

test('database move takes everything to an empty database, and a killed move leaves both as they were', async () => {
  const place = temporaryDirectory()
  const old = { DATA_DIR: join(place, 'data') }
  const DATABASE_URL = await makeEmpty()
  const { secret, workspaceId } = await makeWorkspace(old)
  const first = await serve(old)
  const before = api(first.url, secret)
  await start(before, 'ada@example.org')
  const attachmentId = await upload(first.url, secret)
  const { conversation } = await start(before, 'bob@example.org')
  await ok(
    before('POST', `/conversations/${conversation.id}/messages`, {
      body: 'See',
      attachmentIds: [attachmentId],
    }),
  )
  await settled(before, 2)
  const { cursor } = await ok(before('GET', '/events?from=oldest&limit=500'))
  const shown = await readAll(before)

  const move = ['database', 'move', '--to', DATABASE_URL]
  assert.equal((await first.stop()).code, 0)
  // Nothing has numbered this event yet.
  await command(old, 'tag', 'create', '--workspace', workspaceId, '--name', 'Moved', '--color', '#336699')

  const killed = spawn(process.execPath, [PROGRAM, ...move], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...old },
    stdio: 'ignore',
  })
  const ended = new Promise((done) => killed.once('exit', done))
  await until('the copying', async () => {
    assert.equal(killed.exitCode, null, 'it ended before it could be killed')
    const rows = await query(
      urlOf('postgres'),
      `select from pg_stat_activity where datname = '${new URL(DATABASE_URL).pathname.slice(1)}'
       and application_name = 'foyer copy' and backend_xid is not null`,
    )
    return rows.length > 0
  })
  killed.kill('SIGKILL')
  await ended
  await until('its connection to end', async () => {
    const [{ count }] = await query(
      urlOf('postgres'),
      `select count(*)::int from pg_stat_activity where application_name = 'foyer copy'`,
    )
    return count === 0
  })
  const [{ count: left }] = await query(DATABASE_URL, 'select count(*)::int from contacts')
  assert.equal(left, 0)

  const { moved, next } = await command(old, ...move)
  assert.ok(moved.rows > 50 && moved.tables > 80, JSON.stringify(moved))
  assert.deepEqual(
    next.map((line: string) => line.split(' ', 2).join(' ')),
    ['Set DATABASE_URL', 'Set SECRET_KEY', `Keep ${join(old.DATA_DIR, 'files')}:`],
  )
  assert.match(await refusal(old, 'serve'), /was moved to .*: set DATABASE_URL to that/)

  const SECRET_KEY = readFileSync(join(old.DATA_DIR, 'secret.key'), 'utf8').trim()
  const now = { ...old, DATABASE_URL, SECRET_KEY }
  const second = await serve(now)
  const after = api(second.url, secret)
  assert.deepEqual(
    JSON.parse(
      JSON.stringify(await readAll(after))
        .replaceAll(second.url, first.url)
        .replace(/\?e=[^"]*/g, ''),
    ),
    JSON.parse(JSON.stringify(shown).replace(/\?e=[^"]*/g, '')),
  )
  assert.deepEqual(await download(after, attachmentId), FILE)
  assert.equal((await after('GET', `/events?cursor=${cursor}`)).status, 410)
  await start(after, 'eve@example.org')
  const { events } = await settled(after, 3)
  const numbers = events.map(({ sequence }: { sequence: number }) => sequence)
  assert.deepEqual(
    numbers,
    numbers.map((_: number, at: number) => at + 1),
  )
  assert.ok(
    events.some(({ type }: { type: string }) => type === 'tag.created'),
    JSON.stringify(events.map((e: { type: string }) => e.type)),
  )
  assert.equal((await second.stop()).code, 0)
  // Whoever wants the old copy back says so.
  assert.ok((await command(old, 'restored')).epoch)
  const [{ count }] = await query(DATABASE_URL, 'select count(*)::int from contacts')
  assert.equal(count, 3)
})

test('a backup made while customers write can be restored, and programs notice that they have to start over', async () => {
  const place = temporaryDirectory()
  const DATABASE_URL = await makeEmpty()
  const SECRET_KEY = 'a key for the backups, of forty letters!'
  const env = { DATA_DIR: join(place, 'data'), DATABASE_URL, SECRET_KEY }
  const { secret } = await makeWorkspace(env)
  const server = await serve(env)
  const live = api(server.url, secret)
  const attachmentId = await upload(server.url, secret)
  const { conversation } = await start(live, 'ada@example.org')
  await ok(
    live('POST', `/conversations/${conversation.id}/messages`, {
      body: 'See',
      attachmentIds: [attachmentId],
    }),
  )
  await settled(live, 1)
  const { cursor, covers } = await ok(live('GET', '/events?from=oldest&limit=500'))
  const file = join(place, 'monday.backup')

  let [count, isDone] = [1, false]
  const writing = (async () => {
    while (!isDone) await start(live, `customer${count++}@example.org`)
  })()
  await until('some customers', () => count > 5)
  const sure = count
  const { backup, notIncluded } = await command(env, 'backup', file)
  isDone = true
  await writing
  assert.deepEqual({ files: backup.files, missingFiles: backup.missingFiles }, { files: 1, missingFiles: [] })
  assert.deepEqual(notIncluded, ['SECRET_KEY', '.env'])
  assert.equal((await server.stop()).code, 0)

  const target = { DATA_DIR: join(place, 'fresh'), SECRET_KEY }
  const { restored } = await command(target, 'restore', file)
  assert.deepEqual(
    { takenAt: restored.takenAt, rows: restored.rows, files: restored.files },
    { takenAt: backup.takenAt, rows: backup.rows, files: 1 },
  )
  assert.ok(restored.epoch > covers.epoch, `${restored.epoch} after ${covers.epoch}`)
  const again = await serve(target)
  const now = api(again.url, secret)
  const { total } = await ok(now('GET', '/contacts'))
  assert.ok(total >= sure - 1, `${total} of ${sure} contacts`)
  assert.deepEqual(await download(now, attachmentId), FILE)
  const refused = await now('GET', `/events?cursor=${cursor}`)
  assert.equal(refused.status, 410, JSON.stringify(refused.body))
  await start(now, 'later@example.org')
  const { events, covers: newer } = await settled(now, total + 1)
  assert.ok(newer.epoch >= restored.epoch)
  const numbers = events.map(({ sequence }: { sequence: number }) => sequence)
  assert.deepEqual(
    numbers,
    numbers.map((_: number, at: number) => at + 1),
  )
  assert.equal((await again.stop()).code, 0)
})
