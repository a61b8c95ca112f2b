// What Foyer reaches over the network: Redis, the storage of files, the mail server, and itself by its public address.
import { randomBytes } from 'node:crypto'
import { isLoopbackUrl } from '../../platform/loopback.ts'
import { verifyMailServer } from '../../platform/mail.ts'
import { within } from '../../platform/within.ts'
import type { Config } from '../config.ts'
import { openFiles } from '../open-files.ts'
import { askHealth } from './ask-health.ts'
import { expiry } from './check-machine.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

const TIMEOUT_MS = 10_000

/** Throws if it takes too long. */
const inTime = async <T>(work: Promise<T>): Promise<T> => {
  if (!(await within(work, TIMEOUT_MS))) throw new Error(`no response within ${TIMEOUT_MS / 1000} s`)
  return work
}

export const checkRedis = async ({ redisUrl }: Config): Promise<Finding[]> => {
  if (redisUrl === null) return []
  const { connectRedis } = await import('../../platform/redis.ts')
  let problem: unknown
  const { commands, close } = await connectRedis(redisUrl, {
    info: () => {},
    warn: ({ err }: { err?: unknown }) => {
      problem = err
    },
  } as Parameters<typeof connectRedis>[1])
  try {
    await commands.ping()
    return [ok('Redis', 'It responds.')]
  } catch (error) {
    return [
      fail(
        'Redis',
        reasonOf(problem ?? error),
        'Check REDIS_URL. Until it responds, each process counts rate limits on its own.',
      ),
    ]
  } finally {
    close()
  }
}

/** Writes, reads and removes a file. */
export const checkFiles = async (config: Config): Promise<Finding> => {
  const where = config.filesStorage ? `the bucket ${config.filesStorage.bucket}` : `${config.dataDir}/files`
  const files = openFiles(config)
  const key = `doctor/${randomBytes(8).toString('hex')}`
  const text = Buffer.from('foyer doctor')
  try {
    await inTime(files.put(key, text, { mimeType: 'text/plain' }))
    const pieces: Buffer[] = []
    for await (const piece of await inTime(files.open(key))) pieces.push(piece)
    await inTime(files.remove(key))
    if (!Buffer.concat(pieces).equals(text)) throw new Error('the file that was read is not the one written')
    return ok('files', `Files can be written to and read from ${where}.`)
  } catch (error) {
    return fail('files', reasonOf(error), `Check FILES_URL and its keys, or the rights to ${where}.`)
  }
}

export const checkMail = async ({ smtpUrl, oidc }: Config): Promise<Finding> => {
  if (smtpUrl === null)
    return oidc
      ? ok('mail', 'SMTP_URL is not set; people sign in through the identity provider.')
      : warn(
          'mail',
          'SMTP_URL is not set, so sign-in codes can’t be sent.',
          'Set SMTP_URL, or create links with foyer sign-in-link.',
        )
  try {
    await inTime(verifyMailServer(smtpUrl))
    return ok('mail', 'The mail server accepts the sign-in.')
  } catch (error) {
    return fail('mail', reasonOf(error), 'Check SMTP_URL.')
  }
}

export const checkPublicUrl = async ({ publicUrl, trustProxy, tls }: Config): Promise<Finding[]> => {
  if (isLoopbackUrl(publicUrl))
    return [
      warn(
        'public URL',
        `${publicUrl} can only be reached from this machine.`,
        'Set PUBLIC_URL for real use.',
      ),
    ]
  const findings: Finding[] = []
  const isHttps = publicUrl.startsWith('https:')
  if (!isHttps)
    findings.push(
      fail(
        'public URL',
        `${publicUrl} isn’t https.`,
        'Put Foyer behind a TLS proxy, or set TLS_CERT and TLS_KEY.',
      ),
    )
  else if (!tls && trustProxy === false)
    findings.push(
      warn(
        'proxy',
        'PUBLIC_URL is https, but Foyer isn’t told of a proxy: everyone shares one rate limit.',
        'Set TRUST_PROXY to the proxy’s address.',
      ),
    )
  const { version, problem, validUntil } = await askHealth(publicUrl)
  findings.push(
    version === undefined
      ? warn(
          'public URL',
          `${publicUrl} can’t be reached from here: ${problem}.`,
          'Start Foyer, and check the name, the proxy and the certificate.',
        )
      : ok('public URL', `Foyer ${version} answers at ${publicUrl}.`),
  )
  if (validUntil) findings.push(expiry('public certificate', validUntil))
  return findings
}
