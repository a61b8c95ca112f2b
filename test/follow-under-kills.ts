// Followers and a copy of the workspace while others write and the processes are killed, compared with the database.
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Env, freePort, serve, until } from './e2e/foyer.ts'
import { type Followed, type Follower, followCalls, followStream, receiveWebhooks } from './followers.ts'
import { type List, type Place, readUntil, send, writerOf } from './pollers.ts'

type Options = {
  env: Env
  place: Place
  pool: Pick<pg.Pool, 'query'>
  writers: number
  /** Of either process, in turns. */
  kills: number
  /** How long a process lives, at least. */
  lifeMs: number
  receiverBreaksEvery?: number
}

export type Result = {
  written: number
  events: number
  /** What is in the database and was not seen, by who did not see it. */
  missing: Record<string, number>
  /** What the documentation says can't happen. */
  faults: string[]
  /** Conversations whose new messages were not numbered as their thread is sorted; several wrote there at once. */
  disordered: number
  repeats: Record<string, number>
  /** What became of the webhooks: those that wait are late, not lost. */
  deliveries: Record<string, number>
}

const SETTLE_MAX_MS = 60_000
const LOOK_AGAIN_MS = 250
const SHARED = 4
const LISTS: List[] = ['messages', 'conversations', 'contacts']

/** Writers of one workspace; some of them meet in the same conversations. */
const makeWriters = ({ secret, webChannelId, ...place }: Place, url: string) => {
  const shared: { conversationId: string; contactId: string }[] = []
  const anyShared = async () => {
    while (shared.length === 0) await delay(20)
    return shared[Math.floor(Math.random() * shared.length)]!
  }
  const visit = () => {
    let visitor: string | undefined
    return async (): Promise<void> => {
      visitor ??= (await send(url, null, `/widget/${webChannelId}/session`, {})).token as string
      const { message } = await send(url, visitor, `/widget/${webChannelId}/messages`, { body: 'Hello' })
      if (shared.length >= SHARED || shared.some((one) => one.conversationId === message.conversationId))
        return
      const path = `/api/v1/conversations/${message.conversationId}`
      const { conversation } = await send(url, secret, path, undefined, {}, 'GET')
      shared.push({ conversationId: conversation.id, contactId: conversation.contact.id })
    }
  }
  const answer = async (): Promise<void> => {
    const one = await anyShared()
    await send(url, secret, `/api/v1/conversations/${one.conversationId}/messages`, { body: 'It left.' })
  }
  const close = async (): Promise<void> => {
    const one = await anyShared()
    await send(url, secret, `/api/v1/conversations/${one.conversationId}/close`, undefined)
    await delay(20)
  }
  const rename = async (): Promise<void> => {
    const one = await anyShared()
    const name = `Ada ${Math.random()}`
    await send(url, secret, `/api/v1/contacts/${one.contactId}`, { name }, {}, 'PATCH')
  }
  const all = { secret, webChannelId, ...place }
  const kinds = [
    visit,
    () => answer,
    () => close,
    () => rename,
    () => writerOf(all, 0),
    () => writerOf(all, 1),
    visit,
    () => answer,
  ]
  return (index: number): ((url: string) => Promise<void>) => kinds[index % kinds.length]!()
}

/** Takes the cursor, reads the lists, and follows the feed from there. */
const copy = async (server: { url: string; secret: string }) => {
  const { cursor, covers } = await send(
    server.url,
    server.secret,
    '/api/v1/events?from=sync&limit=1',
    undefined,
    {},
    'GET',
  )
  const known = new Set<string>()
  for (const list of LISTS)
    for (const { id } of await readUntil(server.url, server.secret, list, () => false)) known.add(id)
  return { known, follower: followCalls(server, { cursor, next: covers.to + 1 }) }
}

const again = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await delay(100)
    }
}

const CREATED = {
  messages: ['message.created', 'messageId'],
  conversations: ['conversation.created', 'conversationId'],
  contacts: ['contact.created', 'contactId'],
} as const

