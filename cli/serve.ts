// foyer serve: runs until a signal says stop. Standard output carries the log, and the demo's greeting; why it does not
// start is one plain line on standard error.
import type { Config } from '../server/config.ts'
import { ConfigError } from '../server/config.ts'
import { EmbeddedPostgresError } from '../server/db/embedded.ts'
import { makeLog } from '../server/log.ts'
import { type Foyer, type Role, startFoyer } from '../server/main.ts'
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
    if (config.demo && foyer.address) writePlain(`Foyer runs at ${foyer.address}\n`)
  } catch (error) {
    flush()
    process.stderr.write(`${describeFailure(error)}\n`)
    // A start that was interrupted is ended by the signal's own handler.
    if (!askedAtMs) end(1)
  }
}

const isPlain = (error: unknown): error is Error =>
  error instanceof StartError || error instanceof ConfigError || error instanceof EmbeddedPostgresError

const describeFailure = (error: unknown): string => {
  if (isPlain(error)) return error.message
  const { message, code } = error as NodeJS.ErrnoException
  return `Foyer cannot start: ${(message || code || String(error)).split('\n', 1)[0]}`
}
