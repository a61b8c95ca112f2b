// `npm run bench:processes`: webhooks received by one, two and four API processes, and a broadcast sent by one, two and
// four workers, with the processor time of each side, which says what the limit is. A PostgreSQL of its own;
// BENCH_SIZE=small tries all of it in a minute.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '../server/platform/db/embedded.ts'
import { log, runCommand, type Server, startFoyer, stop } from './foyer.ts'
import { median, run } from './load.ts'
import { IS_TRIAL, loadBefore, number, processorMs, producedBy, writeResults } from './measured.ts'
import { type Provider, startProvider } from './provider.ts'
import { makePeople, makePlace, makeTemplate, nextWebhook, type WhatsappPlace } from './whatsapp-place.ts'

const PROCESSES = [1, 2, 4]
const PEOPLE = IS_TRIAL ? 2_000 : 5_000
const ROUNDS = IS_TRIAL ? 1 : 3
const WINDOW_MS = IS_TRIAL ? 2_000 : 5_000
const CONNECTIONS = 20
const LATENCY_MS = 50
const GOAL = 1.7

/** What was done in a second, and the milliseconds of processor time for one. */
type Figures = { perSecond: number; foyer: number; postgres: number; own: number }

type World = {
  dataDir: string
  place: WhatsappPlace
  provider: Provider
  secret: string
  postgresPid: number
}

const withProcesses = async <T>(
  { dataDir }: World,
  roles: readonly ('api' | 'worker')[],
  work: (servers: Server[]) => Promise<T>,
): Promise<T> => {
  const servers: Server[] = []
  try {
    for (const role of roles) servers.push(await startFoyer(dataDir, { args: ['--role', role] }))
    return await work(servers)
  } finally {
    await Promise.all(servers.map(({ child }) => stop(child)))
  }
}

/** Does something so many times, and says how fast and at what cost. */
const measured = async (
  { postgresPid }: World,
  servers: readonly Server[],
  work: () => Promise<{ perSecond: number; count: number }>,
): Promise<Figures> => {
  const spent = () => ({
    foyer: processorMs(servers.map(({ child }) => child.pid!)),
    postgres: processorMs([postgresPid]),
    own: process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
  })
  const before = spent()
  const { perSecond, count } = await work()
  const after = spent()
  return {
    perSecond,
    foyer: (after.foyer - before.foyer) / count,
    postgres: (after.postgres - before.postgres) / count,
    own: (after.own - before.own) / count,
  }
}

const receive = (world: World, servers: readonly Server[]): Promise<Figures> => {
  const next = () => nextWebhook(world.place.number, PEOPLE)
  const connections = CONNECTIONS / servers.length
  return measured(world, servers, async () => {
    const loads = await Promise.all(
      servers.map(({ port }) => run(port, { connections, ms: WINDOW_MS, next })),
    )
    const perSecond = loads.reduce((sum, load) => sum + load.perSecond, 0)
    return { perSecond, count: (perSecond * WINDOW_MS) / 1_000 }
  })
}

