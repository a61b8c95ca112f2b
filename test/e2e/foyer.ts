// Foyer as a black box: processes, HTTP and standard output. No server code is imported here.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { atTheEnd } from '../at-the-end.ts'
import { PROGRAM } from '../program.ts'

export const ROOT = resolve(import.meta.dirname, '../..')
const START_TIMEOUT_MS = 60_000
const POLL_MS = 10

export type Env = Record<string, string>

export { atTheEnd }

/** Only the test's settings, none of the machine's. */
const environment = (env: Env): Env => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  HOST: '127.0.0.1',
  PORT: '0',
  DEMO: 'off',
  RATE_LIMITS: 'off',
  // The providers and mail servers of the tests listen on loopback.
  OUTBOUND_ALLOW: '127.0.0.1',
  ...env,
})

/** A directory that is removed after the test file, together with the PostgreSQL in it. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'foyer-e2e-'))
  chmodSync(directory, 0o755)
  atTheEnd(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Polls until the result is neither undefined nor false. */
export const until = async <T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 10_000,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() > deadline) assert.fail(`${what} did not happen within ${timeoutMs} ms`)
    await delay(POLL_MS)
  }
}

type Ended = { code: number | null; signal: NodeJS.Signals | null }

export type Running = {
  process: ChildProcess
  /** For a worker, where its health page is; empty if another process has the port. */
  url: string
  startMs: number
  output: () => string
  errors: () => string
  ended: Promise<Ended>
  /** Sends SIGTERM and waits for the process to end. */
  stop: (signal?: NodeJS.Signals) => Promise<Ended>
  /** SIGKILL: nothing is finished or closed. */
  kill: () => Promise<Ended>
}

/** A setting of the tests alone: the folder of another release, whose program runs instead of this one's. */
export const RELEASE = 'TEST_RELEASE'

const spawnFoyer = (args: string[], { [RELEASE]: cwd = ROOT, ...env }: Env) => {
  // Another release is not built.
  const child = spawn(process.execPath, [cwd === ROOT ? PROGRAM : 'cli/foyer.ts', ...args], {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
  })
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code, signal) => done({ code, signal }))
  })
  return { child, ended, output: () => output, errors: () => errors }
}

/** Runs `foyer serve` until it serves (or, for a worker, until it works). It is killed when the test file ends. */
export const serve = async (env: Env, ...args: string[]): Promise<Running> => {
  const begin = performance.now()
  const { child, ended, output, errors } = spawnFoyer(['serve', ...args], env)
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  const end = (signal: NodeJS.Signals) => {
    if (!hasEnded) child.kill(signal)
    return ended
  }
  atTheEnd(() => end('SIGTERM'))
  const url = await until(
    'the start',
    () => {
      if (hasEnded) assert.fail(`foyer serve ended: ${errors()}${output()}`)
      const line = output()
        .split('\n')
        .find(
          (line) => line.includes('"msg":"Foyer is ready"') || line.includes('"msg":"Foyer worker is ready"'),
        )
      return line ? { address: JSON.parse(line).address as string | null } : undefined
    },
    START_TIMEOUT_MS,
  )
  const startMs = performance.now() - begin
  return {
    process: child,
    url: url.address ?? '',
    startMs,
    output,
    errors,
    ended,
    stop: (signal = 'SIGTERM') => end(signal),
    kill: () => end('SIGKILL'),
  }
}

/** Runs a command to its end. */
export const run = async (env: Env, ...args: string[]) => {
  const { ended, output, errors } = spawnFoyer(args, env)
  const { code } = await ended
  return { code, output: output(), errors: errors() }
}

/** Runs a command that must succeed, and returns its output. */
// biome-ignore lint/suspicious/noExplicitAny: each command prints its own shape
export const command = async (env: Env, ...args: string[]): Promise<any> => {
  const { code, output, errors } = await run(env, ...args)
  assert.equal(code, 0, `foyer ${args.join(' ')}: ${errors}`)
  return JSON.parse(output)
}

/** A workspace with a token and a web channel, created by the command line. */
export const makeWorkspace = async (env: Env, name = 'Northwind Bikes') => {
  const { workspace } = await command(
    env,
    'workspace',
    'create',
    '--name',
    name,
    '--admin',
    `admin-${Math.random().toString(36).slice(2)}@northwind.example`,
  )
  const [{ token, secret }, { channel }] = await Promise.all([
    command(env, 'token', 'create', '--workspace', workspace.id, '--name', 'Tests'),
    command(env, 'channel', 'add', 'web', '--workspace', workspace.id),
  ])
  return { workspaceId: workspace.id as string, tokenId: token.id, secret, channelId: channel.id as string }
}

/** The key to a demo's sandbox, from the link in the greeting. */
export const sandboxKeyOf = ({ output }: Pick<Running, 'output'>): Promise<string> =>
  until('the link to the sandbox', () => /\/sandbox\/\?key=([\w-]+)/.exec(output())?.[1])

export type Answer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests read responses of every shape
  body: any
}

/** Calls the API, or any other path if it starts with `/`. Rejects if there is no response. */
export const call = async (
  url: string,
  secret: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(secret && { authorization: `Bearer ${secret}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text,
  }
}

/** A port that is free at the moment. */
export const freePort = async (): Promise<number> => {
  const { createServer } = await import('node:net')
  const probe = createServer()
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
  const address = probe.address()
  await new Promise((done) => probe.close(done))
  assert.ok(address && typeof address === 'object')
  return address.port
}
