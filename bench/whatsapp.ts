// `npm run bench:whatsapp`: broadcasts against a provider that responds after 50 ms, and webhooks, over HTTP. A
// separate PostgreSQL, a real Foyer process; BENCH_SIZE=small tries all of it in a minute.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '../server/platform/db/embedded.ts'
import { log, runCommand, type Server, startFoyer, stop } from './foyer.ts'
import { median, paced, run } from './load.ts'
import { loadBefore, number, producedBy, writeResults } from './measured.ts'
import { type Provider, startProvider } from './provider.ts'
import { makePeople, makePlace, makeTemplate, nextWebhook, type WhatsappPlace } from './whatsapp-place.ts'

const isSmall = process.env.BENCH_SIZE === 'small'
const PEOPLE = isSmall ? 5_000 : 100_000
const LATENCY_MS = 50
const ROUNDS = isSmall ? 1 : 3
const PACED_PEOPLE = isSmall ? 800 : 3_200
const WINDOW_MS = isSmall ? 2_000 : 10_000
const CONNECTIONS = 20
const ACK_PER_SECOND = 300

type World = WhatsappPlace & { server: Server; provider: Provider; secret: string }

const call = async ({ server, secret }: World, method: string, path: string, body?: unknown) => {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'x-forwarded-for': address(),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  // biome-ignore lint/suspicious/noExplicitAny: the benchmark reads what the API documents
  return answer as any
}

let addresses = 0
/** Reads are rate-limited by address. */
const address = (): string => `10.9.${(addresses >> 8) & 255}.${addresses++ & 255}`

const rssOf = ({ child }: Server): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024

type Sent = { acceptedMs: number; perSecond: number; slowest: number; rssMax: number; rssBefore: number }

/** A broadcast from its request to its completion: how soon it is accepted and how fast it is sent. */
const sendBroadcast = async (world: World, audience: object, expected: number): Promise<Sent> => {
  const { provider, server } = world
  provider.reset()
  const rssBefore = rssOf(server)
  let rssMax = 0
  const watching = setInterval(() => {
    rssMax = Math.max(rssMax, rssOf(server))
  }, 100)
  const before = (await call(world, 'GET', '/broadcasts?limit=1')).broadcasts[0]?.id
  const startedMs = performance.now()
  const asked = call(world, 'POST', '/broadcasts', { templateName: 'sale', parameters: ['you'], audience })
  asked.catch(() => {})
  let id: string | undefined
  while (!id) {
    const [newest] = (await call(world, 'GET', '/broadcasts?limit=1')).broadcasts
    if (newest && newest.id !== before) id = newest.id
    else await Promise.race([delay(20), asked])
  }
  const acceptedMs = performance.now() - startedMs
  for (;;) {
    const { broadcast } = await call(world, 'GET', `/broadcasts/${id}`)
    if (broadcast.status !== 'sending') {
      if (broadcast.sentCount !== expected) throw new Error(`sent to ${broadcast.sentCount} of ${expected}`)
      break
    }
    await delay(100)
  }
  await asked
  clearInterval(watching)
  const { arrivals, perRecipient } = provider
  if (perRecipient.size !== expected || arrivals.length !== expected)
    throw new Error(`${arrivals.length} sends to ${perRecipient.size} recipients, ${expected} expected`)
  return { acceptedMs, ...rateOf(arrivals), rssMax, rssBefore }
}

/** The rate overall, and in the slowest full second. */
const rateOf = (arrivals: number[]): { perSecond: number; slowest: number } => {
  const [first, last] = [arrivals[0]!, arrivals.at(-1)!]
  const seconds = new Map<number, number>()
  for (const at of arrivals) {
    const second = Math.floor((at - first) / 1000)
    seconds.set(second, (seconds.get(second) ?? 0) + 1)
  }
  seconds.delete(Math.floor((last - first) / 1000))
  return {
    perSecond: (arrivals.length - 1) / ((last - first) / 1000),
    slowest: Math.min(...seconds.values()),
  }
}

const setPace = ({ client, number }: World, messagesPerSecond: number) =>
  client.query(
    `update channel_accounts set settings = settings || jsonb_build_object('messagesPerSecond', $2::int) where id = $1`,
    [number, messagesPerSecond],
  )

