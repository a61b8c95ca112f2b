// A process is killed while it reads a mailbox: afterwards every email is stored, and only once.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { noMailServers, OUR_DOMAIN, startMailServers } from '../mail-servers.ts'
import { atTheEnd, call, command, makeWorkspace, serve, temporaryDirectory, until } from './foyer.ts'

const SUPPORT = `support@${OUR_DOMAIN}`
const MAILS = 600
const KILL_AFTER = 150
const PAGE = 100

const mailNo = (number: number): string =>
  [
    `From: Customer ${number} <customer${number % 50}@customers.test>`,
    `To: ${SUPPORT}`,
    `Message-ID: <mail-${number}@customers.test>`,
    `Date: ${new Date(Date.now() - (MAILS - number) * 1000).toUTCString()}`,
    `Subject: Mail ${number}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    `This is mail number ${number}.`,
    '',
  ].join('\r\n')

test('a mailbox is read completely after a kill, each email once', {
  skip: noMailServers(),
}, async () => {
  const servers = await startMailServers({ mailboxes: [SUPPORT] })
  atTheEnd(servers.stop)
  const folder = servers.maildir(SUPPORT)
  for (const name of ['new', 'cur', 'tmp']) mkdirSync(join(folder, name), { recursive: true })
  for (let number = 1; number <= MAILS; number++)
    writeFileSync(join(folder, 'new', `${1_700_000_000 + number}.M1P1.test`), mailNo(number))
  spawnSync('chown', ['-R', 'mail:mail', folder])

  const env = { DATA_DIR: temporaryDirectory() }
  let foyer = await serve(env)
  const { workspaceId, secret } = await makeWorkspace(env)
  const add = ['channel', 'add', 'email', '--workspace', workspaceId, '--address', SUPPORT]
  await command(env, ...add, '--smtp-url', servers.smtpUrl, '--imap-url', servers.imapUrl(SUPPORT))

  const bodies = async (): Promise<string[]> => {
    const all: string[] = []
    for (let cursor = ''; ; ) {
      const path = `/api/v1/messages?limit=${PAGE}${cursor && `&cursor=${cursor}`}`
      const { body } = await call(foyer.url, secret, 'GET', path)
      all.push(...body.messages.map((message: { body: string }) => message.body))
      if (!body.nextCursor) return all
      cursor = body.nextCursor
    }
  }
  for (let kills = 1; kills <= 2; kills++) {
    await until('a part of the mailbox', async () => (await bodies()).length >= KILL_AFTER * kills, 60_000)
    await foyer.kill()
    foyer = await serve(env)
    assert.ok((await bodies()).length < MAILS, 'killed after the end')
  }
  await until('the whole mailbox', async () => (await bodies()).length >= MAILS, 60_000)
  const expected = Array.from({ length: MAILS }, (_, index) => `This is mail number ${index + 1}.`)
  assert.deepEqual((await bodies()).sort(), expected.sort())
})
