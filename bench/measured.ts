// What every table of results says about where its figures come from.
import { writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { log, ROOT } from './foyer.ts'

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
