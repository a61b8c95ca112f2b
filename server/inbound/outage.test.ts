// What arrives while something on our side fails: it is rejected so that it is resent, or kept and
// retried. Nothing gets a 200 without being visible somewhere.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { signatureOf } from '../../channels/sms/signature.ts'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { retryLeftovers } from '../jobs/retry-leftovers.ts'
import { StorageError } from '../platform/files/store.ts'
import { followMailbox } from './email/read-mailbox.ts'
import { prepareEmail, storeEmails } from './email/receive-email.ts'
import { connectMailbox, deliverMail, written } from './email/testing/mails.ts'
import { connectFresh } from './items/testing/provider.ts'
import { replayLeftover } from './replay/replay.ts'
import { connect, messageOf, sign, webhook } from './whatsapp/testing/provider.ts'

const storage = { error: null as Error | null }
const app = await startApp()
const { db, database, make, ctxOf } = app
const ownFiles = app.deps.files
const { put } = ownFiles
ownFiles.put = async (...given) => {
  if (storage.error) throw storage.error
  return put(...given)
}

/** A connection outside the application, which holds locks. */
const other = new pg.Client({ connectionString: database.connectionString })
other.on('error', () => {})
before(() => other.connect())
after(() => other.end())

/** Simulates errors of PostgreSQL: a body "fail 53100" raises that error. */
const raiseErrors = async (): Promise<void> => {
  await sql`
    create function raise_errors() returns trigger language plpgsql as $$
    begin
      if new.body ~ '^fail [0-9A-Z]{5}' then
        raise exception using errcode = substr(new.body, 6, 5), message = 'simulated';
      end if;
      return new;
    end $$`.execute(db)
  await sql`create trigger raise_errors before insert on messages for each row execute function raise_errors()`.execute(
    db,
  )
}
const raiseNothing = () => sql`drop function if exists raise_errors cascade`.execute(db)

const person = (n: number) => ({ waId: `1650555${1000 + n}`, name: `Person ${n}` })

const fresh = async () => {
  const workspace = await make.workspace()
  const channelId = await connect(app, workspace.id)
  const post = async (...changes: object[]) => {
    const raw = JSON.stringify(webhook(...changes))
    const { statusCode, headers, body } = await app.app.inject({
      method: 'POST',
      url: `/webhooks/whatsapp/${channelId}`,
      payload: raw,
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': sign(raw) },
    })
    return { status: statusCode, retryAfter: headers['retry-after'], body }
  }
  return {
    workspace,
    channelId,
    post,
    ctx: ctxOf(workspace.id),
    bodies: () => bodiesOf(workspace.id),
    leftovers: () => leftoversOf(workspace.id),
  }
}

const bodiesOf = async (workspaceId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('messages')
    .select('body')
    .where('workspace_id', '=', workspaceId)
    .where('sender_type', '<>', 'system')
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => body)
}

const leftoversOf = (workspaceId: string) =>
  db.selectFrom('webhook_leftovers').selectAll().where('workspace_id', '=', workspaceId).execute()

const jobDeps = { ...app.deps, log: app.app.log, timing: {} as never, isStopping: () => false }

test('a webhook that hits a locked table gets a 503, and is stored when resent', async () => {
  const { post, bodies, leftovers } = await fresh()
  const hello = messageOf(person(1), 'Hello')
  await other.query('begin; lock table messages in share mode')
  const refused = await post(hello)
  assert.equal(refused.status, 503, refused.body)
  assert.match(String(refused.retryAfter), /^\d+$/)
  assert.deepEqual([await bodies(), await leftovers()], [[], []])
  await other.query('rollback')
  assert.equal((await post(hello)).status, 200)
  assert.deepEqual(await bodies(), ['Hello'])
})

test('of all database errors, only those that prove the item bad get a 200', async () => {
  const { post, bodies, leftovers } = await fresh()
  await raiseErrors()
  try {
    for (const code of [
      '53100',
      '25006',
      '57014',
      '55P03',
      '40P01',
      '40001',
      '53300',
      '42P01',
      '58030',
      'XX000',
    ])
      assert.equal((await post(messageOf(person(1), `fail ${code}`))).status, 503, code)
    assert.deepEqual([await bodies(), await leftovers()], [[], []])
    for (const code of ['22001', '23514'])
      assert.equal((await post(messageOf(person(1), `fail ${code}`))).status, 200, code)
    assert.deepEqual(
      (await leftovers()).map(({ reason, replay, error }) => [reason, replay, error]),
      [
        ['failed', 'item', 'simulated'],
        ['failed', 'item', 'simulated'],
      ],
    )
  } finally {
    await raiseNothing()
  }
})

