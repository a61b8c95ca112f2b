// What this machine has for Foyer: room on the disk, the port, certificates.
import { X509Certificate } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { readCertificate } from '../certificates.ts'
import type { Config } from '../config.ts'
import { choosePort, ownUrlOf } from '../listening.ts'
import { askHealth } from './ask-health.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

const GIB = 1024 ** 3
const DISK_MIN_BYTES = GIB / 2
const DISK_LOW_BYTES = 5 * GIB
const DAY_MS = 86_400_000
const CERTIFICATE_LOW_DAYS = 14

const existingFolder = (path: string): string => (existsSync(path) ? path : existingFolder(dirname(path)))

export const checkDisk = ({ dataDir }: Config): Finding => {
  const folder = existingFolder(dataDir)
  const { bavail, bsize } = statfsSync(folder)
  const bytes = bavail * bsize
  const free = `${(bytes / GIB).toFixed(1)} GiB are free in ${folder}.`
  if (bytes < DISK_MIN_BYTES) return fail('disk', free, 'Make room: PostgreSQL stops when the disk is full.')
  return bytes < DISK_LOW_BYTES ? warn('disk', free, 'Make room before it is full.') : ok('disk', free)
}

export const checkDataDir = ({ dataDir }: Config): Finding => {
  try {
    accessSync(existingFolder(dataDir), constants.W_OK | constants.X_OK)
    return ok('data directory', dataDir)
  } catch (error) {
    return fail('data directory', reasonOf(error), 'Allow this user to write there, or set DATA_DIR.')
  }
}

export const checkPort = async (config: Config): Promise<Finding> => {
  try {
    await choosePort(config)
    return ok('port', `${config.port} is free.`)
  } catch (error) {
    const health = await askHealth(ownUrlOf(config), { isSelfSigned: true })
    if (health.version !== undefined)
      return ok('port', `Foyer ${health.version} is running on ${config.port}.`)
    return fail('port', reasonOf(error), 'Stop the other program, or set PORT.')
  }
}

export const checkCertificate = ({ tls }: Config): Finding[] => {
  if (!tls) return []
  try {
    readCertificate(tls)
    const { validTo } = new X509Certificate(readFileSync(tls.certPath))
    return [expiry('certificate', new Date(validTo))]
  } catch (error) {
    return [fail('certificate', reasonOf(error), 'Check TLS_CERT and TLS_KEY.')]
  }
}

export const expiry = (check: string, until: Date): Finding => {
  const days = Math.floor((until.getTime() - Date.now()) / DAY_MS)
  const text = `The certificate is valid until ${until.toISOString().slice(0, 10)}.`
  if (days < 0) return fail(check, text, 'Renew it.')
  return days < CERTIFICATE_LOW_DAYS ? warn(check, text, 'Renew it.') : ok(check, text)
}
