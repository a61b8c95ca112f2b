// The database is put back to an earlier copy of itself: programs that follow the feed, and receivers of webhooks, notice,
// and miss nothing of what happens from then on.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import {
  atTheEnd,
  call,
  command,
  makeWorkspace,
  type Running,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'

type Event = {
  id: string
  type: string
  sequence: number
  epoch: string
  contactId: string | null
  cursor: string
}
type Page = { events: Event[]; cursor: string; hasMore: boolean; covers: { epoch: string } }

const startReceiver = async () => {
  const received: Event[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push(JSON.parse(body))
    response.writeHead(204).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atTheEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

/** The only thing that a receiver keeps: of each contact, the newest event, by epoch and then by number. */
const newestOf = (received: readonly Event[]): Map<string, Event> => {
  const newest = new Map<string, Event>()
  for (const event of received) {
    const known = newest.get(event.contactId ?? '')
    const isNewer =
      !known || event.epoch > known.epoch || (event.epoch === known.epoch && event.sequence > known.sequence)
    if (isNewer) newest.set(event.contactId ?? '', event)
  }
  return newest
}

const startPlace = async () => {
  const parent = temporaryDirectory()
  const [data, copy] = [`${parent}/data`, `${parent}/copy`]
  const env = { DATA_DIR: data, SECRET_KEY: 'a key for the tests, of forty characters' }
  let foyer: Running = await serve(env)
  const { secret, workspaceId } = await makeWorkspace(env)
  const api = (method: string, path: string, body?: unknown) =>
    call(foyer.url, secret, method, `/api/v1${path}`, body)
  const receiver = await startReceiver()
  assert.equal((await api('POST', '/webhook-endpoints', { url: receiver.url })).status, 200)
  let count = 0
  /** So many customers write for the first time. Returns the cursors after each event that there is then. */
  const write = async (customers: number): Promise<string[]> => {
    for (let at = 0; at < customers; at++) {
      const email = `customer${count++}@example.org`
      const { status, body } = await api('POST', '/conversations', {
        email,
        channel: 'web',
        message: 'Hello',
      })
      assert.equal(status, 200, JSON.stringify(body))
    }
    const { total } = (await api('GET', '/contacts')).body
    return until('the feed', async () => {
      const { events, cursor } = await readFrom('from=oldest')
      const known = events.filter(({ type }) => type === 'contact.created').length
      return known === total && [...events.map(({ cursor }) => cursor), cursor]
    })
  }
  const readFrom = async (start: string): Promise<Page> => {
    const { status, body } = await api('GET', `/events?${start}&limit=500`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  return {
    ...{ env, workspaceId, receiver, api, write, readFrom },
    save: async () => {
      await foyer.stop()
      execFileSync('cp', ['-a', data, copy])
      foyer = await serve(env)
    },
    /** Back to the copy. */
    restore: async () => {
      await foyer.stop()
      rmSync(data, { recursive: true })
      execFileSync('cp', ['-a', copy, data])
      foyer = await serve(env)
    },
    statusOf: async (cursor: string) => (await api('GET', `/events?cursor=${cursor}`)).status,
    arrived: (events: readonly Event[]) =>
      until('the webhooks', () => events.every(({ id }) => receiver.received.some((one) => one.id === id))),
  }
}

const place = await startPlace()

test('after going back to a copy every old cursor answers 410, and nobody misses what happens then', async () => {
  const before = await place.write(2)
  await place.save()
  const old = await place.write(3)
  await place.arrived((await place.readFrom('from=oldest')).events)
  const lost = old.filter((cursor) => !before.includes(cursor))
  assert.ok(lost.length > 3)
  const { epoch } = (await place.readFrom('from=now')).covers
  await place.restore()
  const sentBefore = place.receiver.received.length

  // A follower asks with what it had, and one that comes later finds its number given to another event.
  assert.equal(await place.statusOf(lost.at(-1)!), 410)
  await place.write(4)
  for (const cursor of lost) assert.equal(await place.statusOf(cursor), 410)
  await until('the new epoch', async () => (await place.readFrom('from=now')).covers.epoch > epoch)
  for (const cursor of before) assert.equal(await place.statusOf(cursor), 410)

  // It reads what is there, and follows from before that: all of it, once or more.
  const { cursor, events } = await place.readFrom('from=sync')
  await place.write(2)
  const followed = [...events, ...(await place.readFrom(`cursor=${cursor}`)).events]
  const all = (await place.readFrom('from=oldest')).events
  const isNew = all.filter((event) => event.epoch > epoch)
  assert.ok(isNew.length > 6)
  for (const { id } of isNew)
    assert.ok(
      followed.some((event) => event.id === id),
      'a follower missed an event',
    )
  assert.deepEqual(
    all.map(({ sequence }) => sequence),
    all.map((_, index) => index + 1),
  )

  // The receiver has seen the same numbers before: the epoch says that these are newer.
  await place.arrived(isNew)
  const later = place.receiver.received.slice(sentBefore)
  const known = new Set(place.receiver.received.slice(0, sentBefore).map(({ sequence }) => sequence))
  assert.ok(later.some(({ sequence }) => known.has(sequence)))
  for (const event of later.filter(({ id }) => !all.some((one) => one.id === id)))
    assert.fail(`an event was sent that is not in the feed: ${JSON.stringify(event)}`)
  const newest = newestOf(place.receiver.received)
  for (const { contactId, epoch, sequence } of newestOf(all).values())
    assert.deepEqual(
      [newest.get(contactId ?? '')?.epoch, newest.get(contactId ?? '')?.sequence],
      [epoch, sequence],
    )
})

test('after “foyer restored”, the first event already has another epoch', async () => {
  const { epoch } = (await place.readFrom('from=now')).covers
  await place.restore()
  const said = await command(place.env, 'restored')
  assert.ok(said.epoch > epoch)
  await place.write(1)
  const { events } = await place.readFrom('from=oldest')
  assert.equal(events.find((event) => event.sequence === events.length)?.epoch, said.epoch)
  await place.arrived(events.filter((event) => event.epoch === said.epoch))
})
