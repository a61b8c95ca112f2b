// A Foyer process and its command line, run as in production, for the benchmarks.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { buildProgram, PROGRAM } from '../test/program.ts'

buildProgram()

export const ROOT = resolve(import.meta.dirname, '..')
const READY_TIMEOUT_MS = 120_000

export type Server = { port: number; child: ChildProcess }

export const log = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

export const freePort = (): Promise<number> =>
  new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => done(port))
    })
  })

const environment = (dataDir: string, more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  DATA_DIR: dataDir,
  DEMO: 'off',
  OUTBOUND_ALLOW: '127.0.0.1',
  ...more,
})

type StartOptions = {
  /** Of the command. */
  args?: readonly string[]
  /** A free one by default. */
  port?: number
  settings?: Record<string, string>
  /** Gets each line of the log. */
  onLine?: (line: string) => void
}

export const startFoyer = async (
  dataDir: string,
  { args = [], port: wanted, settings, onLine }: StartOptions = {},
): Promise<Server> => {
  const port = wanted ?? (await freePort())
  const defaults = { PORT: String(port), RATE_LIMITS: 'on', TRUST_PROXY: 'on', DRAIN_DELAY: '0' }
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...args], {
    cwd: ROOT,
    stdio: ['ignore', onLine ? 'pipe' : 'ignore', 'inherit'],
    env: environment(dataDir, { ...defaults, ...settings }),
  })
  if (onLine && child.stdout) createInterface(child.stdout).on('line', onLine)
  const deadlineMs = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Foyer ended with ${child.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    if (answer?.ok) return { port, child }
    if (Date.now() > deadlineMs) {
      await stop(child)
      throw new Error('Foyer did not get ready')
    }
    await delay(50)
  }
}

export const stop = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    if (child.exitCode !== null) return done()
    child.once('exit', () => done())
    child.kill('SIGTERM')
  })

/** Runs a command of the command line and returns its output. */
export const runCommand = async (dataDir: string, ...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], {
    cwd: ROOT,
    env: environment(dataDir) as NodeJS.ProcessEnv,
  })
  return stdout.trim()
}
