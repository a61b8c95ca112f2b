import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, temporaryDirectory } from './foyer.ts'

const directory = temporaryDirectory()
const files = { TLS_CERT: join(directory, 'cert.pem'), TLS_KEY: join(directory, 'key.pem') }

const made = spawnSync(
  'openssl',
  [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-keyout', files.TLS_KEY, '-out', files.TLS_CERT],
  ],
  { stdio: 'ignore' },
)
const WITHOUT_OPENSSL = made.status !== 0 && 'there is no openssl to make a certificate with'

test('with a certificate it serves HTTPS, prints an https URL, and sends HSTS', {
  skip: WITHOUT_OPENSSL,
}, async () => {
  const foyer = await serve({ DATA_DIR: join(directory, 'data'), ...files })
  assert.match(foyer.url, /^https:\/\/127\.0\.0\.1:\d+$/)
  const answer = await new Promise<{ status?: number; hsts?: string }>((done, fail) => {
    request(`${foyer.url}/readyz`, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      done({ status: response.statusCode, hsts: response.headers['strict-transport-security'] })
    })
      .on('error', fail)
      .end()
  })
  assert.deepEqual(answer, { status: 200, hsts: 'max-age=31536000' })
  assert.equal((await foyer.stop()).code, 0)
})
