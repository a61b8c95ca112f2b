// Order, outages and events that are refused, in a time of their own.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { startApp } from '../../../test/app.ts'
import { createEndpoint } from './create-endpoint.ts'
import type { NewWebhookEndpoint } from './schema.ts'
import { type ClaimedDelivery, claimDeliveries, listDueEndpoints } from './send-queries.ts'
import { drive } from './testing/drive.ts'
import { makeEvents } from './testing/make-events.ts'

const app = await startApp()
const { db, make, clock } = app
const START_MS = Date.parse('2026-03-01T00:00:00Z')
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let workspaceId: string
beforeEach(async () => {
  await db.deleteFrom('webhook_deliveries').execute()
  await db.deleteFrom('webhook_endpoints').execute()
  workspaceId = (await make.workspace()).id
  clock.now = () => new Date(START_MS)
})

const addEndpoint = (more: Partial<NewWebhookEndpoint> = {}) =>
  createEndpoint(app.ctxOf(workspaceId), { url: 'http://127.0.0.1:1024/', ...more })

const KEYS = ['conversation-a', 'conversation-b', 'conversation-c']
const keyOf = ({ event }: ClaimedDelivery) => event!.conversation_id!
const eventsOf = (count: number, offset = 0) =>
  Array.from({ length: count }, (_, index) => ({ conversationId: KEYS[(index + offset) % KEYS.length]! }))

/** One steps aside, others pass it, and then the circuit opens. */
const PASSED_BEFORE_AN_OUTAGE = 1_073_446_889

/** A reproducible source of numbers. */
const seeded = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return seed / 2 ** 31
}

const openBefore = async ({ id, endpointId }: ClaimedDelivery, key: string) =>
  db
    .selectFrom('webhook_deliveries')
    .select(['id', 'aside_at'])
    .where('workspace_id', '=', workspaceId)
    .where('endpoint_id', '=', endpointId)
    .where('order_key', '=', key)
    .where('state', 'in', ['pending', 'held', 'sending'])
    .where('id', '<', id)
    .execute()

for (const ordering of ['conversation', 'strict', 'none'] as const)
  test(`${ordering}: under random failures everything arrives once, in the order that was promised`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), async (seed) => {
        await db.deleteFrom('webhook_deliveries').execute()
        await db.deleteFrom('webhook_endpoints').execute()
        clock.now = () => new Date(START_MS)
        workspaceId = (await make.workspace()).id
        await addEndpoint({ ordering })
        const random = seeded(seed)
        let added = 12
        await makeEvents(app, workspaceId, eventsOf(added))
        const delivered = await drive(db, {
          ctxOf: app.ctxOf,
          clock,
          random,
          untilMs: START_MS + 30 * DAY_MS,
          answer: () => (random() < 0.35 ? (random() < 0.5 ? 'failed' : 'silent') : 'delivered'),
          onTime: async () => {
            if (added >= 30 || random() < 0.7) return
            await makeEvents(app, workspaceId, eventsOf(2, added))
            added += 2
          },
          onClaimed: async (claimed) => {
            for (const one of claimed) {
              const key = ordering === 'strict' ? 'all' : keyOf(one)
              if (ordering === 'none') continue
              for (const earlier of await openBefore(one, key))
                assert.ok(
                  earlier.aside_at !== null && Date.parse(earlier.aside_at) <= clock.now().getTime(),
                  `${ordering}: one passed another that hadn't been failing for five minutes (seed ${seed})`,
                )
            }
          },
        })
        const sequences = delivered.map(({ event }) => event!.seq)
        assert.deepEqual(
          [...sequences].sort((a, b) => a - b),
          Array.from({ length: added }, (_, i) => i + 1),
        )
        if (ordering === 'strict')
          assert.deepEqual(
            sequences,
            [...sequences].sort((a, b) => a - b),
          )
      }),
      { numRuns: 4, examples: [[PASSED_BEFORE_AN_OUTAGE]] },
    )
  })

