// Following the feed on a bad day, and against the application.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { sql } from 'kysely'
import { revokeToken } from '../server/domain/tokens/tokens.ts'
import { startRelay } from '../server/jobs/relay-events.ts'
import { startApp } from '../test/app.ts'
import { until } from '../test/until.ts'
import { json, refuse, serve } from './testing/faulty-server.ts'
import { LANGUAGES, type Language, type Refusal, type Settings } from './testing/languages.ts'
import { type FollowedEvent, Foyer } from './typescript/src/index.ts'

const app = await startApp({ stream: true })
const { ctxOf, database, db, deps, make } = app
const baseUrl = await app.app.listen({ host: '127.0.0.1', port: 0 })
const relay = startRelay(
  { now: deps.now, stream: deps.stream, log: { error: () => {}, warn: () => {} } },
  { connectionString: database.connectionString, pollMs: 20 },
)
test.after(() => relay.stop())

const page = (from: number, to: number, epoch = 'one') => ({
  events: Array.from({ length: to - from + 1 }, (_, index) => ({
    type: 'message.created',
    sequence: from + index,
    cursor: `after-${from + index}`,
  })),
  cursor: `after-${to}`,
  hasMore: false,
  covers: { from, to, epoch },
  head: to,
  oldest: 1,
})

type Options = { cursor?: string | undefined; from?: string; types?: string[] }

/** Follows until so many events came, or an error ends it. */
const first = async (
  { follow }: Language,
  settings: Settings,
  count: number,
  options: Options = {},
): Promise<{ events: FollowedEvent[]; error: Refusal | undefined }> => {
  const events: FollowedEvent[] = []
  const { error } = await follow(settings, options, (name, event) => {
    if (name === 'event') events.push(event as FollowedEvent)
    return events.length === count ? 'close' : 'go'
  })
  return { events, error }
}

for (const language of LANGUAGES) {
  const { name, skip } = language

  test(`${name}: it goes on from where it was after every failure that passes`, { skip }, async () => {
    const { baseUrl, got } = await serve((_, response, attempt) => {
      if (attempt === 1) json(response, 200, page(1, 2))
      else if (attempt === 2) response.destroy()
      else if (attempt === 3) refuse(response, 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '0' })
      else if (attempt < 6) refuse(response, 503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' })
      else json(response, 200, page(3, 4))
    })
    const { events } = await first(language, { baseUrl, maxRetries: 1 }, 4)
    assert.deepEqual(
      events.map(({ sequence, cursor }) => [sequence, cursor]),
      [1, 2, 3, 4].map((number) => [number, `after-${number}`]),
    )
    assert.deepEqual(
      new Set(got.slice(1).map(({ url }) => [...new URL(url, baseUrl).searchParams].sort().join())),
      new Set(['cursor,after-2,wait,25']),
    )
  })

  test(`${name}: what can’t be right at the beginning is said at once, and what can’t pass is thrown`, {
    skip,
  }, async () => {
    const down = await serve((_, response) => response.end('<h1>nginx</h1>'))
    const { error } = await first(language, { baseUrl: down.baseUrl, maxRetries: 0 }, 1)
    assert.match(error!.message, /not from Foyer/)
    const expired = await serve((_, response) => refuse(response, 410, 'CURSOR_EXPIRED'))
    const late = await first(language, { baseUrl: expired.baseUrl }, 1, { cursor: 'old' })
    assert.equal(late.error?.name, 'CursorExpiredError')
    assert.equal(expired.got.length, 1)
  })

  for (const [what, second] of [
    ['begins too late', page(4, 5)],
    ['begins again', page(1, 5)],
    ['comes from another database', page(3, 4, 'two')],
    ['has events out of order', { ...page(3, 4), events: page(3, 4).events.toReversed() }],
    ['has an event beyond what it covers', { ...page(3, 4), covers: { from: 3, to: 3, epoch: 'one' } }],
  ] as const)
    test(`${name}: a page that ${what} is an error, and none of its events arrives`, { skip }, async () => {
      const { baseUrl } = await serve((_, response, attempt) =>
        json(response, 200, attempt === 1 ? page(1, 2) : second),
      )
      const { events, error } = await first(language, { baseUrl }, 5)
      assert.equal(error?.name, 'MissingEventsError')
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        [1, 2],
      )
    })

  test(`${name}: a new database is no gap for a feed that was empty`, { skip }, async () => {
    const { baseUrl, got } = await serve((_, response, attempt) =>
      json(response, 200, attempt === 1 ? page(1, 0) : page(1, 1, 'two')),
    )
    const { events } = await first(language, { baseUrl }, 1, { types: ['message.*', 'contact.created'] })
    assert.equal(events[0]?.sequence, 1)
    assert.equal(new URL(got[0]!.url, baseUrl).searchParams.get('types'), 'message.*,contact.created')
  })
}

