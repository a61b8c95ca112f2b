// A real IMAP and SMTP server, Debian's Dovecot and Postfix, on free loopback ports and in their own directory: two
// domains, and the same password for every mailbox.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'

const DOVECOT = '/usr/sbin/dovecot'
const POSTFIX = '/usr/sbin/postfix'

/** Why the servers can't be started here, or false: for the `skip` option of a test. */
export const noMailServers = (): string | false => {
  if (!existsSync(DOVECOT) || !existsSync(POSTFIX))
    return "needs Debian's dovecot-imapd and postfix: apt-get install dovecot-imapd postfix"
  return process.getuid?.() === 0 ? false : 'needs root: Dovecot and Postfix drop to users of their own'
}

const PASSWORD = 'letmein'
export const OUR_DOMAIN = 'shop.test'
export const THEIR_DOMAIN = 'customers.test'

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

const answers = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
    socket.once('close', () => done(false))
  })

/** A daemon keeps inherited files open, so it inherits none. */
const run = (command: string, args: string[]): Promise<void> =>
  new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: 'ignore' })
    child.once('error', fail)
    child.once('exit', (code) =>
      code === 0 ? done() : fail(new Error(`${command} ${args.join(' ')}: ${code}`)),
    )
  })

const dovecotConfig = (dir: string, port: number, introspectionUrl: string | undefined) => `
base_dir = ${dir}/run
state_dir = ${dir}/state
log_path = ${dir}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2
mail_location = maildir:${dir}/mail/%u
first_valid_uid = 1
mail_max_userip_connections = 100
imap_idle_notify_interval = 30 s
${
  introspectionUrl
    ? `passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = ${dir}/oauth2.conf
}`
    : ''
}
passdb {
  driver = static
  mechanisms = plain login
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${dir}/mail/%u
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`

const postfixMain = (dir: string) => `
compatibility_level = 3.6
queue_directory = ${dir}/queue
data_directory = ${dir}/postfix-data
maillog_file = ${dir}/postfix.log
maillog_file_prefixes = ${dir}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.${OUR_DOMAIN}
mydestination =
mynetworks = 127.0.0.0/8
alias_maps =
recipient_delimiter = +
virtual_mailbox_domains = ${OUR_DOMAIN} ${THEIR_DOMAIN}
virtual_mailbox_base = ${dir}/mail
virtual_mailbox_maps = texthash:${dir}/postfix/mailboxes
virtual_minimum_uid = 1
virtual_uid_maps = static:8
virtual_gid_maps = static:8
smtpd_reject_unlisted_recipient = no
smtpd_recipient_restrictions = permit_mynetworks, reject
message_size_limit = 60000000
mailbox_size_limit = 0
virtual_mailbox_limit = 0
default_process_limit = 10
`

const postfixMaster = (port: number) => `
127.0.0.1:${port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`

type Options = {
  /** Email to any other address of the two domains bounces. */
  mailboxes: readonly string[]
  /** XOAUTH2 tokens are validated at this URL (RFC 7662). */
  introspectionUrl?: string
}

export const startMailServers = async ({ mailboxes, introspectionUrl }: Options) => {
  const dir = mkdtempSync(join(tmpdir(), 'foyer-mail-'))
  chmodSync(dir, 0o755)
  const [imapPort, smtpPort] = [await freePort(), await freePort()]
  for (const name of ['run', 'state', 'mail', 'queue', 'postfix', 'postfix-data']) mkdirSync(join(dir, name))
  spawnSync('chown', ['mail:mail', join(dir, 'mail')])
  spawnSync('chown', ['postfix', join(dir, 'postfix-data')])
  writeFileSync(join(dir, 'dovecot.conf'), dovecotConfig(dir, imapPort, introspectionUrl))
  if (introspectionUrl)
    writeFileSync(
      join(dir, 'oauth2.conf'),
      `introspection_url = ${introspectionUrl}\nintrospection_mode = post\nusername_attribute = username\nactive_attribute = active\nactive_value = true\n`,
    )
  writeFileSync(join(dir, 'postfix', 'main.cf'), postfixMain(dir))
  writeFileSync(join(dir, 'postfix', 'master.cf'), postfixMaster(smtpPort))
  writeFileSync(join(dir, 'postfix', 'mailboxes'), mailboxes.map((one) => `${one} ${one}/\n`).join(''))

  const dovecot = (...args: string[]) => run(DOVECOT, ['-c', join(dir, 'dovecot.conf'), ...args])
  const postfix = (command: string) => run(POSTFIX, ['-c', join(dir, 'postfix'), command])
  await dovecot()
  await postfix('start')
  await until(() => answers(imapPort), 'Dovecot to answer')
  await until(() => answers(smtpPort), 'Postfix to answer')

  return {
    dir,
    imapPort,
    smtpPort,
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    imapUrl: (user: string, password = PASSWORD) =>
      `imap://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${imapPort}`,
    /** Where an address's messages are, one file each, in `new` or `cur`. */
    maildir: (user: string) => join(dir, 'mail', user),
    stopImap: () => dovecot('stop'),
    startImap: () => dovecot(),
    stop: async () => {
      await dovecot('stop').catch(() => {})
      await postfix('stop').catch(() => {})
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
