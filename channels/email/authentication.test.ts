import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticationReportsOf, authenticationServersOf, verifySender } from './authentication.ts'
import { readHead } from './head.ts'

const OURS = 'mx.northwind.example'
const MAILBOX = 'support@northwind.example'
const HOP = `Received: from out.example.net (out.example.net [192.0.2.7])\r\n\tby ${OURS} with ESMTPS id 1; Tue, 12 Mar 2024 10:15:00 +0100`

/** The verdict on an email from ines@example.com with these header lines; our server's name is set. */
const verdict = (
  lines: string | string[],
  servers: readonly string[] = [OURS],
  from = 'ines@example.com',
) => {
  const head = readHead(Buffer.from([lines, `From: ${from}`, '', 'x'].flat().join('\r\n')))
  return verifySender(
    { from: { address: from }, authentication: authenticationReportsOf(head) },
    servers,
    MAILBOX,
  )
}
const results = (text: string) => `Authentication-Results: ${OURS}; ${text}`

test('a sender is verified by DMARC, or by DKIM or SPF for the domain in From', () => {
  for (const text of [
    'dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=example.com',
    'dmarc=pass(p=reject) header.from=example.com',
    'spf=pass smtp.mailfrom=bounce@mail.example.com',
    'dkim=pass header.i=@example.com header.s=one header.b=ab/cd+e=',
    'dkim/1 = pass (2048-bit key) header.d = example.com',
    'dkim=fail header.d=example.com; dkim=pass header.d=example.com; dmarc=none',
    'dmarc=pass policy.dmarc="none; quarantine" header.from="example.com"',
  ])
    assert.equal(verdict(results(text)), 'verified', text)
})

test('a pass for a domain other than that in From, or no result, doesn’t verify the sender', () => {
  for (const text of [
    'none',
    'spf=pass smtp.mailfrom=news@mailer.example',
    'spf=pass smtp.helo=example.com',
    'dkim=pass header.d=mailer.example; dmarc=none header.from=example.com',
    'dkim=pass header.d=notexample.com',
    'dmarc=pass header.from=evil.example',
    'dmarc=bestguesspass action=none header.from=example.com',
    'spf=softfail smtp.mailfrom=example.com',
  ])
    assert.equal(verdict(results(text)), 'absent', text)
  // Domains under which anyone can register are not organizations.
  assert.equal(verdict(results('dkim=pass header.d=evil.co.uk'), [OURS], 'a@victim.co.uk'), 'absent')
  assert.equal(verdict(results('dkim=pass header.d=evil.github.io'), [OURS], 'a@victim.github.io'), 'absent')
  assert.equal(verdict('Subject: Hello'), 'absent')
})

test('no text inside a value, a comment or a quoted string counts as a result', () => {
  for (const text of [
    'spf=pass smtp.mailfrom=dmarc=pass@evil.example; dmarc=fail header.from=example.com',
    'spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.com"@evil.example; dmarc=fail',
    'spf=pass smtp.mailfrom="x\\"; dmarc=pass"@evil.example; dmarc=fail',
    'dmarc=fail (not dmarc=pass; dmarc=pass) header.from=example.com',
    'spf=pass (domain of ; dmarc=pass header.from=example.com) smtp.mailfrom=a@evil.example; dmarc=fail',
    'dmarc=fail (a (nested; dmarc=pass) comment \\) ; dmarc=pass) header.from=example.com',
    'spf=fail smtp.mailfrom=example.com reason="dkim=pass header.d=example.com"',
    'spf=pass smtp.mailfrom=x(@evil.example; dmarc=fail header.from=example.com',
    'spf=pass smtp.mailfrom=x"@evil.example; dmarc=fail header.from=example.com',
  ])
    assert.equal(verdict(results(text)), 'failed', text)
})

test('a folded header is read in full', () => {
  assert.equal(
    verdict(
      `Authentication-Results: ${OURS};\r\n\tdkim=none (no\r\n signature);\r\n\tdmarc=\r\n pass header.from=example.com`,
    ),
    'verified',
  )
  assert.equal(
    verdict(`Authentication-Results:\r\n ${OURS};\r\n  dmarc=fail\r\n header.from=example.com`),
    'failed',
  )
})

test('only our own server’s topmost result counts in a sender’s favour', () => {
  const pass = 'dmarc=pass header.from=example.com'
  const forged = `Authentication-Results: ${OURS}; ${pass}`
  const failed = `Authentication-Results: ${OURS}; dmarc=fail header.from=example.com`
  assert.equal(verdict([failed, HOP, forged]), 'failed')
  assert.equal(verdict([failed, forged]), 'failed')
  for (const server of ['mx.evil.example', `${OURS}.evil.example`, `evil-${OURS}`, ''])
    assert.equal(verdict(`Authentication-Results: ${server}; ${pass}`), 'absent', server)
  assert.equal(verdict([`Authentication-Results: mx.evil.example; ${pass}`, failed]), 'failed')
  assert.equal(verdict([HOP, forged]), 'verified')
})

test('without a known server name, only a result above every hop about the mailbox’s own domain counts', () => {
  const pass = `Authentication-Results: ${OURS}; dmarc=pass header.from=example.com`
  assert.equal(verdict([pass, HOP], []), 'verified')
  // Below a hop, the sender may have written it.
  assert.equal(verdict([HOP, pass], []), 'absent')
  assert.equal(verdict([pass.replace(OURS, 'mx.evil.example'), HOP], []), 'absent')
  assert.equal(verdict([HOP, results('dmarc=fail header.from=example.com')], []), 'failed')
})

test('large providers are recognised by their IMAP server, and a setting takes precedence', () => {
  assert.deepEqual(authenticationServersOf(undefined, 'imaps://imap.gmail.com'), ['mx.google.com'])
  assert.deepEqual(authenticationServersOf('MX.Own.Example', 'imaps://imap.gmail.com'), ['mx.own.example'])
  assert.deepEqual(authenticationServersOf(undefined, 'imaps://imap.gmail.com.evil.example'), [])
  const servers = authenticationServersOf(undefined, 'imaps://outlook.office365.com')
  const unnamed =
    'Authentication-Results: spf=pass (sender IP is 192.0.2.1)\r\n smtp.mailfrom=example.com; dkim=pass header.d=example.com;dmarc=pass action=none header.from=example.com;compauth=pass reason=100'
  assert.equal(verdict(unnamed, servers), 'verified')
  assert.equal(verdict(unnamed.replace('dmarc=pass', 'dmarc=fail'), servers), 'failed')
})

test('every header is parsed quickly', () => {
  for (const text of [
    '('.repeat(16_000),
    '"'.repeat(15_999),
    'a='.repeat(8_000),
    ';a=b'.repeat(4_000),
    ' = '.repeat(5_000),
  ]) {
    const startedMs = performance.now()
    verdict(results(text))
    assert.ok(performance.now() - startedMs < 500)
  }
})