for (const ending of ['silent', 'failed'] as const)
  test(`after an outage of three days (${ending}) everything is delivered in order, and no attempt was used up`, async () => {
    await addEndpoint()
    const upAtMs = START_MS + 3 * DAY_MS
    let nextMs = START_MS
    let added = 6
    await makeEvents(app, workspaceId, eventsOf(added))
    const delivered = await drive(db, {
      ctxOf: app.ctxOf,
      clock,
      random: seeded(7),
      untilMs: START_MS + 5 * DAY_MS,
      answer: (_, nowMs) => (nowMs < upAtMs ? ending : 'delivered'),
      onTime: async (nowMs) => {
        if (nowMs < nextMs || nowMs > upAtMs) return
        nextMs = nowMs + 8 * HOUR_MS
        await makeEvents(app, workspaceId, eventsOf(6))
        added += 6
      },
    })
    const rows = await db.selectFrom('webhook_deliveries').select(['state', 'tries', 'attempts']).execute()
    assert.equal(rows.length, added)
    assert.deepEqual([...new Set(rows.map(({ state, tries }) => `${state} ${tries}`))], ['delivered 1'])
    for (const key of KEYS) {
      const sequences = delivered.filter((one) => keyOf(one) === key).map(({ event }) => event!.seq)
      assert.deepEqual(
        sequences,
        [...sequences].sort((a, b) => a - b),
      )
    }
    const last = await db.selectFrom('webhook_endpoints').select(['failures', 'probe_at', 'status']).execute()
    assert.deepEqual(last, [{ failures: 0, probe_at: null, status: 'enabled' }])
  })

test('an event that is always refused blocks nobody else, and its own conversation for five minutes', async () => {
  await addEndpoint()
  await makeEvents(app, workspaceId, eventsOf(30))
  const arrivedMs = new Map<number, number>()
  await drive(db, {
    ctxOf: app.ctxOf,
    clock,
    random: seeded(3),
    untilMs: START_MS + 4 * DAY_MS,
    answer: ({ event }, nowMs) => {
      if (event!.seq === 1) return 'failed'
      arrivedMs.set(event!.seq, nowMs - START_MS)
      return 'delivered'
    },
  })
  for (const [seq, ms] of arrivedMs) {
    if (eventsOf(30)[seq - 1]!.conversationId === KEYS[0])
      assert.ok(ms >= 5 * MINUTE_MS && ms < 6 * MINUTE_MS)
    else assert.ok(ms < MINUTE_MS)
  }
  assert.equal(arrivedMs.size, 29)
  const poison = await db
    .selectFrom('webhook_deliveries')
    .select(['state', 'tries'])
    .where('seq', '=', 1)
    .execute()
  assert.deepEqual(poison, [{ state: 'failed', tries: 15 }])
})

test('two senders at once share what is due, and none is claimed twice', async () => {
  await addEndpoint({ ordering: 'none', maxInFlight: 50 })
  await makeEvents(app, workspaceId, eventsOf(40))
  await db.updateTable('webhook_endpoints').set({ places: 64 }).execute()
  const { due } = await listDueEndpoints(db, clock.now(), null, 10)
  const wanted = due.map(({ workspaceId, id }) => ({ workspaceId, endpointId: id, places: 50 }))
  const both = (await Promise.all([1, 2, 3].map(() => claimDeliveries(db, clock.now(), wanted)))).flat()
  assert.equal(new Set(both.map(({ id }) => id)).size, both.length)
  assert.equal(both.length, 40)
})

test('two endpoints that fail for days are told of at each warning and at the end, and no more often', async () => {
  const [one, two] = [await addEndpoint(), await addEndpoint()].map(
    ({ webhookEndpoint }) => webhookEndpoint.id,
  )
  await db.deleteFrom('events').execute()
  await makeEvents(app, workspaceId, eventsOf(6))
  for (const afterMs of [0, 1, 2, 24, 25, 96, 97, 120, 121].map((hours) => hours * HOUR_MS)) {
    clock.now = () => new Date(START_MS + afterMs)
    const untilMs = START_MS + afterMs + 15 * MINUTE_MS
    await drive(db, { ctxOf: app.ctxOf, clock, random: seeded(7), answer: () => 'failed', untilMs })
  }
  const rows = await db
    .selectFrom('events')
    .select(['type', 'data'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
  for (const id of [one, two]) {
    const told = rows.filter(({ data }) => data.endpointId === id)
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.reason]),
      [
        ['webhook_endpoint.failing', 'HTTP 500'],
        ['webhook_endpoint.failing', 'HTTP 500'],
        ['webhook_endpoint.failing', 'HTTP 500'],
        ['webhook_endpoint.disabled', 'failing'],
      ],
    )
    const [since, ...others] = new Set(told.map(({ data }) => data.since))
    assert.deepEqual(others, [])
    assert.ok(Date.parse(String(since)) - START_MS < MINUTE_MS)
  }
})
