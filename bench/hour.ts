// `npm run trial:hour [-- --minutes 60 --seed 1]`: two agents and a dozen customers at work in real browsers, with bad
// days between. A ledger outside of Foyer says what each has sent and got; at the end nothing may be lost, sent twice or
// unknown to the person concerned. Writes bench/results-hour.md.

import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build, launchBrowser } from '../test/browser.ts'
import { log } from './foyer.ts'
import { ACTS, collide, NotPossible, type Scene } from './hour/acts.ts'
import { type Agent, leaveField, makeAgent } from './hour/agent.ts'
import { checkAll, settle } from './hour/checks.ts'
import { beCustomers, makeCustomers } from './hour/customers.ts'
import { followDatabase, listConversations, type Open } from './hour/follow.ts'
import { AGENTS, makeLedger } from './hour/ledger.ts'
import { preparePlace } from './hour/place.ts'
import { makeRandom } from './hour/random.ts'
import { writeReport } from './hour/report.ts'
import { TROUBLES } from './hour/trouble.ts'
import { type Memory, readMemory } from './hour/watch.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
})
const MINUTES = Number(values.minutes)
const SEED = Number(values.seed)
/** Everything that lasts is shortened. */
const IS_QUICK = MINUTES < 20
const SHOTS = process.env.HOUR_SHOTS
const CUSTOMER_PAUSE_MS: [number, number] = IS_QUICK ? [1_500, 5_000] : [4_000, 12_000]
const AGENT_PAUSE_MS: [number, number] = [500, 5_000]
const TROUBLE_PAUSE_MS: [number, number] = IS_QUICK ? [10_000, 20_000] : [60_000, 120_000]
const SETTLE_EVERY_MS = IS_QUICK ? 150_000 : 10 * 60_000

build()
const ledger = makeLedger()
const place = await preparePlace()
const browser = await launchBrowser()
const random = makeRandom(SEED)
const memories: Record<string, Memory[]> = {}
let isOver = false
let isResting = false
const rest = async (ms: number): Promise<void> => {
  const endMs = performance.now() + ms
  while ((performance.now() < endMs || isResting) && !isOver) await delay(100)
}

const chooseFor = async (agent: Agent, fits: (place: Open) => boolean): Promise<Open | undefined> => {
  const seen = (await listConversations(place)).filter(
    (one) => (agent.name === 'Robin' || one.assigned === 'Jane') && fits(one),
  )
  return seen.length > 0 ? random.pick(seen.slice(0, 8)) : undefined
}

const recover = async (agent: Agent): Promise<void> => {
  await agent.page.keyboard.press('Escape').catch(() => {})
  await leaveField(agent.page).catch(() => {})
  await agent.page.goto(`${agent.base}/inbox/open`).catch(() => {})
}

let shots = 0
const attempt = async (agent: Agent, name: string, work: () => Promise<unknown>): Promise<void> => {
  const fromMs = performance.now()
  try {
    await work()
    ledger.count(name, 'done')
  } catch (error) {
    if (error instanceof NotPossible) return
    const isHindered = ledger.isTroubled(
      name === 'cross' ? null : agent.name,
      fromMs,
      performance.now(),
      20_000,
    )
    ledger.count(name, isHindered ? 'hindered' : 'failed')
    if (!isHindered) {
      if (SHOTS) await agent.page.screenshot({ path: `${SHOTS}/${++shots}.png` }).catch(() => {})
      const reason = String(error).replaceAll(/\s+/g, ' ').slice(0, 300)
      ledger.find('act', `${agent.name}: ${name}: ${reason} [picture ${shots}] at ${agent.page.url()}`)
    }
    await recover(agent)
  }
}

const scene: Scene = { random, ledger }
const work = async (agent: Agent): Promise<void> => {
  while (!isOver) {
    await rest(random.between(...AGENT_PAUSE_MS))
    if (isOver) return
    const act = random.weighted(ACTS.map((one) => [one.weight, one] as const))
    const conversation = await chooseFor(agent, (one) => act.fits(one, agent.name))
    if (!conversation) continue
    await agent.alone(() => attempt(agent, act.name, () => act.run(scene, agent, conversation)))
  }
}