test('it ends at once when it is aborted while it waits, and tells where it was', async () => {
  const held = Promise.withResolvers<void>()
  const { baseUrl, got } = await serve((_, response, attempt) => {
    if (attempt < 3) json(response, 200, page(1, 0))
    else held.resolve(void response.writeHead(200))
  })
  const foyer = new Foyer({ token: 'foyer_x', baseUrl })
  const leaving = new AbortController()
  const cursors: string[] = []
  const following = foyer.events.follow({
    types: ['message.*', 'contact.created'],
    signal: leaving.signal,
    onQuiet: (cursor) => cursors.push(cursor),
  })
  const next = following.next()
  await held.promise
  leaving.abort()
  assert.deepEqual(await next, { done: true, value: undefined })
  assert.deepEqual(cursors, ['after-0', 'after-0'])
  assert.equal(got[0]?.url, '/api/v1/events?types=message.*%2Ccontact.created&from=now&wait=0')
})

/** Records an event as operations do. */
const record = async (workspaceId: string, type: string, data: object): Promise<void> => {
  await sql`insert into events (workspace_id, type, data, actor, created_at)
    values (${workspaceId}, ${type}, ${JSON.stringify(data)}, 'system', now())`.execute(db)
  deps.stream.wake()
}

const headOf = async (workspaceId: string): Promise<number> =>
  (await db.selectFrom('feed_heads').select('seq').where('workspace_id', '=', workspaceId).executeTakeFirst())
    ?.seq ?? 0

for (const language of LANGUAGES) {
  const { name, skip, sync } = language

  test(`${name}: a program that crashes after any event goes on with the next one`, { skip }, async () => {
    const { id, token } = await make.workspace()
    for (let number = 1; number <= 5; number++) await record(id, 'note.created', { noteId: `c${number}` })
    await until(async () => (await headOf(id)) === 5, 'the events to be numbered')
    let cursor: string | undefined
    for (let number = 1; number <= 5; number++) {
      // A program of its own each time, which saved the cursor of one event of a page.
      const { events } = await first(
        language,
        { baseUrl, token },
        1,
        cursor ? { cursor } : { from: 'oldest' },
      )
      assert.equal(events[0]?.sequence, number)
      assert.deepEqual(events[0].type === 'note.created' && events[0].data, { noteId: `c${number}` })
      cursor = events[0].cursor
    }
  })

  test(`${name}: a copy begins with the lists, and goes on with what happened since, also in between`, {
    skip,
  }, async () => {
    const { id, token } = await make.workspace()
    const contact = await make.contact(id, { name: 'Ada' })
    const conversation = await make.conversation(id, { contactId: contact.id })
    const message = await make.message(id, conversation, { body: 'Hello' })
    const told: unknown[] = []
    const saved: string[] = []
    const calls = ['onContact', 'onConversation', 'onMessage', 'onEvent', 'save']
    const begun = await sync({ baseUrl, token }, { calls }, async (called, value) => {
      if (called === 'save') saved.push(String(value))
      else if (called === 'onEvent')
        told.push([(value as FollowedEvent).type, (value as FollowedEvent).sequence])
      else told.push([called, (value as { id: string }).id])
      if (called === 'onContact') await record(id, 'tag.created', { tagId: 'c1' })
      return called === 'save' && told.length === 4 ? 'close' : 'go'
    })
    assert.equal(begun.error, undefined)
    assert.deepEqual(told, [
      ['onContact', contact.id],
      ['onConversation', conversation.id],
      ['onMessage', message.id],
      ['tag.created', 1],
    ])
    await record(id, 'tag.deleted', { tagId: 'c1' })
    const resumed: unknown[] = []
    const stopped = await sync({ baseUrl, token }, { cursor: saved.at(-1)!, calls }, (called, value) => {
      resumed.push([called, (value as FollowedEvent).type])
      return 'raise'
    })
    // The lists are not read again, and what was not handled is not saved.
    assert.deepEqual(resumed, [['onEvent', 'tag.deleted']])
    assert.equal(stopped.error?.message, 'stopped')
  })
}

test('an event that happens while it waits arrives, and a revoked token ends it', async () => {
  const { id, token } = await make.workspace()
  const waiting = new EventTarget()
  const foyer = new Foyer({
    token,
    baseUrl,
    onRequest: ({ url }) => void (url.includes('cursor') && waiting.dispatchEvent(new Event('call'))),
  })
  const following = foyer.events.follow()
  const called = once(waiting, 'call')
  const next = following.next()
  await called
  await record(id, 'tag.created', { tagId: 'c1' })
  assert.equal((await next).value?.type, 'tag.created')
  const again = once(waiting, 'call')
  const refused = assert.rejects(following.next(), { code: 'INVALID_API_TOKEN' })
  await again
  const { tokenId } = await db
    .selectFrom('api_tokens')
    .select('id as tokenId')
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow()
  await revokeToken(ctxOf(id), { tokenId })
  app.tokens.forget(tokenId)
  await app.app.recheckHolds(tokenId)
  await refused
})