const idsIn = (seen: readonly Followed[]): Set<string> =>
  new Set(
    Object.values(CREATED).flatMap(([type, key]) =>
      seen.flatMap((event) => (event.type === type ? [String(event.data[key])] : [])),
    ),
  )

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** The rows of the database, and how each conversation's messages follow one another there. */
const readTruth = async (pool: Options['pool']) => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from messages where sender_type <> 'system' union all select id from conversations
     union all select id from contacts`,
  )
  const { rows: messages } = await pool.query<{ id: string; conversation_id: string }>(
    `select id, conversation_id from messages where sender_type <> 'system' order by conversation_id, id`,
  )
  const { rows: open } = await pool.query<{ id: string; status: string }>(
    'select id, status from conversations',
  )
  return {
    ids: rows.map(({ id }) => id),
    threads: Map.groupBy(messages, ({ conversation_id }) => conversation_id),
    statusOf: new Map(open.map(({ id, status }) => [id, status])),
  }
}

type Truth = Awaited<ReturnType<typeof readTruth>>

const countDeliveries = async (pool: Options['pool']): Promise<Record<string, number>> => {
  const { rows } = await pool.query<{ state: string; count: number }>(
    'select state, count(*)::integer as count from webhook_deliveries group by state order by state',
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

const countDisordered = ({ threads }: Truth, seen: readonly Followed[]): number => {
  const created = Map.groupBy(
    seen.filter(({ type }) => type === 'message.created'),
    ({ conversationId }) => conversationId!,
  )
  return [...created].filter(
    ([id, events]) =>
      events.map(({ data }) => data.messageId).join() !==
      threads
        .get(id)
        ?.map((message) => message.id)
        .join(),
  ).length
}

/** What contradicts the rows: doubles, a conversation in another state. */
const compare = ({ statusOf }: Truth, { name, seen }: Follower): string[] => {
  const faults: string[] = []
  const ids = new Set(seen.map(({ id }) => id))
  if (ids.size !== seen.length) faults.push(`${name}: ${seen.length - ids.size} events came twice`)
  const states = new Map<string, string>()
  for (const { type, conversationId, data } of seen)
    if (type === 'conversation.closed' || type === 'conversation.reopened')
      states.set(conversationId!, String(data.status))
  for (const [id, status] of states)
    if (statusOf.get(id) !== status) faults.push(`${name}: ${id} is not ${status}`)
  return faults
}

/** What runs beside this process; whoever starts something adds it. */
type Running = { processes: { api?: Process; worker?: Process }; followers: Follower[]; isWriting: boolean }
type Process = Awaited<ReturnType<typeof serve>>

/** However it ends, nothing keeps running: an open connection or a process would keep the caller from ending. */
export const followUnderKills = async (options: Options): Promise<Result> => {
  const running: Running = { processes: {}, followers: [], isWriting: true }
  try {
    return await follow(options, running)
  } finally {
    running.isWriting = false
    await Promise.all(running.followers.map(({ stop }) => stop()))
    const { api, worker } = running.processes
    await Promise.all([api?.stop(), worker?.stop()])
  }
}

const STARTS_MAX = 10

/** As a supervisor does: on a busy machine a process may give up on reaching the database. */
const supervised = async (start: () => Promise<Process>): Promise<Process> => {
  for (let tried = 1; ; tried++)
    try {
      return await start()
    } catch (error) {
      if (tried === STARTS_MAX) throw error
    }
}

const follow = async (options: Options, running: Running): Promise<Result> => {
  const { env, place, pool, writers, kills, lifeMs, receiverBreaksEvery } = options
  const { processes } = running
  const port = String(await freePort())
  const server = { url: `http://127.0.0.1:${port}`, secret: place.secret }
  const startApi = () => supervised(() => serve({ ...env, PORT: port }, '--role', 'api'))
  const startWorker = () => supervised(() => serve(env, '--role', 'worker'))
  processes.api = await startApi()
  processes.worker = await startWorker()

  const webhooks = await receiveWebhooks(receiverBreaksEvery)
  running.followers.push(webhooks)
  const { secret } = await send(server.url, server.secret, '/api/v1/webhook-endpoints', { url: webhooks.url })
  webhooks.setSecret(secret)
  const followers: Follower[] = [followCalls(server, 'oldest'), followStream(server), webhooks]
  running.followers.push(...followers.slice(0, 2))

  const faults: string[] = []
  let written = 0
  const writerFor = makeWriters(place, server.url)
  const writing = Array.from({ length: writers }, async (_, index) => {
    const write = writerFor(index)
    while (running.isWriting)
      try {
        await write(server.url)
        written++
      } catch (error) {
        // A dead process; the writer doesn't know whether it wrote.
        if (!(error instanceof TypeError)) faults.push(String(error))
        await delay(50)
      }
  })
  const ending = (async () => {
    for (let killed = 0; killed < kills; killed++) {
      await delay(lifeMs * (1 + Math.random()))
      if (!running.isWriting) return
      if (killed % 2 === 0) {
        await processes.worker!.kill()
        processes.worker = await startWorker()
      } else {
        await processes.api!.kill()
        processes.api = await startApi()
      }
    }
    await delay(lifeMs)
  })()
  const copying = again(() => copy(server)).then((one) => {
    running.followers.push(one.follower)
    return one
  })
  const [{ known, follower: synced }] = await Promise.all([copying, ending])
  running.isWriting = false
  await Promise.all(writing)

  const truth = await readTruth(pool)
  const missingOf = (ids: Set<string>): number => truth.ids.filter((id) => !ids.has(id)).length
  const readMissing = (): Record<string, number> => ({
    ...Object.fromEntries(followers.map(({ name, seen }) => [name, missingOf(idsIn(seen))])),
    copy: missingOf(new Set([...known, ...idsIn(synced.seen)])),
  })
  const settled = async (): Promise<boolean> => {
    const { head } = await send(server.url, server.secret, '/api/v1/events', undefined, {}, 'GET')
    const isOver = followers.every(({ seen }) => seen.length === head) && sum(readMissing()) === 0
    // Looking costs the followers their processor.
    if (!isOver) await delay(LOOK_AGAIN_MS)
    return isOver
  }
  await until('everything to be seen', settled, SETTLE_MAX_MS).catch(() => {})
  const deliveries = await countDeliveries(pool)
  return {
    written,
    deliveries,
    events: followers[0]!.seen.length,
    missing: readMissing(),
    faults: [
      ...faults,
      ...[...followers, synced].flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`)),
      ...followers.flatMap((follower) => compare(truth, follower)),
      ...followers
        .filter(({ seen }) => seen.length !== followers[0]!.seen.length)
        .map(({ name, seen }) => `${name}: ${seen.length} events instead of ${followers[0]!.seen.length}`),
    ],
    disordered: countDisordered(truth, followers[0]!.seen),
    repeats: Object.fromEntries(followers.map(({ name, repeats }) => [name, repeats()])),
  }
}