test('a bad item is isolated: the others are stored, even in the same delivery', async () => {
  const { post, bodies, leftovers } = await fresh()
  await raiseErrors()
  try {
    const changes = [
      ...Array.from({ length: 30 }, (_, n) => messageOf(person(n), `Fine ${n}`)),
      messageOf(person(5), 'fail 23514'),
      messageOf(person(5), 'Also fine'),
    ]
    assert.equal((await post(...changes)).status, 200)
  } finally {
    await raiseNothing()
  }
  assert.equal((await bodies()).length, 31)
  assert.ok((await bodies()).includes('Also fine'))
  assert.equal((await leftovers()).length, 1)
})

test('a contact whose row is locked delays no other contact and no other workspace', async () => {
  const [one, two] = [await fresh(), await fresh()]
  assert.equal((await one.post(messageOf(person(0), 'First'))).status, 200)
  await other.query('begin')
  await other.query('select from contacts where workspace_id = $1 for update', [one.workspace.id])
  const timed = async (posting: Promise<{ status: number }>): Promise<[status: number, ms: number]> => {
    const startMs = performance.now()
    const { status } = await posting
    return [status, performance.now() - startMs]
  }
  try {
    const held = messageOf(person(0), 'Held')
    for (let round = 0; round < 2; round++) {
      const others = Array.from({ length: 40 }, (_, n) =>
        timed((n % 2 ? one : two).post(messageOf(person(n + 1), `Round ${round}, ${n}`))),
      )
      const [heldStatus, ...rest] = await Promise.all([timed(one.post(held)), ...others])
      assert.equal(heldStatus[0], 503)
      assert.deepEqual(
        rest.filter(([status]) => status !== 200),
        [],
      )
      // One lock wait in the first round, none once the locked row is known; 15 s is the statement timeout.
      const slowest = Math.max(...rest.map(([, ms]) => ms))
      assert.ok(slowest < 8_000, `${slowest} ms`)
    }
    await other.query('rollback')
    assert.equal((await one.post(held)).status, 200)
  } finally {
    await other.query('rollback')
  }
  assert.equal((await one.bodies()).filter((body) => body === 'Held').length, 1)
  assert.equal((await one.bodies()).length + (await two.bodies()).length, 82)
  assert.deepEqual([await one.leftovers(), await two.leftovers()], [[], []])
})

test('an item that the provider would not resend is kept, retried automatically and stored once', async () => {
  const sms = await connectFresh(app, 'sms', {
    phoneNumber: '+15005550006',
    accountSid: 'AC0123456789abcdef0123456789abcdef',
    authToken: 'auth-token',
  })
  const path = `/webhooks/sms/${sms.channelId}`
  const fields = {
    AccountSid: 'AC0123456789abcdef0123456789abcdef',
    MessageSid: 'SM00000000000000000000000000000001',
    From: '+14155552671',
    To: '+15005550006',
    Body: 'fail 55P03',
  }
  const form = new Map(Object.entries(fields).map(([key, value]) => [key, [value]]))
  const post = () =>
    app.app.inject({
      method: 'POST',
      url: path,
      payload: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': signatureOf('auth-token', `http://foyer.test${path}`, form),
      },
    })
  await raiseErrors()
  try {
    assert.equal((await post()).statusCode, 200)
    assert.deepEqual(await bodiesOf(sms.workspace.id), [])
    const later = new Date(Date.now() + 60_000)
    await retryLeftovers({ ...jobDeps, now: () => later })
    assert.equal((await leftoversOf(sms.workspace.id))[0]?.tries, 1)
  } finally {
    await raiseNothing()
  }
  const later = new Date(Date.now() + 3_600_000)
  await Promise.all([1, 2].map(() => retryLeftovers({ ...jobDeps, now: () => later })))
  assert.deepEqual(await bodiesOf(sms.workspace.id), ['fail 55P03'])
  assert.deepEqual(await leftoversOf(sms.workspace.id), [])
})

