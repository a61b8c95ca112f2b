// The HTTPS certificate: read at the start, and again when its files change, so that a renewal needs no restart.
import { readFileSync, statSync } from 'node:fs'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import { StartError } from '../platform/start-error.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'

/** How often the files are checked. Renewals come weeks before the old certificate expires. */
const LOOK_EVERY_MS = 30_000

type Paths = NonNullable<Config['tls']>
export type Certificate = { cert: Buffer; key: Buffer; version: string }

/** Throws StartError if a file can't be read, or certificate and key do not match. */
export const readCertificate = ({ certPath, keyPath }: Paths): Certificate => {
  const read = (name: string, path: string): Buffer => {
    try {
      return readFileSync(path)
    } catch (error) {
      throw new StartError(`${name} cannot be read: ${(error as Error).message}`, { cause: error })
    }
  }
  // Read before the contents, so that a change in between is detected.
  const version = versionOf({ certPath, keyPath })
  const files = { cert: read('TLS_CERT', certPath), key: read('TLS_KEY', keyPath), version }
  try {
    createSecureContext(files)
  } catch (error) {
    throw new StartError(`TLS_CERT and TLS_KEY cannot be used: ${(error as Error).message}`, { cause: error })
  }
  return files
}

/** Changes whenever a file does; empty while one is missing. */
const versionOf = ({ certPath, keyPath }: Paths): string => {
  try {
    return [certPath, keyPath]
      .map((path) => statSync(path, { bigint: true }))
      .map(({ ino, mtimeNs, size }) => `${ino} ${mtimeNs} ${size}`)
      .join(',')
  } catch {
    return ''
  }
}

type Following = {
  served: Certificate
  server: Pick<Server, 'setSecureContext'>
  log: Pick<Log, 'info' | 'warn'>
  lookEveryMs?: number
}

/**
 * Gives the server a renewed certificate; open connections keep theirs. An unusable one (a certificate without its
 * new key, a partial file) changes nothing and is retried at the next check.
 */
export const followCertificate = (
  paths: Paths,
  { served, server, log, lookEveryMs = LOOK_EVERY_MS }: Following,
): { stop: () => void } => {
  let servedVersion = served.version
  let refusedVersion = ''
  const timer = setInterval(() => {
    const version = versionOf(paths)
    if (version === servedVersion || version === '') return
    try {
      server.setSecureContext(readCertificate(paths))
      servedVersion = version
      log.info({}, 'the renewed certificate is in use')
    } catch (error) {
      if (version !== refusedVersion)
        log.warn({ err: error }, 'the changed certificate cannot be used; keeping the old one')
      refusedVersion = version
    }
  }, lookEveryMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
