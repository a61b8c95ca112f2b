import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { until } from '../../../test/until.ts'
import { makeEphemeral } from '../live/ephemeral.ts'
import type { LiveEvent } from '../live/replay.ts'
import { silentStream } from '../live/stream.ts'
import { makeStreamHub, type Notice, type Outlet, type StreamPolicy } from './stream-hub.ts'

type Scoped = { workspaceId: string }

const log = { warn: () => {} }

const liveEvent = (n: number, workspaceId = 'w'): LiveEvent => ({
  cursor: String(n).padStart(6, '0'),
  workspaceId,
  type: 'thing.happened',
  conversationId: null,
  contactId: null,
  data: { n },
  createdAt: '',
})
const toNotice = ({ cursor, type, data }: LiveEvent): Notice => ({ cursor, event: type, data })

/** A hub whose followers receive everything of their workspace, with its source of events in our hands. */
const makeTestHub = (t: TestContext, changes: Partial<StreamPolicy<Scoped, Scoped>> = {}) => {
  const listeners = new Set<(event: LiveEvent) => void>()
  const breaks = new Set<() => void>()
  const stream = {
    ...silentStream,
    subscribe: (listener: (event: LiveEvent) => void, onBreak: () => void = () => {}) => {
      listeners.add(listener)
      breaks.add(onBreak)
      return () => {
        listeners.delete(listener)
        breaks.delete(onBreak)
      }
    },
  }
  const hub = makeStreamHub<Scoped, Scoped>(
    { stream, ephemeral: makeEphemeral(), log },
    {
      awaits: () => true,
      handle: async (workspaceId, { live }) => {
        for (const event of live)
          for (const follower of hub.of(workspaceId)) hub.send(follower, toNotice(event))
      },
      catchUp: async () => [],
      leave: () => {},
      check: async () => {},
      ...changes,
    },
  )
  t.after(() => hub.end(hub.all))
  const open = (workspaceId = 'w') => {
    const client = { received: [] as string[], isEnded: false, began: Promise.resolve() }
    const outlet: Outlet = {
      send: ({ id }) => {
        if (id !== undefined && !client.isEnded) client.received.push(id)
      },
      end: () => {
        client.isEnded = true
      },
    }
    client.began = hub.follow({ workspaceId }, undefined, () => outlet)
    return client
  }
  return {
    hub,
    open,
    publish: (event: LiveEvent) => {
      for (const listener of [...listeners]) listener(event)
    },
    break: () => {
      for (const onBreak of [...breaks]) onBreak()
    },
    isListening: () => listeners.size > 0,
  }
}

test('a stream gets what it missed before what comes live, each once and in order', async (t) => {
  const missed = Promise.withResolvers<Notice[]>()
  const { open, publish } = makeTestHub(t, { catchUp: () => missed.promise })
  const client = open()
  for (const n of [2, 3, 4]) publish(liveEvent(n))
  await setImmediate()
  assert.deepEqual(client.received, [])
  missed.resolve([1, 2, 3].map((n) => toNotice(liveEvent(n))))
  await client.began
  publish(liveEvent(5))
  await until(() => client.received.length >= 5, 'the live event')
  assert.deepEqual(
    client.received,
    [1, 2, 3, 4, 5].map((n) => liveEvent(n).cursor),
  )
})

test('a stream that holds back too much while it catches up is ended, and others go on', async (t) => {
  let catchUp: () => Promise<Notice[]> = async () => []
  const { open, publish } = makeTestHub(t, { catchUp: () => catchUp() })
  const other = open()
  await other.began
  catchUp = () => new Promise(() => {})
  const stuck = open()
  for (let n = 1; n <= 5_001; n++) {
    publish(liveEvent(n))
    if (n % 200 === 0) await setImmediate()
  }
  await until(() => other.received.length === 5_001, 'all events')
  assert.deepEqual([stuck.isEnded, other.isEnded], [true, false])
})

test('when events come faster than they can be handled all streams end', async (t) => {
  const { open, publish, hub, isListening } = makeTestHub(t, { handle: () => new Promise(() => {}) })
  const clients = [open('w'), open('v')]
  await Promise.all(clients.map(({ began }) => began))
  for (let n = 1; n <= 5_201; n++) publish(liveEvent(n))
  assert.deepEqual(
    clients.map(({ isEnded }) => isEnded),
    [true, true],
  )
  assert.equal(hub.all.size, 0)
  assert.equal(isListening(), false)
})

test('events that cannot be handled end the streams of their workspace and no others', async (t) => {
  const { open, publish } = makeTestHub(t, {
    handle: async (workspaceId) => {
      if (workspaceId === 'w') throw new Error('the database is away')
    },
  })
  const clients = [open('w'), open('v')]
  await Promise.all(clients.map(({ began }) => began))
  publish(liveEvent(1, 'w'))
  publish(liveEvent(1, 'v'))
  await until(() => clients[0]!.isEnded, 'the stream to end')
  assert.equal(clients[1]!.isEnded, false)
})

test('a break in the events, or a beginning that fails, ends the stream, and nobody listens for it', async (t) => {
  const leaves: string[] = []
  const whole = makeTestHub(t, { leave: ({ workspaceId }) => leaves.push(workspaceId) })
  const client = whole.open()
  await client.began
  assert.equal(whole.isListening(), true)
  whole.break()
  assert.equal(client.isEnded, true)
  assert.equal(whole.isListening(), false)
  assert.deepEqual(leaves, ['w'])
  const failing = makeTestHub(t, { catchUp: () => Promise.reject(new Error('the database is away')) })
  const late = failing.open()
  await late.began
  assert.equal(late.isEnded, true)
  assert.equal(failing.isListening(), false)
})
