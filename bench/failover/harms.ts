// What goes wrong in the trial: one thing at a time, or one thing and then a Foyer process in the middle of it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Foyer, Server } from './processes.ts'
import { type Program, postgresPids } from './program.ts'
import { findPrimary, query } from './watch.ts'

export type Harm = {
  name: string
  /** How often it is chosen, compared with the others. */
  weight: number
  /** Resolves when everything was started or thawed again. */
  run: () => Promise<void>
}

/** Repeatable with the same seed. */
export const makeRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Deps = { cluster: Cluster; foyer: Foyer; random: () => number }

export const listHarms = ({ cluster, foyer, random }: Deps): Harm[] => {
  const between = (fromMs: number, toMs: number): Promise<void> => delay(fromMs + random() * (toMs - fromMs))
  const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  const primary = async () => {
    const name = await findPrimary(cluster)
    return cluster.nodes.find((node) => node.name === name) ?? cluster.nodes[0]!
  }
  const replica = async () => {
    const { name } = await primary()
    return cluster.nodes.find((node) => node.name !== name)!
  }
  const killFor = async (program: Program, fromMs: number, toMs: number): Promise<void> => {
    await program.kill()
    await between(fromMs, toMs)
    program.start()
  }
  const loseFor = async (program: Program, fromMs: number, toMs: number): Promise<void> => {
    await program.killAll()
    await between(fromMs, toMs)
    program.start()
  }
  const freezeFor = async (program: Program, fromMs: number, toMs: number): Promise<void> => {
    program.freeze()
    await between(fromMs, toMs)
    program.thaw()
  }
  const anyFoyer = (): Server => oneOf([...foyer.apis, ...foyer.workers])
  /** A process of Foyer dies in the middle of it. */
  const withFoyer = async (work: Promise<void>): Promise<void> => {
    await between(0, 8_000)
    await killFor(anyFoyer().program, 500, 3_000)
    await work
  }

  const database: Harm[] = [
    {
      name: 'primary lost (machine)',
      weight: 4,
      run: async () => loseFor((await primary()).patroni, 12_000, 20_000),
    },
    {
      name: 'primary lost, and a Foyer process killed',
      weight: 3,
      run: async () => withFoyer(loseFor((await primary()).patroni, 12_000, 20_000)),
    },
    {
      name: 'primary frozen',
      weight: 3,
      run: async () => freezeFor((await primary()).patroni, 15_000, 25_000),
    },
    {
      name: 'primary’s PostgreSQL killed',
      weight: 3,
      run: async () => {
        const { directory } = await primary()
        killServer(directory)
      },
    },
    {
      name: 'primary’s Patroni killed',
      weight: 2,
      run: async () => killFor((await primary()).patroni, 15_000, 25_000),
    },
    { name: 'planned switchover', weight: 3, run: async () => switchOver(cluster, (await primary()).name) },
    {
      name: 'replica lost (machine)',
      weight: 2,
      run: async () => loseFor((await replica()).patroni, 5_000, 15_000),
    },
    {
      name: 'replica frozen',
      weight: 2,
      run: async () => freezeFor((await replica()).patroni, 8_000, 15_000),
    },
    {
      name: 'all database connections cut',
      weight: 2,
      run: async () => {
        const text = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'foyer' and pid <> pg_backend_pid()`
        await query(`postgresql://postgres@127.0.0.1:${(await primary()).port}/postgres`, text)
      },
    },
  ]
  const around: Harm[] = [
    { name: 'HAProxy killed', weight: 2, run: () => killFor(cluster.haproxy, 500, 3_000) },
    { name: 'HAProxy frozen', weight: 2, run: () => freezeFor(cluster.haproxy, 3_000, 8_000) },
    { name: 'an etcd member killed', weight: 1, run: () => killFor(oneOf(cluster.etcd), 5_000, 10_000) },
    { name: 'an etcd member frozen', weight: 1, run: () => freezeFor(oneOf(cluster.etcd), 5_000, 10_000) },
    { name: 'a Redis killed', weight: 2, run: () => killFor(oneOf(cluster.redis), 8_000, 15_000) },
    { name: 'a Redis frozen', weight: 2, run: () => freezeFor(oneOf(cluster.redis), 8_000, 12_000) },
    { name: 'a Sentinel killed', weight: 1, run: () => killFor(oneOf(cluster.sentinels), 3_000, 6_000) },
  ]
  const own: Harm[] = [
    { name: 'an API process killed', weight: 4, run: () => killFor(oneOf(foyer.apis).program, 500, 3_000) },
    {
      name: 'an API process frozen',
      weight: 3,
      run: () => freezeFor(oneOf(foyer.apis).program, 3_000, 15_000),
    },
    { name: 'a worker killed', weight: 4, run: () => killFor(oneOf(foyer.workers).program, 500, 3_000) },
    { name: 'a worker frozen', weight: 3, run: () => freezeFor(oneOf(foyer.workers).program, 3_000, 15_000) },
    {
      name: 'both workers killed',
      weight: 1,
      run: async () => {
        await Promise.all(foyer.workers.map(({ program }) => killFor(program, 500, 3_000)))
      },
    },
  ]
  return [...database, ...around, ...own]
}

/** A random harm, by weight. */
export const chooseHarm = (harms: readonly Harm[], random: () => number): Harm => {
  let left = random() * harms.reduce((sum, { weight }) => sum + weight, 0)
  for (const harm of harms) {
    left -= harm.weight
    if (left < 0) return harm
  }
  return harms.at(-1)!
}

/** SIGKILL to the server alone; Patroni notices. */
const killServer = (directory: string): void => {
  const [server] = postgresPids(directory)
  if (server) process.kill(server, 'SIGKILL')
}

/** As an operator does it before maintenance. */
const switchOver = async ({ nodes }: Cluster, leader: string): Promise<void> => {
  const { restPort } = nodes.find(({ name }) => name === leader)!
  const candidate = nodes.find(({ name }) => name !== leader)!.name
  await fetch(`http://127.0.0.1:${restPort}/switchover`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader, candidate }),
  })
    .then((response) => response.text())
    .catch(() => {})
}
