import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { reasonOf } from './finding.ts'

const TIMEOUT_MS = 5_000
const BODY_MAX = 4_096

export type Health = {
  /** Of the Foyer that answered; undefined if it was something else, or nothing. */
  version?: string
  problem?: string
  validUntil?: Date
}

/** Asks for /healthz. */
export const askHealth = (url: string, { isSelfSigned = false } = {}): Promise<Health> =>
  new Promise((done) => {
    const isHttps = url.startsWith('https:')
    const request = (isHttps ? requestHttps : requestHttp)(
      `${url}/healthz`,
      { timeout: TIMEOUT_MS, ...(isSelfSigned && { rejectUnauthorized: false }) },
      (response) => {
        const { valid_to: validTo } = isHttps ? (response.socket as TLSSocket).getPeerCertificate() : {}
        const found = validTo ? { validUntil: new Date(validTo) } : {}
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          if (body.length < BODY_MAX) body += text
        })
        response.on('end', () => done({ ...found, ...readHealth(response.statusCode, body) }))
        response.on('error', (error) => done({ ...found, problem: reasonOf(error) }))
      },
    )
    request.on('timeout', () => request.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)))
    request.on('error', (error) => done({ problem: reasonOf(error) }))
    request.end()
  })

const readHealth = (status: number | undefined, body: string): Health => {
  try {
    const { status: is, version } = JSON.parse(body) as { status?: unknown; version?: unknown }
    if (is === 'ok' && typeof version === 'string') return { version }
  } catch {
    // Some other program's page.
  }
  return { problem: `the answer has status ${status} and isn’t Foyer’s` }
}
