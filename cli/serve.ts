// foyer serve: runs until it gets a signal. Standard output has the log and the demo's greeting; a failed start is
// one plain line on standard error.

import type { Demo } from '../server/demo/demo.ts'
import { EmbeddedPostgresError } from '../server/platform/db/embedded.ts'
import { isDatabaseUnavailable } from '../server/platform/db/failures.ts'
import { StartError } from '../server/platform/start-error.ts'
import type { Config } from '../server/process/config.ts'
import { ConfigError } from '../server/process/config.ts'
import type { Foyer, Role } from '../server/process/foyer.ts'
import { makeLog } from '../server/process/log.ts'
import { startFoyer } from '../server/process/main.ts'

/** npm forwards Ctrl-C to a program that already got it from the terminal: that is one press, not two. */
const SAME_PRESS_MS = 500
/** How long a failed program may take to release the database before it is ended anyway. */
const LAST_BREATH_MS = 10_000
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** Serves until stopped, and ends the process: 0 if it was stopped, 1 if it could not start or continue. */
export const serve = async (config: Config, { role = 'all' }: { role?: Role } = {}): Promise<void> => {
  const { log, writePlain, flush } = makeLog(config.logLevel)
  const end = (code: number): never => {
    flush()
    process.exit(code)
  }

  let starting: Promise<Foyer> | undefined
  let askedAtMs = 0
  const stopping = new AbortController()

  const stop = async (): Promise<void> => {
    const foyer = await starting?.catch(() => undefined)
    await foyer?.stop()
  }

  for (const [signal, code] of Object.entries(SIGNALS))
    process.on(signal, () => {
      const nowMs = performance.now()
      if (askedAtMs) {
        if (nowMs - askedAtMs > SAME_PRESS_MS) end(code)
        return
      }
      askedAtMs = nowMs
      stopping.abort()
      log.info({ signal }, 'stopping')
      void stop().then(() => {
        log.info({}, 'stopped')
        end(0)
      })
    })

  let isFailing = false
  const fail = (error: unknown): void => {
    // Nothing was waiting for the statement, so its outcome does not matter; whatever needs the database retries.
    if (isDatabaseUnavailable(error)) {
      log.error({ err: error }, 'unhandled loss of a database connection')
      return
    }
    if (isFailing) return
    isFailing = true
    log.fatal({ err: error }, 'Foyer failed and is stopping')
    setTimeout(() => end(1), LAST_BREATH_MS).unref()
    void stop().finally(() => end(1))
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)

  try {
    starting = startFoyer(config, { role, log, signal: stopping.signal })
    const foyer = await starting
    if (config.demo && foyer.address) writePlain(await greeting(config, foyer.address, foyer.demo))
  } catch (error) {
    // If the start was interrupted, the signal handler ends the process.
    if (askedAtMs) return
    flush()
    process.stderr.write(`${describeFailure(error)}\n`)
    end(1)
  }
}

/** What to try first, for people; with DEMO=off standard output has only JSON lines. */
const greeting = async (config: Config, address: string, demo: Demo | null): Promise<string> => {
  // Loaded late: its dependencies are loaded while the database starts.
  const { LINK_VALID_MINUTES } = await import('../server/domain/accounts/create-sign-in-link.ts')
  const lines = [`Foyer runs at ${address}`, '']
  lines.push(`  Console      ${address}`)
  if (demo?.signInUrl)
    lines.push(
      `               sign in with this link (works once, within ${LINK_VALID_MINUTES} minutes):`,
      '',
      `    ${demo.signInUrl}`,
      '',
    )
  else lines.push('               ./foyer sign-in-link --email YOU@EXAMPLE.COM creates a sign-in link')
  if (demo)
    lines.push(
      `  Demo page    ${address}/demo    use the chat in the lower right corner`,
      `  Sandbox      ${demo.sandbox.pageUrl}    the customers' phones and mailboxes, for every channel`,
    )
  lines.push(`  API          ${address}/docs`)
  lines.push(
    config.databaseUrl
      ? '  Database     set by DATABASE_URL'
      : `  Database     PostgreSQL in ${config.dataDir}`,
  )
  lines.push('')
  if (demo?.secret)
    lines.push(
      '  Your API token (shown only once):',
      '',
      `    ${demo.secret}`,
      '',
      '  Try it:',
      '',
      `    curl -s -H 'Authorization: Bearer ${demo.secret}' ${address}/api/v1/conversations`,
    )
  else if (demo)
    lines.push(
      '  The API token was shown on the first start. To create another one:',
      '',
      `    ./foyer token create --workspace ${demo.workspaceId} --name 'My laptop'`,
    )
  else
    lines.push(
      '  The database already has workspaces, so no demo was created. To create an API token:',
      '',
      "    ./foyer token create --workspace ID --name 'My laptop'",
      '',
      '  Set DEMO=off to hide this message.',
    )
  lines.push('', '  Ctrl-C stops everything.')
  return `\n${lines.map((line) => (line ? `  ${line}` : '')).join('\n')}\n\n`
}

const isPlain = (error: unknown): error is Error =>
  error instanceof StartError || error instanceof ConfigError || error instanceof EmbeddedPostgresError

const describeFailure = (error: unknown): string => {
  if (isPlain(error)) return error.message
  const { message, code } = error as NodeJS.ErrnoException
  return `Foyer cannot start: ${(message || code || String(error)).split('\n', 1)[0]}`
}
