import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from './address.ts'

const hostsOf = (text: string) => parseAddress(text).hosts.map(({ host, port }) => `${host}:${port}`)

test('DATABASE_URL may name several hosts, each with a port of its own', () => {
  assert.deepEqual(hostsOf('postgres://u:p%40w@a,b:5433,[::1]:5434/foyer?sslmode=disable'), [
    'a:5432',
    'b:5433',
    '[::1]:5434',
  ])
  const { urlOf, hosts } = parseAddress('postgresql://u:p%40w@a,b:5433/foyer?sslmode=disable')
  assert.equal(urlOf(hosts[1]!), 'postgresql://u:p%40w@b:5433/foyer?sslmode=disable')
})

test('a single host or a socket is used as written', () => {
  for (const url of [
    'postgresql://foyer@127.0.0.1:5432/foyer',
    'postgresql://u@localhost/foyer?host=%2Ftmp&port=1',
  ])
    assert.equal(parseAddress(url).urlOf(parseAddress(url).hosts[0]!), url)
})

test('with several hosts the writable one is required, with a single host any', () => {
  assert.equal(parseAddress('postgres://a,b/x').target, 'read-write')
  assert.equal(parseAddress('postgres://a/x').target, 'any')
  assert.equal(parseAddress('postgres://a/x?target_session_attrs=primary').target, 'primary')
  assert.doesNotMatch(
    parseAddress('postgres://a/x?target_session_attrs=primary').urlOf({ host: 'a', port: 1 }),
    /target/,
  )
})

test('an unusable URL is rejected with the reason', () => {
  assert.throws(() => parseAddress('mysql://a/x'), /must be a URL that begins with postgres/)
  assert.throws(() => parseAddress('postgres://a,b/x?target_session_attrs=standby'), /Foyer writes/)
  assert.throws(() => parseAddress(`postgres://${Array(11).fill('a').join()}/x`), /at most 10 hosts/)
})
