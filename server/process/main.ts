// The running server: starts what it needs in order and stops it in reverse. This file loads little, because the rest
// (serve.ts) is loaded while the bundled PostgreSQL starts.

import { readCertificate } from './certificates.ts'
import type { Config } from './config.ts'
import type { Foyer, Role, Started } from './foyer.ts'
import { choosePort } from './listening.ts'
import type { Log } from './log.ts'
import { openDatabase } from './open-database.ts'

type StartOptions = {
  role: Role
  log: Log
  /** Aborts a start that is waiting for another process. */
  signal?: AbortSignal
}

/**
 * Starts Foyer. Throws StartError, ConfigError or EmbeddedPostgresError, with a one-line message each and nothing
 * left running.
 */
export const startFoyer = async (given: Config, { role, log, signal }: StartOptions): Promise<Foyer> => {
  const steps: [name: string, undo: () => Promise<unknown> | unknown][] = []
  const started: Started = (name, undo) => steps.push([name, undo])
  let isStopping = false
  let stopped: Promise<void> | undefined

  const undoAll = async (): Promise<void> => {
    isStopping = true
    for (const [name, undo] of steps.reverse())
      try {
        await undo()
      } catch (error) {
        log.error({ err: error }, `could not stop ${name} cleanly`)
      }
  }
  const stop = (): Promise<void> => {
    stopped ??= undoAll()
    return stopped
  }

  try {
    const tls = given.tls && readCertificate(given.tls)
    // Before the slow steps, so that a taken port is reported at once.
    const config = role === 'worker' ? given : await choosePort(given)
    const loading = import('./serve.ts')
    loading.catch(() => {})
    // An external server responds at once. On a busy machine, loading would keep its response from being read until the
    // connection has timed out, at every restart.
    if (config.databaseUrl !== null) await loading
    const database = await openDatabase(config, (line) => log.info(line))
    started('the private PostgreSQL', database.release)
    const { serve } = await loading
    const { connectionString } = database
    const served = await serve(config, {
      connectionString,
      role,
      log,
      signal,
      tls,
      started,
      isStopping: () => isStopping,
    })
    return { ...served, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
