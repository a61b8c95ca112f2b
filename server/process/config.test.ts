import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const problemsOf = (env: Record<string, string>): string => {
  try {
    readConfig(env)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
  assert.fail('the settings were taken')
}

test('.env.example explains every setting that is read, and no other', () => {
  const read = new Set<string>()
  readConfig(
    new Proxy(
      {},
      {
        get: (_, name) => {
          read.add(String(name))
          return undefined
        },
      },
    ),
  )
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  const explained = [...text.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name)
  assert.deepEqual(explained.sort(), [...read].sort())
})

test('the values of .env.example can all be used', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  const env = Object.fromEntries(
    [...text.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  readConfig({ ...env, SECRET_KEY: 'k'.repeat(32) })
})

test('every setting that cannot be used is named, all of them in one line', () => {
  const message = problemsOf({
    PORT: '80800',
    PUBLIC_URL: 'inbox.example.com',
    DATABASE_URL: 'mysql://db/foyer',
    DATABASE_REPLICA_URL: 'postgresql://db1,db2/foyer',
    REDIS_URL: 'cache:6379',
    SECRET_KEY: 'short',
    SMTP_URL: 'mail.example.com',
    OIDC_ISSUER: 'http://login.example.com',
    OIDC_NAME: 'x'.repeat(41),
    OIDC_ALLOWED_DOMAINS: 'example.com, someone@example.com',
    OIDC_ONLY: 'yes',
    FILES_URL: 'https://bucket.example.com',
    LOG_LEVEL: 'loud',
    TRUST_PROXY: 'perhaps',
    TLS_CERT: '/tmp/cert.pem',
    RATE_LIMITS: 'yes',
    DEMO: 'no',
    OUTBOUND_ALLOW: '10.0.0.0/33',
  })
  for (const name of [
    'PORT',
    'PUBLIC_URL',
    'DATABASE_URL',
    'DATABASE_REPLICA_URL must name one host',
    'REDIS_URL',
    'SECRET_KEY',
    'SMTP_URL',
    'OIDC_ISSUER',
    'OIDC_NAME',
    'OIDC_ALLOWED_DOMAINS',
    'OIDC_ONLY',
    'FILES_URL',
    'LOG_LEVEL',
    'TRUST_PROXY',
    'TLS_CERT',
    'RATE_LIMITS',
    'DEMO',
    'OUTBOUND_ALLOW',
  ])
    assert.match(message, new RegExp(`\\b${name}\\b`))
  assert.doesNotMatch(message, /\n/)
})

test('an identity provider is set as a whole, by TLS unless it is on this machine', () => {
  const client = { OIDC_CLIENT_ID: 'foyer', OIDC_CLIENT_SECRET: 'secret' }
  const issuer = 'https://login.example.com/realms/kiln'
  const { oidc } = readConfig({
    ...client,
    OIDC_ISSUER: issuer,
    OIDC_ALLOWED_DOMAINS: '@Kiln.example, x.example',
  })
  assert.deepEqual(oidc, {
    issuer,
    clientId: 'foyer',
    clientSecret: 'secret',
    name: 'single sign-on',
    allowedDomains: ['kiln.example', 'x.example'],
    trustsEmails: false,
    isOnly: false,
  })
  assert.equal(readConfig({}).oidc, null)
  assert.ok(readConfig({ ...client, OIDC_ISSUER: 'http://127.0.0.1:4000/oidc' }).oidc)
  const partial: Record<string, string>[] = [client, { OIDC_ISSUER: issuer }, { OIDC_ONLY: 'on' }]
  for (const env of partial)
    assert.match(problemsOf(env), /OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together/)
  for (const wrong of [
    'login.example.com',
    'http://10.0.0.7:8080',
    `${issuer}?x=1`,
    `${issuer}#x`,
    'https://user@login.example.com',
  ])
    assert.match(problemsOf({ ...client, OIDC_ISSUER: wrong }), /OIDC_ISSUER must/)
  assert.ok(readConfig({ OIDC_ISSUER: 'sandbox' }).oidc)
  assert.match(problemsOf({ OIDC_ISSUER: 'sandbox', DEMO: 'off' }), /DEMO=on/)
})

test('a public address is one that paths can be put behind', () => {
  for (const address of [
    'https://a.example/?x=1',
    'https://a.example/#x',
    'https://a.example?',
    'https://jane:pw@a.example',
    'https://jane@a.example',
    'https://:pw@a.example',
  ])
    assert.match(problemsOf({ PUBLIC_URL: address }), /PUBLIC_URL must not have a query/)
  for (const address of ['https://a.example/foyer', 'https://a.example/foyer/', 'https://a.example//x'])
    assert.match(problemsOf({ PUBLIC_URL: address }), /PUBLIC_URL must not have a path/)
  assert.equal(readConfig({ PUBLIC_URL: 'https://a.example:8443/' }).publicUrl, 'https://a.example:8443')
})

test('storage for files is a bucket with its keys, or none of it', () => {
  const keys = { FILES_ACCESS_KEY_ID: 'id', FILES_SECRET_ACCESS_KEY: 'hunter2' }
  const storageOf = (FILES_URL: string) => readConfig({ ...keys, FILES_URL }).filesStorage
  assert.deepEqual(storageOf('s3://foyer/inbox%20one/?region=eu-west-1&endpoint=http://10.0.0.5:9000/'), {
    endpoint: 'http://10.0.0.5:9000',
    region: 'eu-west-1',
    bucket: 'foyer',
    prefix: 'inbox one/',
    accessKeyId: 'id',
    secretAccessKey: 'hunter2',
  })
  assert.equal(storageOf('s3://foyer')?.endpoint, 'https://s3.us-east-1.amazonaws.com')
  assert.equal(readConfig({}).filesStorage, null)
  for (const url of [
    's3://',
    's3://a b',
    's3://foyer?bucket=x',
    's3://foyer?region=../x',
    's3://foyer?endpoint=ftp://x',
    's3://foyer?endpoint=http://jane:pw@10.0.0.5:9000',
    's3://jane@foyer',
    's3://:pw@foyer',
  ])
    assert.match(problemsOf({ ...keys, FILES_URL: url }), /FILES_URL (must|has)/, url)
  const together = /FILES_URL, FILES_ACCESS_KEY_ID and FILES_SECRET_ACCESS_KEY must be set together/
  assert.match(problemsOf(keys), together)
  assert.match(problemsOf({ FILES_URL: 's3://foyer', FILES_ACCESS_KEY_ID: 'id' }), together)
})

test('a range of proxies that no address can be in is named', () => {
  for (const range of [
    '10.0.0.0/33',
    '10.0.0.0/0',
    '10.0.0.0/x',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::1/129',
    '10.0.0/8',
  ])
    assert.match(problemsOf({ TRUST_PROXY: `loopback, ${range}` }), /TRUST_PROXY must be/)
  assert.deepEqual(readConfig({ TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8, 192.0.2.1' }).trustProxy, [
    'loopback',
    '10.0.0.0/8',
    'fd00::/8',
    '192.0.2.1',
  ])
})

test('a setting that holds a secret is named without its value', () => {
  const message = problemsOf({
    DATABASE_URL: 'mysql://foyer:hunter2@db/foyer',
    REDIS_URL: 'http://:hunter2@cache',
    SECRET_KEY: 'hunter2',
  })
  assert.doesNotMatch(message, /hunter2/)
})

test('a database of your own needs a key of your own', () => {
  assert.match(problemsOf({ DATABASE_URL: 'postgresql://db/foyer' }), /SECRET_KEY is required/)
})

test('the public address follows host, port and TLS when it is not given', () => {
  assert.equal(readConfig({}).publicUrl, 'http://127.0.0.1:8080')
  assert.equal(readConfig({ HOST: '0.0.0.0', PORT: '80' }).publicUrl, 'http://127.0.0.1:80')
  assert.equal(readConfig({ HOST: '::1' }).publicUrl, 'http://[::1]:8080')
  assert.equal(readConfig({ TLS_CERT: 'a', TLS_KEY: 'b' }).publicUrl, 'https://127.0.0.1:8080')
  assert.equal(
    readConfig({ PUBLIC_URL: 'https://inbox.example.com/' }).publicUrl,
    'https://inbox.example.com',
  )
})

test('OUTBOUND_ALLOW lists hosts, addresses and networks, each with a port or without', () => {
  const allowed = (text: string) => readConfig({ OUTBOUND_ALLOW: text }).outboundAllow
  assert.deepEqual(allowed('n8n.internal:5678, Mail.Internal. ,10.0.3.0/24,192.168.7.4:8080'), [
    { host: 'n8n.internal', port: 5678 },
    { host: 'mail.internal', port: null },
    { network: '10.0.3.0', prefix: 24, port: null },
    { network: '192.168.7.4', prefix: 32, port: 8080 },
  ])
  assert.deepEqual(allowed('::1, [fd00::5]:993, fd00::/8, [fe80::/10]:25'), [
    { network: '::1', prefix: 128, port: null },
    { network: 'fd00::5', prefix: 128, port: 993 },
    { network: 'fd00::', prefix: 8, port: null },
    { network: 'fe80::', prefix: 10, port: 25 },
  ])
  assert.deepEqual(allowed(''), [])
  for (const text of [
    'https://n8n.internal',
    '10.0.0.0/33',
    'host:0',
    'host:65536',
    'a b',
    '*',
    '10.0.0.0/8/8',
  ])
    assert.match(problemsOf({ OUTBOUND_ALLOW: text }), /OUTBOUND_ALLOW has the entry/)
})

test('applications for mailboxes are set whole or not at all', () => {
  const google = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' }
  const microsoft = {
    ...{ MICROSOFT_CLIENT_ID: 'id', MICROSOFT_CLIENT_SECRET: 'secret' },
    MICROSOFT_TENANT_ID: '0f8fad5b-d9cb-469f-a165-70867728950e',
  }
  assert.deepEqual(readConfig({}).mailOauth, [])
  assert.deepEqual(
    readConfig({ ...google, ...microsoft }).mailOauth.map(({ name, issuer }) => [name, issuer]),
    [
      ['google', 'https://accounts.google.com'],
      ['microsoft', 'https://login.microsoftonline.com/0f8fad5b-d9cb-469f-a165-70867728950e/v2.0'],
    ],
  )
  const wrongs: Record<string, string>[] = [
    { GOOGLE_CLIENT_ID: 'id' },
    { MICROSOFT_CLIENT_ID: 'id', MICROSOFT_CLIENT_SECRET: 'secret' },
    { ...microsoft, MICROSOFT_TENANT_ID: 'common' },
  ]
  for (const wrong of wrongs)
    assert.match(problemsOf(wrong), /_CLIENT_ID.* must be set together|MICROSOFT_TENANT_ID must/)
})
