import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import type { Config } from './config.ts'
import { watchProxies } from './watch-proxies.ts'

/** What is logged while requests come in, each from a peer and with what it says of others. */
const logged = async (trustProxy: Config['trustProxy'], requests: [peer: string, forwarded?: string][]) => {
  const lines: { peer: string; msg: string }[] = []
  const app = Fastify({
    trustProxy: typeof trustProxy === 'number' ? (_, hop) => hop < trustProxy : trustProxy,
    logger: { level: 'warn', stream: { write: (line: string) => lines.push(JSON.parse(line)) } },
  })
  watchProxies(app, trustProxy)
  app.get('/', () => 'ok')
  for (const [remoteAddress, forwarded] of requests)
    await app.inject({
      url: '/',
      remoteAddress,
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    })
  await app.close()
  return lines.map(({ peer, msg }) => `${peer}: ${msg}`)
}

test('an untrusted proxy is logged once, with the setting to change', async () => {
  const [line, ...others] = await logged(false, [
    ['127.0.0.1'],
    ['127.0.0.1', '192.0.2.1'],
    ['127.0.0.1', '192.0.2.2'],
  ])
  assert.match(line ?? '', /^127\.0\.0\.1: .*everyone behind it shares one limit until its address is added/)
  assert.deepEqual(others, [])
  assert.equal((await logged(['10.0.0.0/8'], [['10.1.2.3', '192.0.2.1']])).length, 0)
  assert.equal((await logged(['10.0.0.0/8'], [['192.168.0.1', '192.0.2.1']])).length, 1)
})

test('a proxy count that trusts a public caller is logged once', async () => {
  const [line, ...others] = await logged(1, [
    ['10.0.0.1', '192.0.2.1'],
    ['203.0.113.9', '192.0.2.1'],
    ['203.0.113.9', '192.0.2.2'],
  ])
  assert.match(line ?? '', /^203\.0\.113\.9: .*set TRUST_PROXY to the addresses of the proxy/)
  assert.deepEqual(others, [])
  assert.deepEqual(await logged(1, [['127.0.0.1', '192.0.2.1'], ['::1', '192.0.2.1'], ['203.0.113.9']]), [])
  assert.deepEqual(await logged(true, [['203.0.113.9', '192.0.2.1']]), [])
})