const broadcast = async (world: World, servers: readonly Server[]): Promise<Figures> => {
  const { provider, secret } = world
  provider.reset()
  return measured(world, servers, async () => {
    const response = await fetch(`http://127.0.0.1:${servers[0]!.port}/api/v1/broadcasts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        templateName: 'sale',
        parameters: ['you'],
        audience: { type: 'filter', filter: { channel: 'whatsapp' } },
      }),
    })
    if (!response.ok) throw new Error(`the broadcast: ${response.status} ${await response.text()}`)
    const sentTo = () =>
      world.place.client.query('select count(*) from deliveries where state = $1', ['pending'])
    while (provider.arrivals.length < PEOPLE || Number((await sentTo()).rows[0].count) > 0) await delay(100)
    const { arrivals, perRecipient } = provider
    if (perRecipient.size !== PEOPLE || arrivals.length !== PEOPLE)
      throw new Error(`${arrivals.length} sends to ${perRecipient.size} recipients, ${PEOPLE} expected`)
    return {
      perSecond: (arrivals.length - 1) / ((arrivals.at(-1)! - arrivals[0]!) / 1_000),
      count: PEOPLE,
    }
  })
}

const tableOf = (what: string, all: readonly [number, Figures][]): string[] => [
  `| ${what} | a second | times one process | processor ms, Foyer | PostgreSQL | generator | together | a second that ${cpus().length} free cores allow |`,
  '|---|---:|---:|---:|---:|---:|---:|---:|',
  ...all.map(([count, { perSecond, foyer, postgres, own }]) => {
    const together = foyer + postgres + own
    const cells = [
      `${count} ${count === 1 ? 'process' : 'processes'}`,
      number(perSecond),
      (perSecond / all[0]![1].perSecond).toFixed(2),
      ...[foyer, postgres, own, together].map((ms) => ms.toFixed(2)),
      number((cpus().length * 1_000) / together),
    ]
    return `| ${cells.join(' | ')} |`
  }),
]

const medians = (rounds: readonly Figures[]): Figures => {
  const of = (key: keyof Figures) => median(rounds.map((round) => round[key]))
  return { perSecond: of('perSecond'), foyer: of('foyer'), postgres: of('postgres'), own: of('own') }
}

const measure = async (world: World): Promise<string[]> => {
  const received: [number, Figures][] = []
  const sent: [number, Figures][] = []
  for (const count of PROCESSES) {
    const apis = Array.from({ length: count }, () => 'api' as const)
    await withProcesses(world, apis, async (servers) => {
      await receive(world, servers)
      const rounds: Figures[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await receive(world, servers))
      received.push([count, medians(rounds)])
    })
    log(tableOf('Webhooks', received).at(-1)!)
    const workers = Array.from({ length: count }, () => 'worker' as const)
    await withProcesses(world, ['api', ...workers], async (servers) => {
      const rounds: Figures[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await broadcast(world, servers))
      sent.push([count, medians(rounds)])
    })
    log(tableOf('Sends', sent).at(-1)!)
  }
  return [...tableOf('Webhooks received by', received), '', ...tableOf('Sends of a broadcast by', sent)]
}

const dataDir = mkdtempSync(join(tmpdir(), 'foyer-bench-processes-'))
const postgres = await startEmbedded({ dataDir })
const provider = await startProvider(LATENCY_MS)
let first: Server | undefined
try {
  first = await startFoyer(dataDir)
  const place = await makePlace(dataDir, postgres.connectionString, provider)
  const { client, workspaceId } = place
  const secret = /foyer_[\w-]{43}/.exec(
    await runCommand(dataDir, 'token', 'create', '--workspace', workspaceId, '--name', 'Bench'),
  )![0]
  await stop(first.child)
  await makePeople(place, PEOPLE)
  await makeTemplate(place)
  await client.query(
    `update channel_accounts set settings = settings || '{"messagesPerSecond": 1000000}' where id = $1`,
    [place.number],
  )
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postgresPid = Number(/\) \S+ (\d+)/.exec(readFileSync(`/proc/${rows[0]!.pid}/stat`, 'utf8'))![1])
  const busy = loadBefore()
  const tables = await measure({ dataDir, place, provider, secret, postgresPid })
  await client.end()
  writeResults('results-processes', IS_TRIAL, [
    '# Several processes, measured',
    '',
    producedBy({
      script: 'bench:processes',
      postgres: 'the private PostgreSQL with fsync and synchronous_commit on',
      shared: 'The Foyer processes, PostgreSQL, and this script, which is also the provider,',
      busy,
    }),
    '',
    `Signed webhooks with one message each from ${number(PEOPLE)} known senders on ${CONNECTIONS} connections, answered after the commit, by API processes alone; and a broadcast to ${number(PEOPLE)} people, accepted by one API process and sent by workers to a provider that responds after ${LATENCY_MS} ms. Medians of ${ROUNDS} rounds. Two processes should do ${GOAL} times what one does where something else is not the limit. *Processor ms* are of one webhook or send. The last column is what the cores could do if nothing else ran on them: where it is not far above the rate, the cores are the limit and not the number of processes.`,
    '',
    ...tables,
    '',
  ])
} finally {
  if (first) await stop(first.child)
  await provider.stop()
  await postgres.release()
  rmSync(dataDir, { recursive: true, force: true })
}
