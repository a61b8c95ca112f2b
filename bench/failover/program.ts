// A program of the trial: started, killed, frozen and thawed from outside, as a machine that fails does it. What it prints
// goes to a file.
import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type User = { uid?: number; gid?: number }

type Description = {
  name: string
  command: string
  args: readonly string[]
  env?: Record<string, string>
  cwd?: string
  user?: User
  /** Where its output goes: one file for all its lives. */
  logs: string
  /** Processes that belong to it but are not its own, such as the PostgreSQL that Patroni started. */
  others?: () => number[]
}

export type Program = {
  name: string
  /** How often it ended by itself once it had started. */
  unexpected: () => number
  /** How often it gave up while it was starting, for example because the database was away. It is started again. */
  failedStarts: () => number
  isRunning: () => boolean
  start: () => void
  /** SIGKILL to it alone. */
  kill: () => Promise<void>
  /** SIGKILL to it and its others: the machine is gone. */
  killAll: () => Promise<void>
  /** SIGSTOP to it and its others: they keep their connections and answer nothing. */
  freeze: () => void
  thaw: () => void
  stop: () => Promise<void>
}

/** What has to be ended with this process. */
const living = new Set<() => number[]>()
process.once('exit', () => {
  for (const pids of living) for (const pid of pids()) send(pid, 'SIGKILL')
})

const STOP_MAX_MS = 20_000
/** As long as systemd waits by default. */
const START_AGAIN_MS = 100
const START_MAX_MS = 60_000

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

export const makeProgram = ({ name, command, args, logs, others, ...rest }: Description): Program => {
  let child: ChildProcess | undefined
  let ended = Promise.resolve()
  let isWanted = false
  let unexpected = 0
  let failedStarts = 0
  const file = openSync(join(logs, `${name}.log`), 'a')
  const pids = (): number[] => [...(child?.pid ? [child.pid] : []), ...(others?.() ?? [])]
  const end = async (signal: NodeJS.Signals, targets: number[]): Promise<void> => {
    isWanted = false
    for (const pid of targets) send(pid, signal)
    await ended
  }
  living.add(pids)
  const start = (): void => {
    if (child) return
    isWanted = true
    const startedMs = performance.now()
    const started = spawn(command, args, {
      cwd: rest.cwd ?? '/',
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...rest.env },
      stdio: ['ignore', file, file],
      ...rest.user,
    })
    child = started
    ended = new Promise((done) => {
      started.once('exit', (code) => {
        child = undefined
        done()
        if (!isWanted) return
        if (code === 1 && performance.now() - startedMs < START_MAX_MS) failedStarts++
        else unexpected++
        setTimeout(() => isWanted && start(), START_AGAIN_MS)
      })
    })
  }
  return {
    name,
    unexpected: () => unexpected,
    failedStarts: () => failedStarts,
    isRunning: () => child !== undefined,
    start,
    kill: () => end('SIGKILL', child?.pid ? [child.pid] : []),
    killAll: () => end('SIGKILL', pids()),
    freeze: () => {
      for (const pid of pids()) send(pid, 'SIGSTOP')
    },
    thaw: () => {
      for (const pid of pids()) send(pid, 'SIGCONT')
    },
    stop: async () => {
      const forced = setTimeout(() => {
        for (const pid of pids()) send(pid, 'SIGKILL')
      }, STOP_MAX_MS)
      await end('SIGTERM', child?.pid ? [child.pid] : [])
      clearTimeout(forced)
    },
  }
}

/** The parent of a process; undefined if it has ended. */
const parentOf = (pid: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]
  } catch {
    return undefined
  }
}

/** A PostgreSQL server and its sessions, by its data directory; the server itself comes first. */
export const postgresPids = (directory: string): number[] => {
  try {
    const server = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n', 1)[0]!
    const commandLine = readFileSync(`/proc/${server}/cmdline`, 'utf8')
    if (!commandLine.includes(directory)) return []
    const sessions = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === server)
    return [server, ...sessions].map(Number)
  } catch {
    return []
  }
}