test('a leftover retried concurrently, and also resent by the provider, is one message', async () => {
  const { post, bodies, leftovers, ctx } = await fresh()
  const message = messageOf(person(1), 'fail 23514', { timestamp: '1750000000' })
  await raiseErrors()
  assert.equal((await post(message)).status, 200)
  await raiseNothing()
  const [row] = await leftovers()
  const ref = { channelAccountId: row!.channel_account_id, hash: row!.hash.toString('hex') }
  await Promise.allSettled([1, 2, 3].map(() => replayLeftover(ctx, ref)))
  assert.equal((await post(message)).status, 200)
  assert.deepEqual([await bodies(), await leftovers()], [['fail 23514'], []])
  const conversation = await db
    .selectFrom('conversations')
    .select('last_inbound_at')
    .where('workspace_id', '=', ctx.workspaceId)
    .executeTakeFirst()
  assert.equal(conversation?.last_inbound_at, '2025-06-15T15:06:40.000Z')
})

// Mail ------------------------------------------------------------------------------------------------------------

const withFile = (name: string): string =>
  [
    'From: Ines <ines@example.com>',
    'To: support@northwind.example',
    `Message-ID: <${name}@mail.example.com>`,
    'Subject: A file',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Here it is.',
    '--b',
    'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename=a.pdf',
    '',
    'content',
    '--b--',
    '',
  ].join('\r\n')

test("an email whose files can't be stored gets a 503, and is in its thread when resent", async () => {
  const workspace = await make.workspace()
  const channelId = await connectMailbox(app, workspace.id)
  for (const error of [
    new StorageError('the storage refused: SlowDown'),
    Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' }),
    new Error('something that nobody has thought of'),
  ]) {
    storage.error = error
    assert.equal((await deliverMail(app, channelId, withFile('one'))).status, 503, error.message)
  }
  storage.error = null
  assert.deepEqual([await bodiesOf(workspace.id), await leftoversOf(workspace.id)], [[], []])
  assert.equal((await deliverMail(app, channelId, withFile('one'))).status, 200)
  assert.deepEqual(await bodiesOf(workspace.id), ['Here it is.'])
})

test('an email that causes the error itself is kept in full, and stored once that is fixed', async () => {
  const workspace = await make.workspace()
  const channelId = await connectMailbox(app, workspace.id)
  await raiseErrors()
  assert.equal((await deliverMail(app, channelId, written({ text: 'fail 22001 é' }))).status, 200)
  await raiseNothing()
  assert.deepEqual(
    (await leftoversOf(workspace.id)).map(({ replay }) => replay),
    ['mail'],
  )
  const later = new Date(Date.now() + 60_000)
  await retryLeftovers({ ...jobDeps, now: () => later })
  assert.equal((await bodiesOf(workspace.id)).length, 1)
  assert.deepEqual(await leftoversOf(workspace.id), [])
})

test('a mailbox is not read past an email that was not stored', async () => {
  const workspace = await make.workspace()
  const channelAccountId = await connectMailbox(app, workspace.id)
  const account = { id: channelAccountId, address: 'support@northwind.example' }
  const ctx = ctxOf(workspace.id)
  const stopping = new AbortController()
  const mails = ['one', 'two', 'three'].map((name, index) => ({
    uid: index + 1,
    raw: Buffer.from(withFile(name)),
    isCut: false,
  }))
  storage.error = new StorageError('the storage refused: SlowDown')
  let looks = 0
  const following = followMailbox({
    ctx,
    channelAccountId,
    signal: stopping.signal,
    recordWorking: async () => {},
    open: async () => {
      looks++
      return {
        uidValidity: '1',
        uidNext: 4,
        read: async function* (last) {
          yield mails.filter(({ uid }) => uid > last)
        },
        waitForNews: () => new Promise((done) => stopping.signal.addEventListener('abort', () => done())),
        close: async () => {},
      }
    },
    prepare: (chunk) => Promise.all(chunk.map(({ raw }) => prepareEmail(ctx, account, raw))),
    store: async (prepared, alongside) => void (await storeEmails(ctx, account, prepared, { alongside })),
    putAside: async () => assert.fail('nothing is to be put aside'),
  })
  const cursor = () =>
    db.selectFrom('mailbox_cursors').selectAll().where('workspace_id', '=', workspace.id).executeTakeFirst()
  await until(() => looks === 2, 'the mailbox to be opened again', 60_000)
  assert.equal(await cursor(), undefined)
  storage.error = null
  await until(async () => Number((await cursor())?.last_uid) === 3, 'the mails to be stored', 60_000)
  stopping.abort()
  await following
  assert.equal((await bodiesOf(workspace.id)).length, 3)
  assert.deepEqual(await leftoversOf(workspace.id), [])
})