const crossing = async ([robin, jane]: readonly Agent[]): Promise<void> => {
  while (!isOver) {
    await rest(random.between(30_000, 60_000))
    const [first, second] = random.chance(0.5) ? [robin!, jane!] : [jane!, robin!]
    await robin!.alone(() =>
      jane!.alone(async () => {
        const conversation = await chooseFor(jane!, ({ status }) => status === 'open')
        if (conversation) await attempt(first, 'cross', () => collide(scene, first, second, conversation))
      }),
    )
  }
}

const troubles = async (agents: readonly Agent[]): Promise<void> => {
  const choose = (agent: Agent) => chooseFor(agent, ({ status }) => status === 'open')
  for (let turn = 0; !isOver; turn++) {
    await rest(random.between(...TROUBLE_PAUSE_MS))
    if (isOver) return
    const trouble = TROUBLES[turn % TROUBLES.length]!
    await trouble({ ...scene, place, agents, choose, isQuick: IS_QUICK }).catch((error) =>
      ledger.find('trial', `${trouble.name}: ${String(error).slice(0, 300)}`),
    )
  }
}

const remember = async (agents: readonly Agent[]): Promise<void> => {
  for (const { name, clients } of agents)
    for (const [which, client] of Object.entries(clients)) {
      const known = memories[`${name}, ${which}`] ?? []
      memories[`${name}, ${which}`] = [...known, await readMemory(client)]
    }
}

try {
  const chat = await (await browser.newContext({ viewport: { width: 900, height: 800 } })).newPage()
  chat.on('pageerror', (error) => ledger.find('page error', `chat box: ${error.message}`))
  await chat.goto(place.shop.url)
  const customers = makeCustomers({ place, random }, chat)
  const agents: Agent[] = []
  for (const name of AGENTS) agents.push(await makeAgent({ place, ledger, name }))
  await agents[0]!.page.evaluate(
    `Promise.all(${JSON.stringify([
      { id: 'c0000000000000000000000r1', name: 'Thanks', closes: false },
      { id: 'c0000000000000000000000r2', name: 'Done', closes: true },
    ])}.map(({ id, ...rest }) => fetch('/console/api/workspaces/${place.workspaceId}/saved-replies/shared/' + id, {
      method: 'PUT', headers: { 'x-foyer-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ ...rest, shortcut: rest.name.toLowerCase(), folder: null, body: 'Thank you for writing, {{contact.name}}!', channels: [], tagIds: [], assigneeId: null }),
    })))`,
  )
  log(`two agents and ${customers.length} customers for ${MINUTES} min, seed ${SEED}`)
  let hasStopped = false
  const following = followDatabase(place, ledger, () => hasStopped)
  const endMs = performance.now() + MINUTES * 60_000
  const everything = Promise.all([
    beCustomers({ random, ledger, customers, pauseMs: CUSTOMER_PAUSE_MS }, { isOver: () => isOver, rest }),
    ...agents.map(work),
    crossing(agents),
    troubles(agents),
  ])
  let settledMs = performance.now()
  await delay(Math.min(60_000, MINUTES * 10_000))
  await remember(agents)
  while (performance.now() < endMs) {
    await delay(1_000)
    if (performance.now() - settledMs < SETTLE_EVERY_MS || ledger.troubles.some(({ toMs }) => toMs === null))
      continue
    isResting = true
    await settle({ place, ledger, agents })
    await remember(agents)
    isResting = false
    settledMs = performance.now()
    log(
      `${Math.round((settledMs - ledger.startMs) / 60_000)} min: ${ledger.written.size} written, ${ledger.replies.size} replied`,
    )
  }
  isOver = true
  await everything
  await settle({ place, ledger, agents })
  await remember(agents)
  hasStopped = true
  await following
  const results = await checkAll({ place, ledger, agents, customers })
  writeReport({ minutes: MINUTES, seed: SEED, isTrial: MINUTES < 60, ledger, memories, results, place })
  for (const agent of agents) await agent.close()
} finally {
  await browser.close()
  await place.stop()
}
process.exit(ledger.findings.length > 0 ? 1 : 0)
