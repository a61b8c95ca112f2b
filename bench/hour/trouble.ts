// Bad days: the server is killed, a network is cut, a provider hangs or answers with errors, a window is a phone's.
import { setTimeout as delay } from 'node:timers/promises'
import { reply, type Scene } from './acts.ts'
import type { Agent } from './agent.ts'
import type { Open } from './follow.ts'
import type { Place } from './place.ts'

type Given = Scene & {
  place: Place
  agents: readonly Agent[]
  /** A conversation that this agent can reply in. */
  choose: (agent: Agent) => Promise<Open | undefined>
  isQuick: boolean
}

const killServer = async ({ place, ledger, agents, random, choose, ...scene }: Given): Promise<void> => {
  const agent = random.pick(agents)
  const conversation = await choose(agent)
  await agent.alone(async () => {
    const write = async (): Promise<void> => {
      if (conversation) await reply({ ...scene, random, ledger }, agent, conversation, false).catch(() => {})
    }
    // Its confirmation may be lost, and the second one is written while nobody answers.
    const first = write()
    await delay(random.between(300, 1_500))
    const trouble = ledger.beginTrouble('the server is killed with -9', null)
    await place.server.kill()
    await first
    await write()
    await delay(random.between(500, 4_000))
    await place.server.restart()
    ledger.endTrouble(trouble)
  })
}

const cutFor = ({ random, isQuick }: Given): number =>
  isQuick ? random.between(8_000, 15_000) : random.between(30_000, 60_000)

/** What the agent writes meanwhile has to arrive afterwards. */
const whileCut = async (
  given: Given,
  what: string,
  { cut, mend }: { cut: (agent: Agent) => unknown; mend: (agent: Agent) => unknown },
): Promise<void> => {
  const { ledger, random, agents, choose } = given
  const agent = random.pick(agents)
  const conversation = await choose(agent)
  await agent.alone(async () => {
    if (conversation) await reply(given, agent, conversation).catch(() => {})
    const trouble = ledger.beginTrouble(what, agent.name)
    await cut(agent)
    if (conversation) {
      await reply(given, agent, conversation, false).catch(() => {})
      await reply(given, agent, conversation, false).catch(() => {})
    }
    await delay(cutFor(given))
    await mend(agent)
    ledger.endTrouble(trouble)
  })
}

const goOffline = (given: Given) =>
  whileCut(given, 'the network is off', {
    cut: (agent) => agent.setOffline(true),
    mend: (agent) => agent.setOffline(false),
  })

const cutSilently = (given: Given) =>
  whileCut(given, 'the network is silent', {
    cut: ({ proxy }) => proxy.freeze(),
    mend: ({ proxy }) => proxy.thaw(),
  })

/** As when a router forgets its connections: the page has to notice by itself. */
const forget = async ({ ledger, random, agents }: Given): Promise<void> => {
  const agent = random.pick(agents)
  const trouble = ledger.beginTrouble('open connections are forgotten', agent.name)
  agent.proxy.forget()
  // The stream notices after 45 seconds of silence, which it looks for every five.
  await delay(52_000)
  ledger.endTrouble(trouble)
}

const spoilProvider = async (given: Given): Promise<void> => {
  const { place, ledger, random, isQuick } = given
  const { control } = place.sandbox
  const app = random.pick(['whatsapp', 'mail', 'telegram', 'messenger', 'sms'] as const)
  const kind = random.pick(['hang', 'drop', 'server-error'] as const)
  // It concerns no agent's page.
  ledger.checks.push(`${app}: ${kind} for a while`)
  process.stderr.write(`  ~ ${app}: ${kind}\n`)
  const lastsMs = isQuick ? 15_000 : 60_000
  if (app === 'whatsapp') {
    const { id } = control.addFault({ kind, times: null })
    await delay(lastsMs)
    control.removeFault(id)
    return
  }
  const input =
    kind === 'server-error'
      ? ({ app, kind: 'refuse', code: { mail: 451, telegram: 500, messenger: 2, sms: 20_500 }[app] } as const)
      : ({ app, kind } as const)
  const { id } = control.addFailure({ ...input, times: 1_000 })
  await delay(lastsMs)
  control.removeFailure(id)
}

const switchToPhone = async (given: Given): Promise<void> => {
  const agent = given.random.pick(given.agents)
  process.stderr.write(`  ~ ${agent.name} has a phone\n`)
  await agent.alone(() => agent.setPhone(true))
  await delay(given.isQuick ? 20_000 : 120_000)
  await agent.alone(() => agent.setPhone(false))
}

export const TROUBLES = [killServer, goOffline, cutSilently, spoilProvider, forget, switchToPhone]
