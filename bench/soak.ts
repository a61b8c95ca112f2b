// `npm run bench:soak`: whether a Foyer process's memory stays constant. A mixed load at a fixed rate over HTTP:
// customers write on WhatsApp and agents reply there and on a website; programs list and search; visitors arrive, watch
// their thread and leave. SOAK_SECONDS sets the duration (300).
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { log, runCommand, startFoyer, stop } from './foyer.ts'
import { paced, type Request } from './load.ts'
import { makeWebhooks, startProvider } from './provider.ts'

const SECONDS = Number(process.env.SOAK_SECONDS ?? 300)
const INBOUND_PER_SECOND = 20
const ANSWERS_PER_SECOND = 10
const READS_PER_SECOND = 40
const VISITS_PER_SECOND = 2
const STAY_MS = 5_000
const SAMPLE_MS = 1_000
const PEOPLE = 500
const APP_SECRET = 'soak-app-secret'
const NUMBER_ID = '106540352242922'
/** Writes are limited to sixty a minute per token. */
const TOKENS = 20

const dataDir = mkdtempSync(join(tmpdir(), 'foyer-soak-'))
chmodSync(dataDir, 0o755)
const provider = await startProvider(50)
const server = await startFoyer(dataDir)
const { port, child } = server
const url = `http://127.0.0.1:${port}`
const resident = (): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024)

const ID = /c[0-9a-z]{24}/
const SECRET = /foyer_[\w-]{43}/
/** The part of a command's output that matches `wanted`. */
const foyer = async (wanted: RegExp, ...args: string[]): Promise<string> =>
  wanted.exec(await runCommand(dataDir, ...args))![0]

let turn = 0
const address = (): string => `10.${(turn >> 16) & 255}.${(turn >> 8) & 255}.${turn++ & 255}`

try {
  const workspaceId = await foyer(ID, 'workspace', 'create', '--name', 'Soak', '--admin', 'a@soak.test')
  const to = ['--workspace', workspaceId]
  const tokens: string[] = []
  for (let n = 0; n < TOKENS; n++)
    tokens.push(await foyer(SECRET, 'token', 'create', ...to, '--name', `Soak ${n}`))
  const webId = await foyer(ID, 'channel', 'add', 'web', ...to)
  const whatsappId = await foyer(
    ID,
    ...[
      'channel',
      'add',
      'whatsapp',
      ...to,
      '--phone-number',
      '+15550783881',
      '--phone-number-id',
      NUMBER_ID,
    ],
    ...['--business-account-id', '102290129340398', '--access-token', 'EAAsoak', '--app-secret', APP_SECRET],
    ...['--verify-token', 'soak', '--api-url', provider.url],
  )
  log(`soaking ${url} for ${SECONDS} s`)

  const webhookOf = makeWebhooks(APP_SECRET, NUMBER_ID)
  const inbound = (): Request => {
    const webhook = webhookOf({
      accountId: whatsappId,
      waId: `3519${String(100_000_000 + (turn % PEOPLE))}`,
      name: `Person ${turn % PEOPLE}`,
      id: `wamid.soak.${turn}`,
      text: `Where is order ${turn}? It should have been here a while ago.`,
    })
    return { ...webhook, headers: { ...webhook.headers, 'X-Forwarded-For': address() } }
  }
  const asProgram = (method: string, path: string, body?: object): Request => ({
    method,
    path: `/api/v1${path}`,
    headers: { Authorization: `Bearer ${tokens[turn % TOKENS]}`, 'X-Forwarded-For': address() },
    ...(body && { body: JSON.stringify(body) }),
  })
  const newest = async (): Promise<string[]> => {
    const { path, headers } = asProgram('GET', '/conversations?limit=100')
    const answer = await (await fetch(url + path, { headers })).json()
    return (answer as { conversations: { id: string }[] }).conversations.map(({ id }) => id)
  }
  /** A visitor on the website: creates a session, sends a message, and follows the thread for a while. */
  const visit = async (): Promise<void> => {
    const widget = `${url}/widget/${webId}`
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address() }
    const started = await fetch(`${widget}/session`, { method: 'POST', headers, body: '{}' })
    const { token } = (await started.json()) as { token: string }
    const own = { ...headers, authorization: `Bearer ${token}` }
    const leaving = AbortSignal.timeout(STAY_MS)
    const stream = await fetch(`${widget}/events`, { headers: own, signal: leaving })
    await fetch(`${widget}/messages`, {
      method: 'POST',
      headers: own,
      body: JSON.stringify({ body: 'Do you have it in blue?', clientId: crypto.randomUUID() }),
    })
    await stream.body?.pipeTo(new WritableStream()).catch(() => {})
  }

  const samples: number[] = []
  const watching = setInterval(() => {
    samples.push(resident())
    if (samples.length % 30 === 0) log(`${samples.length} s: ${samples.at(-1)} MiB`)
  }, SAMPLE_MS)
  const startMib = resident()
  const ms = SECONDS * 1000
  const endMs = performance.now() + ms
  await paced(port, { perSecond: INBOUND_PER_SECOND, ms: 2_000, next: inbound })
  let known = await newest()
  const refresh = setInterval(() => {
    void newest().then((ids) => {
      known = ids
    })
  }, 5_000)
  const one = (): string => known[turn % known.length]!
  const READS = [
    () => '/conversations?limit=50',
    () => '/conversations?q=order',
    () => '/messages?limit=50',
    () => '/contacts',
    () => `/conversations/${one()}/messages`,
  ]
  const visits = async (): Promise<void> => {
    const under: Promise<void>[] = []
    while (performance.now() < endMs) {
      under.push(visit())
      await delay(1_000 / VISITS_PER_SECOND)
    }
    await Promise.all(under)
  }
  const [received, answered, read] = await Promise.all([
    paced(port, { perSecond: INBOUND_PER_SECOND, ms, next: inbound }),
    paced(port, {
      perSecond: ANSWERS_PER_SECOND,
      ms,
      next: () => asProgram('POST', `/conversations/${one()}/messages`, { body: 'It left yesterday.' }),
    }),
    paced(port, {
      perSecond: READS_PER_SECOND,
      ms,
      next: () => asProgram('GET', READS[turn % READS.length]!()),
    }),
    visits(),
  ])
  clearInterval(watching)
  clearInterval(refresh)
  const median = (part: number[]): number => part.sort((a, b) => a - b)[part.length >> 1]!
  const quarter = Math.floor(samples.length / 4)
  console.log(
    JSON.stringify({
      seconds: SECONDS,
      residentMib: {
        start: startMib,
        quarters: [0, 1, 2, 3].map((n) => median(samples.slice(n * quarter, (n + 1) * quarter))),
        max: Math.max(...samples),
      },
      p99Ms: [received, answered, read].map(({ p99Ms }) => Math.round(p99Ms)),
      load: loadavg()[0]?.toFixed(1),
    }),
  )
} finally {
  await stop(child)
  await provider.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
