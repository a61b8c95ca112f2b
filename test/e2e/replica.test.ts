// DATABASE_REPLICA_URL as an operator has it: PostgreSQL with a streaming replica, two processes that serve the API, and a
// worker. Whatever happens to the replica, lists and searches show everything that anyone was told of before.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { call, command, makeWorkspace, run, serve, temporaryDirectory, until } from './foyer.ts'
import { startPostgres, WITHOUT_POSTGRES } from './postgres.ts'

/** Longer than finding out that the replica hangs; the primary needs milliseconds. */
const ANSWER_MAX_MS = 10_000

describe('lists and searches', { skip: WITHOUT_POSTGRES }, async () => {
  if (WITHOUT_POSTGRES) return
  const primary = await startPostgres()
  const standby = await startPostgres(primary.url)
  const env = {
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URL: standby.url,
    SECRET_KEY: 'a secret key for a test with a replica',
    DATA_DIR: join(temporaryDirectory(), 'data'),
  }
  const { workspaceId, secret: writer } = await makeWorkspace(env)
  // A token that writes nothing, as the receiver of a webhook may have.
  const { secret: reader } = await command(
    env,
    'token',
    'create',
    '--workspace',
    workspaceId,
    '--name',
    'Reader',
  )
  const [one, other] = [await serve(env, '--role', 'api'), await serve(env, '--role', 'api')]
  await serve(env, '--role', 'worker')

  const get = async (path: string) => {
    const sentMs = performance.now()
    const { status, body } = await call(other.url, reader, 'GET', `/api/v1${path}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(performance.now() - sentMs < ANSWER_MAX_MS, path)
    return body
  }

  /** How many reads were answered where. */
  const countReads = async (label: string): Promise<number> => {
    const { body } = await call(other.url, null, 'GET', '/metrics')
    const lines = [...(body as string).matchAll(/^foyer_replica_reads_total\{(.*)\} (\d+)$/gm)]
    return lines.reduce((sum, [, labels, count]) => sum + (labels!.includes(label) ? Number(count) : 0), 0)
  }
  const ON_REPLICA = 'place="replica"'
  const untilUsed = async () => {
    const before = await countReads(ON_REPLICA)
    await until('a read of the replica', async () => {
      await get('/contacts?sort=created&limit=1')
      return (await countReads(ON_REPLICA)) > before
    })
  }

  let written = 0
  /** Through one process; returns the conversation and the only name that its customer is found by. */
  const write = async () => {
    const name = `kunde${String(++written).padStart(4, '0')}`
    const opening = { email: `${name}@customers.example`, channel: 'web' }
    const { status, body } = await call(one.url, writer, 'POST', '/api/v1/conversations', opening)
    assert.equal(status, 200, JSON.stringify(body))
    const { id, contactId } = body.conversation as { id: string; contactId: string }
    return { id, contactId, name }
  }

  /** Through the other process, in each kind of list. */
  const expectListed = async ({ id, name }: Awaited<ReturnType<typeof write>>) => {
    const email = `${name}@customers.example`
    const [recent, created, found, contacts, searched] = await Promise.all([
      get('/conversations?limit=1'),
      get('/conversations?sort=created&limit=1'),
      get(`/conversations?q=${name}`),
      get('/contacts?sort=created&limit=1'),
      get(`/contacts?search=${name}`),
    ])
    for (const { conversations } of [recent, created, found]) assert.equal(conversations[0]?.id, id)
    for (const page of [contacts, searched]) assert.equal(page.contacts[0]?.email, email)
  }

  test('are read from the replica, and show what another process has just written for another token', async () => {
    await until('the first contact', async () => {
      await expectListed(await write())
      return (await countReads(ON_REPLICA)) > 0
    })
    for (let round = 0; round < 40; round++) await expectListed(await write())
    assert.ok((await countReads(ON_REPLICA)) >= 20)
  })

  test('show what a client was told of by an event', async () => {
    let { cursor } = await get('/events?from=now')
    for (let round = 0; round < 3; round++) {
      const { id } = await write()
      const isThere = async () => {
        const page = await get(`/events?cursor=${cursor}&wait=5`)
        cursor = page.cursor
        return page.events.some(({ conversationId }: { conversationId: string }) => conversationId === id)
      }
      await until('the event', isThere)
      assert.equal((await get('/conversations?sort=created&limit=1')).conversations[0].id, id)
    }
  })

  test('are read from the primary while the replica doesn’t replay, and pages of both make one list', async () => {
    await untilUsed()
    const ids: string[] = []
    const read = async (cursor: string | null): Promise<string | null> => {
      const page = await get(`/contacts?sort=created&limit=10${cursor ? `&cursor=${cursor}` : ''}`)
      ids.push(...page.contacts.map(({ id }: { id: string }) => id))
      return page.nextCursor
    }
    let cursor = await read(null)
    await standby.query('select pg_wal_replay_pause()')
    const before = await countReads('reason="behind"')
    for (let round = 0; round < 5; round++) {
      await expectListed(await write())
      cursor = cursor && (await read(cursor))
    }
    assert.ok((await countReads('reason="behind"')) > before)
    await standby.query('select pg_wal_replay_resume()')
    await untilUsed()
    while (cursor) cursor = await read(cursor)
    assert.deepEqual(ids, [...new Set(ids)].sort().reverse())
    assert.equal(ids.length, written - 5)
  })

  test('need no more than a fallback when the replica hangs or is killed in the middle', async () => {
    const readOn = async (isOver: () => boolean) => {
      while (!isOver()) await expectListed(await write())
    }
    for (const harm of [standby.freeze, async () => standby.stop().then(() => standby.start)]) {
      await untilUsed()
      let isOver = false
      const reading = readOn(() => isOver)
      const mend = await harm()
      const before = written
      await until('more reads', () => written > before + 20, 60_000)
      isOver = true
      await reading
      await mend()
    }
    await untilUsed()
    assert.equal(
      (await countReads('reason="failed"')) > 0 || (await countReads('reason="unusable"')) > 0,
      true,
    )
  })

  test('go to the primary when the replica was promoted, and the doctor says what is wrong', async () => {
    const examine = async () => (await run(env, 'doctor')).output
    assert.match(await examine(), /replica: It is a replica of the database/)
    await standby.query('select pg_promote()')
    for (let round = 0; round < 10; round++) await expectListed(await write())
    await until('the process to notice', async () => {
      const before = await countReads('reason="unusable"')
      await expectListed(await write())
      return (await countReads('reason="unusable"')) > before
    })
    assert.match(await examine(), /replica: .*is not a replica/)
  })
})