const measureBroadcasts = async (world: World): Promise<string[]> => {
  const rows = [
    '| Broadcast | accepted after, ms | sent per second | slowest second | memory before, MiB | peak memory, MiB |',
    '|---|---:|---:|---:|---:|---:|',
  ]
  const add = (name: string, sent: Sent[]): void => {
    const of = (key: keyof Sent) => number(median(sent.map((one) => one[key])))
    rows.push(
      `| ${name} | ${of('acceptedMs')} | ${of('perSecond')} | ${of('slowest')} | ${of('rssBefore')} | ${of('rssMax')} |`,
    )
    log(rows.at(-1)!)
  }
  const everybody = { type: 'filter', filter: { channel: 'whatsapp' } }
  const some = (count: number) => ({
    type: 'contacts',
    contactIds: Array.from({ length: count }, (_, n) => `cbench0p${String(n + 1).padStart(17, '0')}`),
  })
  await setPace(world, 1_000_000)
  const tenth = Math.min(PEOPLE / 10, 10_000)
  add(`${number(tenth)} contacts, no pace`, [await sendBroadcast(world, some(tenth), tenth)])
  const sent: Sent[] = []
  for (let round = 0; round < ROUNDS; round++) sent.push(await sendBroadcast(world, everybody, PEOPLE))
  add(`${number(PEOPLE)} contacts, no pace`, sent)
  await setPace(world, 80)
  add(`${number(PACED_PEOPLE)} contacts, 80 a second`, [
    await sendBroadcast(world, some(PACED_PEOPLE), PACED_PEOPLE),
  ])
  return rows
}

const measureWebhooks = async ({ server, number: channelId }: World): Promise<string[]> => {
  const rows = ['| Webhooks | per second | p50 ms | p99 ms |', '|---|---:|---:|---:|']
  const add = (name: string, loads: { perSecond: number; p50Ms: number; p99Ms: number }[]): void => {
    const of = (key: 'perSecond' | 'p50Ms' | 'p99Ms') => median(loads.map((load) => load[key]))
    rows.push(
      `| ${name} | ${number(of('perSecond'))} | ${of('p50Ms').toFixed(1)} | ${of('p99Ms').toFixed(1)} |`,
    )
    log(rows.at(-1)!)
  }
  for (const [who, isKnown] of [
    ['known senders', true],
    ['first-time senders', false],
  ] as const) {
    const next = () => nextWebhook(channelId, PEOPLE, isKnown)
    await run(server.port, { connections: CONNECTIONS, ms: 1_000, next })
    const full: Awaited<ReturnType<typeof run>>[] = []
    const calm: Awaited<ReturnType<typeof run>>[] = []
    for (let round = 0; round < ROUNDS; round++) {
      full.push(await run(server.port, { connections: CONNECTIONS, ms: WINDOW_MS, next }))
      calm.push(await paced(server.port, { perSecond: ACK_PER_SECOND, ms: WINDOW_MS, next }))
    }
    add(`${who}, ${CONNECTIONS} connections`, full)
    add(`${who}, ${ACK_PER_SECOND} a second`, calm)
  }
  return rows
}

const dataDir = mkdtempSync(join(tmpdir(), 'foyer-bench-whatsapp-'))
const postgres = await startEmbedded({ dataDir })
const provider = await startProvider(LATENCY_MS)
let server: Server | undefined
try {
  server = await startFoyer(dataDir)
  const place = await makePlace(dataDir, postgres.connectionString, provider)
  const { client, workspaceId } = place
  const secret = /foyer_[\w-]{43}/.exec(
    await runCommand(dataDir, 'token', 'create', '--workspace', workspaceId, '--name', 'Bench'),
  )![0]
  const world: World = { ...place, server, provider, secret }
  log(`making ${PEOPLE} people`)
  await makePeople(place, PEOPLE)
  await makeTemplate(place)
  const busy = loadBefore()
  const which = process.argv[2]
  const broadcasts = which === 'webhooks' ? [] : await measureBroadcasts(world)
  const webhooks = which === 'broadcasts' ? [] : await measureWebhooks(world)
  await client.end()
  writeResults('results-whatsapp', isSmall || which !== undefined, [
    '# WhatsApp, measured',
    '',
    producedBy({
      script: 'bench:whatsapp',
      postgres: 'the private PostgreSQL with fsync and synchronous_commit on',
      shared: 'One Foyer process, PostgreSQL, the provider and the load generator',
      busy,
    }),
    '',
    `The provider accepts every send and responds after ${LATENCY_MS} ms. A broadcast counts as accepted when another request sees it. The run fails unless every recipient gets exactly one send. Medians of ${ROUNDS} rounds for rows measured more than once.`,
    '',
    ...broadcasts,
    '',
    `Each signed webhook has one message and gets its response after the commit. In the rows at ${ACK_PER_SECOND} a second, requests are sent at a fixed rate, regardless of earlier responses.`,
    '',
    ...webhooks,
    '',
  ])
} finally {
  if (server) await stop(server.child)
  await provider.stop()
  await postgres.release()
  rmSync(dataDir, { recursive: true, force: true })
}
