import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect } from 'node:tls'
import { until } from '../../test/until.ts'
import { followCertificate, readCertificate } from './certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'foyer-tls-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const paths = { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') }

const makeCertificate = (name: string): boolean =>
  spawnSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', `/CN=${name}`, '-keyout', `${paths.keyPath}.new`, '-out', `${paths.certPath}.new`],
    ],
    { stdio: 'ignore' },
  ).status === 0

const renew = (name: string): void => {
  makeCertificate(name)
  renameSync(`${paths.certPath}.new`, paths.certPath)
  renameSync(`${paths.keyPath}.new`, paths.keyPath)
}

const hasOpenssl = makeCertificate('probe')

test('a renewed certificate is served without a restart, and a broken one never', {
  skip: !hasOpenssl && 'there is no openssl to make a certificate with',
}, async (t) => {
  renew('first.example')
  const served = readCertificate(paths)
  const server = createServer(served).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const warnings: string[] = []
  const following = followCertificate(paths, {
    served,
    server,
    log: { info: () => {}, warn: (_: unknown, message?: string) => warnings.push(message ?? '') } as never,
    lookEveryMs: 20,
  })
  t.after(() => {
    following.stop()
    server.close()
  })
  const nameServed = async (): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', { rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { CN } = socket.getPeerCertificate().subject
    socket.destroy()
    return String(CN)
  }
  assert.equal(await nameServed(), 'first.example')
  renew('second.example')
  await until(async () => (await nameServed()) === 'second.example', 'the renewed certificate')
  writeFileSync(paths.certPath, 'half a file')
  await until(() => warnings.length > 0, 'the warning')
  assert.equal(await nameServed(), 'second.example')
  assert.equal(warnings.length, 1)
  renew('third.example')
  await until(async () => (await nameServed()) === 'third.example', 'the certificate after that')
})
