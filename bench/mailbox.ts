// How fast a mailbox is imported: `npm run bench:mailbox [MAILS]`. A real Dovecot (Debian's; as root) with that many
// emails, a separate Foyer on its private PostgreSQL, and the memory of its process during the import.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { noMailServers, OUR_DOMAIN, startMailServers } from '../test/mail-servers.ts'
import { buildProgram, PROGRAM } from '../test/program.ts'
import { CUSTOMER_SENTENCES } from './phrases.ts'

buildProgram()
const ROOT = resolve(import.meta.dirname, '..')
const MAILS = Number(process.argv[2] ?? 10_000)
const CUSTOMERS = 2_000
const SUPPORT = `support@${OUR_DOMAIN}`
const PAGE = 100
const LOOK_EVERY_MS = 250
const START_TIMEOUT_MS = 60_000

/** Every third replies to the one a hundred before it; every fifth also has HTML. */
const mailNo = (number: number): string => {
  const sentence = (offset: number) => CUSTOMER_SENTENCES[(number * 7 + offset) % CUSTOMER_SENTENCES.length]
  const text = Array.from({ length: 3 + (number % 5) }, (_, index) => sentence(index)).join('\r\n')
  const customer = (number % 3 === 0 && number > 100 ? number - 100 : number) % CUSTOMERS
  const head = [
    `From: Customer ${customer} <customer${customer}@customers.test>`,
    `To: ${SUPPORT}`,
    `Message-ID: <mail-${number}@customers.test>`,
    ...(number % 3 === 0 && number > 100 ? [`In-Reply-To: <mail-${number - 100}@customers.test>`] : []),
    `Date: ${new Date(Date.now() - (MAILS - number) * 1000).toUTCString()}`,
    `Subject: Mail ${number}`,
    'MIME-Version: 1.0',
  ]
  if (number % 5 !== 0) return [...head, 'Content-Type: text/plain; charset=utf-8', '', text, ''].join('\r\n')
  return [
    ...head,
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<html><body><p>${text.replaceAll('\r\n', '</p>\r\n<p>')}</p></body></html>`,
    '--b--',
    '',
  ].join('\r\n')
}

const env = (dataDir: string): NodeJS.ProcessEnv => ({
  ...process.env,
  DATA_DIR: dataDir,
  PORT: '0',
  DEMO: 'off',
  OUTBOUND_ALLOW: '127.0.0.1',
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'info',
})

const foyer = (dataDir: string, ...args: string[]) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: ROOT,
    env: env(dataDir),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const serve = async (dataDir: string) => {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { cwd: ROOT, env: env(dataDir) })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  child.stderr.resume()
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    const line = output.split('\n').find((line) => line.includes('"msg":"Foyer is ready"'))
    if (line) return { url: JSON.parse(line).address as string, child }
    if (performance.now() > deadline) throw new Error(output)
    await delay(LOOK_EVERY_MS)
  }
}

const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)

const missing = noMailServers()
if (missing) throw new Error(missing)
const servers = await startMailServers({ mailboxes: [SUPPORT] })
const dataDir = mkdtempSync(join(tmpdir(), 'foyer-bench-mailbox-'))
chmodSync(dataDir, 0o755)
const folder = servers.maildir(SUPPORT)
for (const name of ['new', 'cur', 'tmp']) mkdirSync(join(folder, name), { recursive: true })
for (let number = 1; number <= MAILS; number++)
  writeFileSync(join(folder, 'new', `${1_700_000_000 + number}.M1P1.test`), mailNo(number))
spawnSync('chown', ['-R', 'mail:mail', folder])

const { url, child } = await serve(dataDir)
try {
  const { workspace } = foyer(dataDir, 'workspace', 'create', '--name', 'Bench', '--admin', 'a@bench.test')
  const { secret } = foyer(dataDir, 'token', 'create', '--workspace', workspace.id, '--name', 'Bench')
  // biome-ignore lint/suspicious/noExplicitAny: responses of several shapes
  const get = async (path: string): Promise<any> =>
    (await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${secret}` } })).json()
  const newest = async (): Promise<number> => {
    const { messages } = await get('/messages?limit=1')
    const { messages: thread } = messages[0]
      ? await get(`/conversations/${messages[0].conversationId}/messages?limit=1`)
      : { messages: [] }
    return Number(/\d+/.exec(thread[0]?.metadata?.subject ?? '0')?.[0])
  }
  const memory: number[] = []
  const startMb = residentMb(child.pid!)
  const email = ['--smtp-url', servers.smtpUrl, '--imap-url', servers.imapUrl(SUPPORT)]
  foyer(dataDir, 'channel', 'add', 'email', '--workspace', workspace.id, '--address', SUPPORT, ...email)
  while ((await newest()) === 0) await delay(LOOK_EVERY_MS / 10)
  const begin = performance.now()
  const already = await newest()
  for (let done = already; done < MAILS; done = await newest()) {
    memory.push(residentMb(child.pid!))
    await delay(LOOK_EVERY_MS)
  }
  const seconds = (performance.now() - begin) / 1000
  let count = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await get(`/messages?limit=${PAGE}${cursor && `&cursor=${cursor}`}`)
    count += page.messages.length
    cursor = page.nextCursor
  }
  console.log(
    JSON.stringify({
      mails: MAILS,
      stored: count,
      seconds: Number(seconds.toFixed(1)),
      perSecond: Math.round((MAILS - already) / seconds),
      residentMb: { start: startMb, half: memory[memory.length >> 1], max: Math.max(...memory) },
      load: loadavg()[0]?.toFixed(1),
    }),
  )
} finally {
  child.kill('SIGTERM')
  await new Promise((done) => child.once('close', done))
  await servers.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
