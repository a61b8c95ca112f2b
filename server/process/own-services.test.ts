import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { listOwnServices } from './own-services.ts'

const servicesOf = (env: Record<string, string>) =>
  listOwnServices(readConfig({ SECRET_KEY: 's'.repeat(32), ...env })).map(
    ({ host, port }) => `${host} ${port}`,
  )

test('Foyer’s address and each of its stores is listed with its port', () => {
  assert.deepEqual(
    servicesOf({
      HOST: '10.0.0.9',
      PUBLIC_URL: 'https://chat.example',
      DATABASE_URL: 'postgres://u:p@db1.internal,db2.internal:5433/foyer',
      DATABASE_REPLICA_URL: 'postgres://u:p@db3.internal/foyer',
      REDIS_URL: 'redis://cache.internal',
      SMTP_URL: 'smtp://mail.internal:587',
      FILES_URL: 's3://files?endpoint=http://store.internal:9000',
      FILES_ACCESS_KEY_ID: 'a',
      FILES_SECRET_ACCESS_KEY: 'b',
    }),
    [
      '10.0.0.9 8080',
      'chat.example 443',
      'mail.internal 587',
      'store.internal 9000',
      'cache.internal 6379',
      'db1.internal 5432',
      'db2.internal 5433',
      'db3.internal 5432',
    ],
  )
})

test('a service on this machine is listed under each of its loopback names', () => {
  const loopback = (port: number) => ['localhost', '127.0.0.1', '::1'].map((host) => `${host} ${port}`)
  assert.deepEqual(
    servicesOf({ PUBLIC_URL: 'http://localhost:8080', DATABASE_URL: 'postgres://[::1]/foyer' }),
    [...loopback(8080), ...loopback(8080), ...loopback(5432)],
  )
  assert.deepEqual(servicesOf({ HOST: '0.0.0.0', PORT: '9000', PUBLIC_URL: 'https://chat.example' }), [
    ...loopback(9000),
    'chat.example 443',
  ])
})
