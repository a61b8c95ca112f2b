// `npm run trial:failover -- --minutes 60 --seed 1`: Foyer on PostgreSQL with automatic failover and Redis with Sentinel,
// while its parts are killed, frozen and cut at random under load. Compares in the end what was acknowledged with what is
// there, and writes bench/results-failover.md. Everything runs on this machine, on loopback; see docs/operations.md.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { receiveWebhooks } from '../test/followers.ts'
import { compare, type Seen, settle } from './failover/check.ts'
import { insist, makeAnswers } from './failover/client.ts'
import { type Cluster, makeCluster, missingPrograms } from './failover/cluster.ts'
import { followFeed } from './failover/follow.ts'
import { chooseHarm, listHarms, makeRandom } from './failover/harms.ts'
import { makeLedger, startLoad } from './failover/load.ts'
import { type Foyer, makeFoyer } from './failover/processes.ts'
import { APP_SECRET, NUMBER_ID, startProvider } from './failover/provider.ts'
import { FAILOVER_MAX_MS, type Outage, writeReport } from './failover/report.ts'
import { findPrimary, hasReplica, longestGapMs, probeDatabase, query, until } from './failover/watch.ts'
import { log, ROOT } from './foyer.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    /** Only harms whose name contains this. */
    only: { type: 'string', default: '' },
    /** Where the report goes. */
    out: { type: 'string', default: join(ROOT, 'bench/results-failover.md') },
    /** Keeps the logs and the data. */
    keep: { type: 'boolean', default: false },
  },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
const TOKENS = 16
const AT_ONCE = 4
const START_MAX_MS = 240_000
/** After it, the cluster has failed for good. */
const RECOVER_MAX_MS = 180_000
const REPAIR_AFTER_MS = 90_000
const REST_MS = 3_000
const ID = /c[0-9a-z]{24}/
const SECRET = /foyer_[\w-]{43}/

const missing = missingPrograms()
if (missing.length > 0) {
  log(`Not installed: ${missing.join(', ')}`)
  process.exit(1)
}

const startCluster = async (cluster: Cluster): Promise<void> => {
  for (const program of cluster.programs) program.start()
  await until('the first primary', async () => (await findPrimary(cluster)) !== null, START_MAX_MS)
  await until('the first replica', () => hasReplica(cluster), START_MAX_MS)
  const admin = cluster.databaseUrl.replace('foyer@', 'postgres@').replace(/foyer$/, 'postgres')
  await until('HAProxy', () => query(admin, 'select 1').then(() => true), START_MAX_MS)
  await query(admin, 'create role foyer login')
  await query(admin, 'create database foyer owner foyer')
  await query(cluster.databaseUrl, 'create table trial_probe as select now() as at')
}

const startServers = async (foyer: Foyer): Promise<void> => {
  // The first applies the migrations; the others wait.
  for (const { program } of [...foyer.apis, ...foyer.workers]) program.start()
  for (const { url } of [...foyer.apis, ...foyer.workers])
    await until('Foyer', () => fetch(`${url}/readyz`).then(({ ok }) => ok), START_MAX_MS)
}

/** A workspace with tokens, a number at the provider and a website. */
const makePlace = async ({ command }: Foyer, providerUrl: string) => {
  const workspace = await command(ID, 'workspace', 'create', '--name', 'Trial', '--admin', 'a@trial.test')
  const to = ['--workspace', workspace]
  const webId = await command(ID, 'channel', 'add', 'web', ...to)
  const whatsappId = await command(
    ID,
    ...['channel', 'add', 'whatsapp', ...to, '--phone-number', '+15550783881'],
    ...['--phone-number-id', NUMBER_ID, '--business-account-id', '102290129340398'],
    ...['--access-token', 'EAAtrial', '--app-secret', APP_SECRET, '--verify-token', 'trial'],
    ...['--api-url', providerUrl],
  )
  const tokens: string[] = []
  while (tokens.length < TOKENS)
    tokens.push(
      ...(await Promise.all(
        Array.from({ length: AT_ONCE }, () => command(SECRET, 'token', 'create', ...to, '--name', 'Trial')),
      )),
    )
  return { webId, whatsappId, tokens }
}

let repairs = 0

/** Waits for a primary with a replica. Restarts Patroni, as an operator does, if it doesn't get there by itself. */
const recover = async (cluster: Cluster): Promise<void> => {
  const isThere = () => hasReplica(cluster)
  await until('a primary with a replica', isThere, REPAIR_AFTER_MS).catch(async () => {
    repairs++
    log(`${clock()} Patroni is restarted by hand`)
    for (const { patroni } of cluster.nodes) {
      await patroni.kill()
      patroni.start()
    }
    await until('a primary with a replica', isThere, RECOVER_MAX_MS)
  })
}

const clock = (): string => new Date().toISOString().slice(11, 19)

type Trial = { cluster: Cluster; foyer: Foyer; seen: Seen }

