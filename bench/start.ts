// How long a start takes and what a server keeps at rest: `npm run bench:start [FOLDER…]`, as `./foyer serve` of this clone
// and, in turns, of other folders with a clone that is built. With BENCH_SIZE=small, once and after a second.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildProgram } from '../test/program.ts'
import { freePort, log, ROOT, stop } from './foyer.ts'
import { median } from './load.ts'
import { IS_TRIAL, loadBefore, producedBy, writeResults } from './measured.ts'

const FIRST_TIMES = IS_TRIAL ? 1 : 3
const START_TIMES = IS_TRIAL ? 1 : 5
const REST_MS = IS_TRIAL ? 1_000 : 30_000
const POLL_MS = 2
const KIB_PER_MIB = 1024

type Started = { ms: number; child: ChildProcess; dataDir: string }

/** From the command to the first request that is answered as ready. */
const start = async (folder: string, dataDir: string): Promise<Started> => {
  const port = await freePort()
  const begin = performance.now()
  const child = spawn(join(folder, 'foyer'), ['serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      DEMO: 'off',
      DATA_DIR: dataDir,
    },
  })
  for (;;) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return { ms: performance.now() - begin, child, dataDir }
    if (child.exitCode !== null) throw new Error(`${folder}/foyer serve ended with ${child.exitCode}`)
    await delay(POLL_MS)
  }
}

/** Empty for a process that has ended meanwhile. */
const readOf = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

const fieldsOf = (pid: string): string[] => {
  const stat = readOf(pid, 'stat')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The process and those that it started. */
const familyOf = (pid: string): string[] => {
  const children = readdirSync('/proc').filter((found) => /^\d+$/.test(found) && fieldsOf(found)[1] === pid)
  return [pid, ...children.flatMap(familyOf)]
}

/** Of one process, what is resident: other programs of the same Node would take their part of it from the proportional. */
const memoryOf = (field: 'Rss' | 'Pss', pids: string[]): number =>
  pids
    .map((pid) =>
      Number(new RegExp(`^${field}: +(\\d+) kB$`, 'm').exec(readOf(pid, 'smaps_rollup'))?.[1] ?? 0),
    )
    .reduce((sum, kib) => sum + kib / KIB_PER_MIB, 0)

type Figures = { first: number[]; again: number[]; node: number[]; postgres: number[]; connections: number[] }

const rest = async ({ child, dataDir }: Started, figures: Figures): Promise<void> => {
  await delay(REST_MS)
  const postmaster = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n', 1)[0]!
  const servers = familyOf(postmaster)
  figures.node.push(memoryOf('Rss', [String(child.pid)]))
  figures.postgres.push(memoryOf('Pss', servers))
  figures.connections.push(servers.filter((pid) => readOf(pid, 'cmdline').includes('[local]')).length)
}

const withDirectory = async (work: (dataDir: string) => Promise<void>): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'foyer-bench-start-'))
  // PostgreSQL, which runs as another user when this is root, must be able to enter.
  chmodSync(dataDir, 0o755)
  try {
    await work(dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const startOnce = async (folder: string, dataDir: string): Promise<number> => {
  const { ms, child } = await start(folder, dataDir)
  await stop(child)
  return ms
}

const measure = async (folder: string, figures: Figures): Promise<void> =>
  withDirectory(async (dataDir) => {
    figures.first.push(await startOnce(folder, dataDir))
    // The first of them compiles what no start before has kept.
    await startOnce(folder, dataDir)
    for (let time = 0; time < START_TIMES; time++) figures.again.push(await startOnce(folder, dataDir))
    const started = await start(folder, dataDir)
    await rest(started, figures).finally(() => stop(started.child))
  })

const folders = [ROOT, ...process.argv.slice(2).map((folder) => resolve(folder))]
buildProgram()
const busy = loadBefore()
const measured = folders.map((folder): [string, Figures] => [
  folder,
  { first: [], again: [], node: [], postgres: [], connections: [] },
])
for (let time = 0; time < FIRST_TIMES; time++)
  for (const [folder, figures] of measured) {
    await measure(folder, figures)
    log(`${basename(folder)}: ${JSON.stringify(figures)}`)
  }

const row = (what: string, goal: string, unit: string, figureOf: (figures: Figures) => number): string =>
  `| ${[what, ...measured.map(([, figures]) => `${Math.round(figureOf(figures)).toLocaleString('en-US')}${unit}`), goal].join(' | ')} |`
writeResults('results-start', IS_TRIAL, [
  '# Start and rest, measured',
  '',
  producedBy({
    script: 'bench:start',
    postgres: 'the private PostgreSQL',
    shared: 'Foyer, its PostgreSQL and this script',
    busy,
    caveat: 'so the times are too long.',
  }),
  '',
  `From \`./foyer serve\`, without the demo, to the first answer of \`/readyz\`; medians of ${FIRST_TIMES} first starts, which create the database, and of ${FIRST_TIMES * START_TIMES} later ones. Memory is the median of ${FIRST_TIMES}, ${REST_MS / 1000} s after a start: what is resident of Foyer, and the proportional set size of PostgreSQL’s processes.`,
  '',
  `| | ${[...measured.map(([folder], index) => (index === 0 ? 'Measured' : basename(folder))), 'Goal'].join(' | ')} |`,
  `|---|${measured.map(() => '---:|').join('')}---:|`,
  row('the first start', '≤ 3,000 ms', ' ms', ({ first }) => median(first)),
  row('a start on an existing database', '≤ 500 ms', ' ms', ({ again }) => median(again)),
  row('Foyer’s memory at rest', '', ' MiB', ({ node }) => median(node)),
  row('PostgreSQL’s memory at rest', '', ' MiB', ({ postgres }) => median(postgres)),
  row('both together', '≤ 150 MB', ' MiB', ({ node, postgres }) => median(node) + median(postgres)),
  row('connections at rest', '', '', ({ connections }) => median(connections)),
  '',
])
