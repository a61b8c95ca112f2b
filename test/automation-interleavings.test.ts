// Automation never talks over a person, loses nothing and says nothing twice, whatever happens at the same time.
// INTERLEAVINGS=10000 TEST_FILE_MAX_MS=7200000 looks closer; SEED repeats a run's choices, not its timing.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accept, refuse, startGraph } from '../server/inbound/whatsapp/testing/provider.ts'
import { startApp } from './app.ts'
import {
  listLeft,
  makePlace,
  type Played,
  playConversation,
  readContention,
} from './interleavings/interleave.ts'
import { startMortals } from './interleavings/mortals.ts'
import { randomOf } from './interleavings/random.ts'
import { keepSpeechLog, listInterjections, listLateClaims } from './interleavings/speech-log.ts'
import { until } from './until.ts'

const COUNT = Number(process.env.INTERLEAVINGS ?? 60)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const AT_ONCE = 12
const PLACES = 6
/** The provider refuses this share for now, and is this slow at most. */
const REFUSED = 0.05
const SLOW_MS = 40
/** What a killed worker was sending; after ten minutes without a status it is shown as unconfirmed. */
const ON_THEIR_WAY = ['WORKER_LOST', 'DELIVERY_UNCONFIRMED']
/** Messages that name a customer's or a person's, each of which is written once. */
const MADE_HERE = /\d+n\d+/
const SETTLED_MAX_MS = 120_000 + COUNT * 300
const TEST_MAX_MS = 300_000 + COUNT * 1_500

const app = await startApp()
const { db } = app
const graph = await startGraph()
after(graph.stop)

test('nothing automated is claimed after a person spoke, no message is lost, none is sent twice', {
  timeout: TEST_MAX_MS,
}, async (t) => {
  t.diagnostic(`${COUNT} interleavings, seed ${SEED}`)
  await keepSpeechLog(db)
  const random = randomOf(SEED)
  /** What arrived, by recipient. */
  const arrived: string[] = []
  graph.answer = (asked, response) => {
    graph.asked.length = 0
    const isRefused = asked.method === 'POST' && random.next() < REFUSED
    const answer = () => {
      if (isRefused) return refuse(131000, 500)(asked, response)
      const text = asked.body?.text as { body: string } | undefined
      // The AI agent says the same to many.
      if (asked.method === 'POST' && text && MADE_HERE.test(text.body)) arrived.push(text.body)
      accept(graph, asked, response)
    }
    setTimeout(answer, random.below(SLOW_MS))
  }
  const places = await Promise.all(Array.from({ length: PLACES }, (_, at) => makePlace(app, graph, at)))
  const mortals = await startMortals(app.database.connectionString, random)
  const played: Played[] = []
  try {
    let next = 0
    const playNext = async (): Promise<void> => {
      for (let at = next++; at < COUNT; at = next++)
        played.push(await playConversation(places[at % PLACES]!, String(at), randomOf(SEED * 100_003 + at)))
    }
    // The others end before the first failure is thrown.
    const ends = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, () =>
        playNext().catch((error: unknown) => {
          next = COUNT
          throw error
        }),
      ),
    )
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    const kills = await mortals.spare()
    await until(
      async () => (await listLeft(app)).length === 0,
      'everything to be done',
      SETTLED_MAX_MS,
    ).catch(async () => assert.deepEqual(await listLeft(app), [], 'left undone'))
    const { deadlocks } = await readContention(app)
    t.diagnostic(`${kills} workers killed, ${arrived.length} messages arrived, ${deadlocks} deadlocks`)
  } finally {
    await mortals.stop()
  }

  assert.deepEqual(await listLateClaims(db), [])
  assert.deepEqual(await listInterjections(db), [])
  assert.deepEqual(doubles(arrived), [], 'arrived twice')
  const said = (
    await db.selectFrom('messages').select('body').where('sender_type', '=', 'automation').execute()
  ).map(({ body }) => body)
  assert.deepEqual(doubles(said), [], 'said twice')
  const heard = new Set(said)
  const lost = played
    .filter(({ isUndisturbed }) => isUndisturbed)
    .flatMap(({ heard: [first, ...rest] }) => [`Hello ${first}`, ...rest.map((body) => `Echo ${body}`)])
    .filter((body) => !heard.has(body))
  assert.deepEqual(lost, [], 'not answered')
  const untold = await db
    .selectFrom('deliveries')
    .innerJoin('messages', 'messages.id', 'deliveries.message_id')
    .select(['messages.body', 'deliveries.state', 'deliveries.error_code'])
    .where('messages.sender_type', '=', 'agent')
    .where('deliveries.state', '<>', 'accepted')
    .where((eb) => eb(eb.fn.coalesce('deliveries.error_code', eb.val('')), 'not in', ON_THEIR_WAY))
    .execute()
  assert.deepEqual(untold, [], 'people’s messages that did not go out')
})

const doubles = (bodies: readonly string[]): string[] => {
  const seen = new Set<string>()
  return bodies.filter((body) => seen.size === seen.add(body).size)
}