/** Harms at random until the time is over. After each, everything has to be back before the next. */
const doHarm = async ({ cluster, foyer, seen }: Trial): Promise<Outage[]> => {
  const random = makeRandom(seed)
  const harms = listHarms({ cluster, foyer, random }).filter(({ name }) => name.includes(values.only))
  const probe = probeDatabase(cluster.databaseUrl)
  const { acknowledged } = seen.ledger.api
  const outages: Outage[] = []
  const endMs = performance.now() + minutes * 60_000
  try {
    while (performance.now() < endMs) {
      await delay(REST_MS * (0.5 + random()))
      const harm = chooseHarm(harms, random)
      const before = await findPrimary(cluster)
      log(`${clock()} ${harm.name} …`)
      const startedMs = performance.now()
      await harm.run()
      await recover(cluster)
      for (const { url } of [...foyer.apis, ...foyer.workers])
        await until(`${url} to be ready`, () => fetch(`${url}/readyz`).then(({ ok }) => ok), RECOVER_MAX_MS)
      const count = acknowledged.length
      await until('an acknowledged reply', async () => acknowledged.length > count, RECOVER_MAX_MS)
      const nowMs = performance.now()
      const outage = {
        name: harm.name,
        foyerMs: longestGapMs(acknowledged, startedMs, nowMs),
        databaseMs: longestGapMs(probe.times, startedMs, nowMs),
        isFailover: (await findPrimary(cluster)) !== before,
      }
      outages.push(outage)
      log(
        `${clock()} ${harm.name}: ${outage.isFailover ? 'failover, ' : ''}no writes for ${(outage.foyerMs / 1_000).toFixed(1)} s (database ${(outage.databaseMs / 1_000).toFixed(1)} s)`,
      )
    }
  } finally {
    await probe.stop()
  }
  return outages
}

const versions = async (databaseUrl: string): Promise<string> => {
  const [row] = await query<{ version: string }>(
    databaseUrl,
    `select current_setting('server_version') as version`,
  )
  const patroni = execFileSync('/usr/bin/patroni', ['--version']).toString().trim()
  const haproxy = execFileSync('/usr/sbin/haproxy', ['-v']).toString().split(' ')[2]
  const etcd = execFileSync('/usr/bin/etcd', ['--version']).toString().split('\n')[0]!.split(': ')[1]
  return `PostgreSQL ${row!.version}, ${patroni}, etcd ${etcd}, HAProxy ${haproxy}.`
}

const root = mkdtempSync(join(tmpdir(), 'foyer-failover-'))
chmodSync(root, 0o755)
const busy = loadavg()[0]!
const cluster = await makeCluster(root)
const foyer = await makeFoyer(root, cluster)
log(`logs are in ${root}/logs; seed ${seed}`)
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

let isRight = false
try {
  await startCluster(cluster)
  log('the cluster is up')
  await startServers(foyer)
  const urls = foyer.apis.map(({ url }) => url)
  let channelId = ''
  const statuses = makeAnswers()
  const provider = await startProvider({ urls, channelId: () => channelId, answers: statuses })
  const { tokens, ...place } = await makePlace(foyer, provider.url)
  channelId = place.whatsappId
  const webhooks = await receiveWebhooks()
  const [own, ...rest] = tokens
  const endpoint = await insist(
    urls,
    {
      path: '/api/v1/webhook-endpoints',
      headers: { authorization: `Bearer ${own}`, 'idempotency-key': 'trial-endpoint' },
      body: JSON.stringify({ url: webhooks.url }),
    },
    makeAnswers(),
  )
  webhooks.setSecret(endpoint.secret)
  const ledger = makeLedger()
  const feed = followFeed(urls, own!)
  const seen: Seen = { ledger, received: provider.received, statuses, feed, webhooks }
  const load = await startLoad({ urls, tokens: rest, ...place }, ledger)
  log('the load is running')
  const outages = await doHarm({ cluster, foyer, seen })
  await load.stop()
  log('the load has ended; waiting for the queues')
  const left = await settle(cluster.databaseUrl, seen)
  const verdicts = await compare(cluster.databaseUrl, foyer, join(root, 'logs'), seen)
  const longestMs = Math.max(0, ...outages.filter((one) => one.isFailover).map(({ foyerMs }) => foyerMs))
  isRight = verdicts.every((one) => one.isRight) && longestMs <= FAILOVER_MAX_MS
  writeReport(values.out, {
    ...{ minutes, seed, outages, verdicts, seen, left, repairs },
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 1024 ** 3)} GiB, Linux ${release()}, Node ${process.version}; load average before it ${busy.toFixed(1)}, in the end ${loadavg()[0]!.toFixed(1)}.`,
    failedStarts: [...foyer.apis, ...foyer.workers].reduce(
      (sum, { program }) => sum + program.failedStarts(),
      0,
    ),
    versions: await versions(cluster.databaseUrl),
  })
  for (const one of verdicts)
    if (!one.isRight) log(`WRONG: ${one.what}: ${one.found}\n${one.examples.join('\n')}`)
  log(`${isRight ? 'all is right' : 'something is wrong'}; written to ${values.out}`)
  await feed.stop()
  await provider.stop()
  await webhooks.stop()
} finally {
  await Promise.all([...foyer.apis, ...foyer.workers].map(({ program }) => program.stop()))
  await Promise.all(cluster.programs.map((program) => program.killAll()))
  if (!values.keep) rmSync(root, { recursive: true, force: true })
}
process.exit(isRight ? 0 : 1)
