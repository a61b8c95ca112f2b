// Automation never talks over a person, loses nothing and says nothing twice, whatever happens at the same time.
// INTERLEAVINGS=10000 TEST_FILE_MAX_MS=7200000 looks closer; SEED repeats a run's choices, not its timing.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allowOutbound } from '../channels/protocol/outbound.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { accept, refuse, startGraph } from '../server/inbound/whatsapp/testing/provider.ts'
import { startApp } from './app.ts'
import {
  listDoubledTurns,
  listLeft,
  listTooOften,
  listUnanswered,
  readContention,
} from './interleavings/aftermath.ts'
import { makePlace, type Played, playConversation } from './interleavings/interleave.ts'
import { startMortals } from './interleavings/mortals.ts'
import { randomOf } from './interleavings/random.ts'
import {
  keepHoldLog,
  keepSpeechLog,
  listInterjections,
  listLateClaims,
  listOvertaking,
} from './interleavings/speech-log.ts'
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

/** Of the model that one of the places has. */
const MODEL_MS = 250
const KEY = 'sk-interleaved-8c1f5e20d7ab4936'

const sandbox = await startSandbox({ modelKey: KEY })
after(() => sandbox.stop())
const app = await startApp()
allowOutbound(sandbox.url)
const { db } = app
const graph = await startGraph()
after(graph.stop)

test('nothing automated is claimed after a person spoke, no message is lost, none is sent twice', {
  timeout: TEST_MAX_MS,
}, async (t) => {
  t.diagnostic(`${COUNT} interleavings, seed ${SEED}`)
  await keepSpeechLog(db)
  await keepHoldLog(db)
  sandbox.control.addModelFault({ kind: 'slow', times: 1_000_000, delayMs: MODEL_MS })
  const random = randomOf(SEED)
  /** What arrived, by recipient. */
  const arrived: string[] = []
  const allArrived: string[] = []
  graph.answer = (asked, response) => {
    graph.asked.length = 0
    const isRefused = asked.method === 'POST' && random.next() < REFUSED
    const answer = () => {
      if (isRefused) return refuse(131000, 500)(asked, response)
      const body = asked.method === 'POST' ? bodyOf(asked.body) : undefined
      if (body !== undefined) allArrived.push(body)
      // The AI agent says the same to many.
      if (body !== undefined && MADE_HERE.test(body)) arrived.push(body)
      accept(graph, asked, response)
    }
    setTimeout(answer, random.below(SLOW_MS))
  }
  const model = { url: sandbox.url, key: KEY, name: 'sandbox-facts' }
  const places = await Promise.all(
    Array.from({ length: PLACES }, (_, index) =>
      makePlace(app, graph, index === 0 ? { index, model } : { index }),
    ),
  )
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
  assert.deepEqual(await listOvertaking(db), [])
  assert.deepEqual(doubles(arrived), [], 'arrived twice')
  assert.deepEqual(await listDoubledTurns(db), [], 'said twice by the AI agent')
  assert.deepEqual(await listTooOften(db, allArrived), [], 'arrived more often than it was said')
  assert.ok(sandbox.control.modelCalls().length > 0, 'the model was never asked')
  const said = (
    await db.selectFrom('messages').select('body').where('sender_type', '=', 'automation').execute()
  ).map(({ body }) => body)
  assert.deepEqual(doubles(said), [], 'said twice')
  const heard = new Set(said)
  const undisturbed = played.filter(({ isUndisturbed }) => isUndisturbed)
  const lost = undisturbed
    .filter(({ hasModel }) => !hasModel)
    .flatMap(({ heard: [first, ...rest] }) => [`Hello ${first}`, ...rest.map((body) => `Echo ${body}`)])
    .filter((body) => !heard.has(body))
  assert.deepEqual(lost, [], 'not answered')
  const withModel = undisturbed.filter(({ hasModel }) => hasModel)
  assert.deepEqual(
    await listUnanswered(
      db,
      withModel.map(({ conversationId }) => conversationId),
    ),
    [],
    'without a reply and without a person',
  )
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

/** With and without buttons. */
const bodyOf = (asked: Record<string, unknown> | undefined): string | undefined => {
  const { text, interactive } = (asked ?? {}) as {
    text?: { body: string }
    interactive?: { body: { text: string } }
  }
  return text?.body ?? interactive?.body.text
}

const doubles = (bodies: readonly string[]): string[] => {
  const seen = new Set<string>()
  return bodies.filter((body) => seen.size === seen.add(body).size)
}
