// What every table of results says about where its figures come from.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { type QueryExecutorProvider, sql } from 'kysely'
import { log, ROOT } from './foyer.ts'
import { median } from './load.ts'

/** Above this load, something else was running. */
const QUIET_LOAD = 1

export const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)

/** Of the last minute; to be read before the first measurement. */
export const loadBefore = (): number => loadavg()[0]!

type Produced = {
  /** Of `npm run`. */
  script: string
  postgres: string
  /** What used the cores. */
  shared: string
  busy: number
  /** What the figures are worth if other programs were using the machine. */
  caveat?: string
}

export const producedBy = ({
  script,
  postgres,
  shared,
  busy,
  caveat = 'so the figures are too low.',
}: Produced): string =>
  [
    `Produced by \`npm run ${script}\` on ${new Date().toISOString().slice(0, 10)}.`,
    `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 1024 ** 3)} GiB, Linux ${release()}, Node ${process.version}, ${postgres}.`,
    `${shared} share the cores.`,
    `The load average before the first measurement was ${busy.toFixed(1)}.`,
    ...(busy > QUIET_LOAD ? [`Other programs were using the machine, ${caveat}`] : []),
  ].join(' ')

/** Writes `bench/<name>.md`; the results of a trial go to the temporary directory. */
export const writeResults = (name: string, isTrial: boolean, lines: readonly string[]): void => {
  const target = isTrial ? join(tmpdir(), `foyer-bench-${name}.md`) : join(ROOT, `bench/${name}.md`)
  writeFileSync(target, lines.join('\n'))
  log(`written to ${target}`)
}

/** With BENCH_SIZE=small, everything is tried in a minute, and the results go to the temporary directory. */
export const IS_TRIAL = process.env.BENCH_SIZE === 'small'

/** Of the last minute, beside a figure. */
export const load = (): string => loadavg()[0]!.toFixed(1)

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!

/** The server that was measured, and whether its commits waited for the disk. */
export const postgresOf = async (db: QueryExecutorProvider): Promise<string> => {
  const { rows } = await sql<{ version: string; fsync: string; commit: string }>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit`.execute(db)
  const { version, fsync, commit } = rows[0]!
  return `PostgreSQL ${version} (fsync ${fsync}, synchronous_commit ${commit})`
}

/** Of Linux, in which /proc counts processor time. */
const TICK_MS = 10

/** What follows the name in /proc/<pid>/stat: the state, the parent, … */
const statOf = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    // It has ended.
    return []
  }
}

/**
 * Milliseconds of processor time that this process and the database's server have used. What other programs take away
 * makes a figure worse, but not this.
 */
export const spentMs = async (db: QueryExecutorProvider): Promise<{ own: number; postgres: number }> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  const [, parent] = statOf(String(rows[0]!.pid))
  const ticksOf = (stat: string[], ...places: number[]) =>
    places.reduce((sum, at) => sum + Number(stat[at] ?? 0), 0)
  const living = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat[1] === parent)
    .map((stat) => ticksOf(stat, 11, 12))
  // Its own, and that of connections that have ended.
  const postgres = ticksOf(statOf(parent!), 11, 12, 13, 14) + living.reduce((sum, ticks) => sum + ticks, 0)
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1_000, postgres: postgres * TICK_MS }
}

/** In nanoseconds, of one process and its threads; nothing if it has ended. */
const runTimeOf = (pid: string): number => {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]))
      .reduce((sum, time) => sum + time, 0)
  } catch {
    return 0
  }
}

/** Milliseconds of processor time that processes and their children that still run have used; finer than spentMs. */
export const processorMs = (pids: readonly number[]): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => [Number(name), Number(statOf(name)[1])].some((pid) => pids.includes(pid)))
    .reduce((sum, name) => sum + runTimeOf(name), 0) / 1e6

/** Two windows one after the other, in turns, because other programs come and go. */
export const inPairs = async <A>(
  rounds: number,
  first: () => Promise<A>,
  second: () => Promise<A>,
): Promise<[A, A][]> => {
  const pairs: [A, A][] = []
  for (let round = 0; round < rounds; round++) {
    // Whoever comes first alternates, so that a load that grows or falls favours neither.
    if (round % 2 === 0) pairs.push([await first(), await second()])
    else {
      const then = await second()
      pairs.push([await first(), then])
    }
  }
  return pairs
}

/** By how many percent the second of each pair is lower, as the median of the pairs. */
export const lossOf = (pairs: readonly [number, number][]): number =>
  median(pairs.map(([first, second]) => (1 - second / first) * 100))

export const percent = (value: number): string => `${value.toFixed(1)} %`

/** A figure, what it should be (or nothing), and the load when it was measured. */
export type Figure = { what: string; measured: string; target?: string; load: string }

export const tableOf = (figures: readonly Figure[]): string[] => [
  '| | Measured | Target | Load |',
  '|---|---:|---:|---:|',
  ...figures.map(
    ({ what, measured, target = '', load }) => `| ${what} | ${measured} | ${target} | ${load} |`,
  ),
]

const LOAD_NOTE =
  'Each section is written by its own benchmark. *Load* is the average of the last minute when a figure was measured; above 1, other programs were using the two cores, so times are too long and rates too low.'

const HEADS = {
  'results-platform': `# The platform, measured

The feed, webhooks and exports. ${LOAD_NOTE} Ratios come from windows in turns, as the median of the pairs.`,
  'results-ai': `# The AI agent, measured

How long its replies take and what its searches find. ${LOAD_NOTE}`,
}

/** Replaces a section of bench/<name>.md, or adds it. */
const writeSection = (name: keyof typeof HEADS, title: string, lines: readonly string[]): void => {
  const target = IS_TRIAL ? join(tmpdir(), `foyer-bench-${name}.md`) : join(ROOT, `bench/${name}.md`)
  const [, ...sections] = existsSync(target) ? readFileSync(target, 'utf8').split(/^## /m) : []
  const text = `${title}\n\n${lines.join('\n').trimEnd()}\n\n`
  const isKnown = sections.some((section) => section.startsWith(`${title}\n`))
  const all = isKnown
    ? sections.map((section) => (section.startsWith(`${title}\n`) ? text : section))
    : [...sections, text]
  const content = [`${HEADS[name]}\n\n`, ...all.map((section) => `## ${section.trimEnd()}\n\n`)]
    .join('')
    .trimEnd()
  writeFileSync(target, `${content}\n`)
  log(`written to ${target}`)
}

export const writePlatformSection = (title: string, lines: readonly string[]): void =>
  writeSection('results-platform', title, lines)

export const writeAiSection = (title: string, lines: readonly string[]): void =>
  writeSection('results-ai', title, lines)
