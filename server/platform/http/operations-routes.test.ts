import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { PROGRAM } from '../../../test/program.ts'
import { buildHealthApp } from '../../process/health-app.ts'
import { stubOperations } from '../../process/testing/operations.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const METRICS_TOKEN = 'a-token-for-metrics-1'

const app = buildHealthApp({ operations: { ...stubOperations, metricsToken: METRICS_TOKEN } })
after(() => app.close())

const metrics = (authorization?: string) =>
  app.inject({ method: 'GET', url: '/metrics', headers: authorization ? { authorization } : {} })

test('with METRICS_TOKEN set, the metrics are for those who have it, and health is for everyone', async () => {
  for (const given of [undefined, 'Bearer', 'Bearer wrong', `Basic ${METRICS_TOKEN}`]) {
    const { statusCode, headers, body } = await metrics(given)
    assert.equal(statusCode, 401, String(given))
    assert.equal(headers['www-authenticate'], 'Bearer')
    assert.equal(JSON.parse(body).error.code, 'METRICS_TOKEN_REQUIRED')
  }
  assert.equal((await metrics(`Bearer ${METRICS_TOKEN}`)).statusCode, 200)
  for (const url of ['/healthz', '/readyz'])
    assert.equal((await app.inject({ method: 'GET', url })).statusCode, 200, url)
})

test('health, metrics and the command line name the version of package.json', async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  assert.match(version, /^\d+\.\d+\.\d+/)
  const health = await app.inject({ method: 'GET', url: '/healthz' })
  assert.deepEqual(health.json(), { status: 'ok', version })
  const { body } = await metrics(`Bearer ${METRICS_TOKEN}`)
  assert.ok(
    body.includes(`\nfoyer_build_info{version="${version}",node="${process.versions.node}"} 1\n`),
    body.slice(0, 500),
  )
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, '--version'])
  assert.equal(stdout, `${version}\n`)
})

test('deliveries are counted for each channel, a channel without any as none', async () => {
  const { body } = await metrics(`Bearer ${METRICS_TOKEN}`)
  assert.match(body, /^foyer_deliveries_waiting\{channel="whatsapp"\} 3$/m)
  assert.match(body, /^foyer_deliveries_oldest_seconds\{channel="whatsapp"\} 7$/m)
  assert.match(body, /^foyer_deliveries_waiting\{channel="sms"\} 0$/m)
})

test('operators see what waits for webhook endpoints, how those are, and how old the lists’ floor is', async () => {
  const { body } = await metrics(`Bearer ${METRICS_TOKEN}`)
  for (const line of [
    'foyer_webhooks_waiting 4',
    'foyer_webhooks_oldest_seconds 9',
    'foyer_webhook_endpoints\\{state="failing"\\} 1',
    'foyer_webhook_endpoints\\{state="disabled"\\} 3',
    'foyer_lists_floor_seconds 0.25',
  ])
    assert.match(body, new RegExp(`^${line}$`, 'm'))
})
