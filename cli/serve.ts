// foyer serve: runs until a signal says stop. Standard output carries the log, and the demo's greeting; why it does not
// start is one plain line on standard error.
import type { Config } from '../server/config.ts'
import { ConfigError } from '../server/config.ts'
import { EmbeddedPostgresError } from '../server/db/embedded.ts'
import type { Demo } from '../server/demo/demo.ts'
import { makeLog } from '../server/log.ts'
import { type Foyer, type Role, startFoyer } from '../server/main.ts'
import { LINK_VALID_MINUTES } from '../server/resources/sessions/create-sign-in-link.ts'
import { StartError } from '../server/start-error.ts'

/** npm passes Ctrl-C on to a program that the terminal has told already: that is one press, not two. */
const SAME_PRESS_MS = 500
/** How long a program that failed may take to let go of the database before it ends anyway. */
const LAST_BREATH_MS = 10_000
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** Serves until it is told to stop, and ends the process: 0 when it was stopped, 1 when it could not start or go on. */
export const serve = async (config: Config, { role = 'all' }: { role?: Role } = {}): Promise<void> => {
  const { log, writePlain, flush } = makeLog(config.logLevel)
  const end = (code: number): never => {
    flush()
    process.exit(code)
  }

  let starting: Promise<Foyer> | undefined
  let askedAtMs = 0

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
      log.info({ signal }, 'stopping')
      void stop().then(() => {
        log.info({}, 'stopped')
        end(0)
      })
    })

  const fail = (error: unknown): void => {
    log.fatal({ err: error }, 'Foyer fails and stops')
    setTimeout(() => end(1), LAST_BREATH_MS).unref()
    void stop().finally(() => end(1))
  }
  process.once('uncaughtException', (error) => {
    process.on('uncaughtException', () => {})
    fail(error)
  })
  process.once('unhandledRejection', (reason) => {
    process.on('unhandledRejection', () => {})
    fail(reason)
  })

  try {
    starting = startFoyer(config, { role, log })
    const foyer = await starting
    if (config.demo && foyer.address) writePlain(greeting(config, foyer.address, foyer.demo))
  } catch (error) {
    flush()
    process.stderr.write(`${describeFailure(error)}\n`)
    // A start that was interrupted is ended by the signal's own handler.
    if (!askedAtMs) end(1)
  }
}

/** What to try first, for people; with DEMO=off standard output is JSON lines and nothing else. */
const greeting = (config: Config, address: string, demo: Demo | null): string => {
  const lines = [`Foyer runs at ${address}`, '']
  lines.push(`  Console      ${address}`)
  if (demo?.signInUrl)
    lines.push(
      `               sign in with this link, once, within ${LINK_VALID_MINUTES} minutes:`,
      '',
      `    ${demo.signInUrl}`,
      '',
    )
  else
    lines.push('               ./foyer sign-in-link --email YOU@EXAMPLE.COM makes a link that signs you in')
  if (demo)
    lines.push(
      `  Demo page    ${address}/demo    write in the chat at the lower right`,
      `  Sandbox      ${demo.sandbox.pageUrl}    the customers' phones and mailboxes, on every channel`,
    )
  lines.push(`  API          ${address}/docs`)
  lines.push(
    config.databaseUrl
      ? '  Database     the one of DATABASE_URL'
      : `  Database     PostgreSQL in ${config.dataDir}`,
  )
  lines.push('')
  if (demo?.secret)
    lines.push(
      '  Your API token, shown only this once:',
      '',
      `    ${demo.secret}`,
      '',
      '  Try it:',
      '',
      `    curl -s -H 'Authorization: Bearer ${demo.secret}' ${address}/api/v1/conversations`,
    )
  else if (demo)
    lines.push(
      '  The API token was shown at the first start. Another one:',
      '',
      `    ./foyer token create --workspace ${demo.workspaceId} --name 'My laptop'`,
    )
  else
    lines.push(
      '  The database has workspaces of its own, so there is no demo. A token for one of them:',
      '',
      "    ./foyer token create --workspace ID --name 'My laptop'",
      '',
      '  DEMO=off leaves this greeting out.',
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
