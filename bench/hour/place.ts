// Where it takes place: a database, Foyer as a process that can be killed, the sandbox's providers, a push service, a
// shop's page with the chat box, and a workspace with a channel of each kind and two people.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { openPushService } from '../../server/domain/notifications/testing/push-service.ts'
import { startEmbedded } from '../../server/platform/db/embedded.ts'
import { migrate } from '../../server/platform/db/migrate.ts'
import { freePort, log, runCommand, startFoyer, stop } from '../foyer.ts'
import type { AgentName } from './ledger.ts'

const ADDRESS = 'support@shop.example'
const PEOPLE: Record<AgentName, string> = { Robin: 'robin@shop.example', Jane: 'jane@shop.example' }

const SECRETS = { accessToken: 'EAAhour', appSecret: 'hour-app-secret', verifyToken: 'hour-verify' }
const TELEGRAM = { botToken: '110201543:hourhourhourhourhourhourhourhour', webhookSecret: 'hour-telegram' }
const MESSENGER = { pageId: '108242318712345', ...SECRETS }
const SMS = { phoneNumber: '+15005550006', accountSid: `AC${'0'.repeat(32)}`, authToken: 'hour-twilio' }
const INBOUND_SECRET = 'hour-inbound-secret'

/** Errors of the server that its log names. */
export type ServerProblem = { atMs: number; line: string }

export type Place = Awaited<ReturnType<typeof preparePlace>>

const flagsOf = (fields: Record<string, string>): string[] =>
  Object.entries(fields).flatMap(([name, value]) => [
    `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    value,
  ])

/** A name of this machine, which a browser can be told to look for elsewhere. */
const publicUrlAt = (port: number): string => `http://foyer.localhost:${port}`

const makeServer = async (dataDir: string, port: number, smtpUrl: string) => {
  const problems: ServerProblem[] = []
  const onLine = (line: string): void => {
    if (/"level":(50|60)|"statusCode":500|"status":500/.test(line))
      problems.push({ atMs: performance.now(), line })
  }
  const publicUrl = publicUrlAt(port)
  const settings = { SMTP_URL: smtpUrl, TRUST_PROXY: 'off', PUBLIC_URL: publicUrl }
  const start = () => startFoyer(dataDir, { port, onLine, settings })
  let server = await start()
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    publicUrl,
    problems,
    kill: (): Promise<void> =>
      new Promise((done) => {
        server.child.once('exit', () => done())
        server.child.kill('SIGKILL')
      }),
    restart: async (): Promise<void> => {
      server = await start()
    },
    stop: () => stop(server.child),
  }
}

const serveShop = (base: string, channelId: string): Promise<{ url: string; close: () => void }> =>
  new Promise((done) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
        `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><body><p>Pots</p>
          <script async src="${base}/widget.js" data-channel="${channelId}" data-name="Ann 🌻"></script>`,
      )
    }).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      done({ url: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() ?? server.close() })
    })
  })

export const preparePlace = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'foyer-hour-'))
  chmodSync(dataDir, 0o755)
  const postgres = await startEmbedded({ dataDir })
  await migrate(postgres.connectionString)
  const db = new pg.Pool({ connectionString: postgres.connectionString, max: 4 })
  const port = await freePort()
  const sandbox = await startSandbox({
    ...SECRETS,
    ...{ smtpPort: 0, webhookTime: 'real', customers: false },
    reach: { from: publicUrlAt(port), to: `http://127.0.0.1:${port}` },
  })
  const smtpUrl = sandbox.smtpUrl!
  const server = await makeServer(dataDir, port, smtpUrl)
  log(`Foyer at ${server.url}, the sandbox at ${sandbox.url}/sandbox/`)

  const foyer = async (...args: string[]) => JSON.parse(await runCommand(dataDir, ...args))
  const { workspace } = await foyer('workspace', 'create', '--name', 'Hollow', '--admin', PEOPLE.Robin)
  const to = ['--workspace', workspace.id]
  const { secret } = await foyer('token', 'create', ...to, '--name', 'Trial')
  const addChannel = async (kind: string, fields: Record<string, string>): Promise<string> =>
    (await foyer('channel', 'add', kind, ...to, ...flagsOf(fields))).channel.id
  const [number] = sandbox.control.state().numbers
  const apiUrl = sandbox.url
  const ids = {
    web: await addChannel('web', {}),
    whatsapp: await addChannel('whatsapp', {
      ...{ phoneNumber: number!.displayPhoneNumber.replaceAll(/[^+\d]/g, ''), phoneNumberId: number!.id },
      ...{ businessAccountId: number!.businessAccountId, apiUrl },
      ...SECRETS,
    }),
    email: await addChannel('email', { address: ADDRESS, smtpUrl, inboundSecret: INBOUND_SECRET }),
    telegram: await addChannel('telegram', { ...TELEGRAM, apiUrl }),
    facebook: await addChannel('facebook', { ...MESSENGER, apiUrl }),
    sms: await addChannel('sms', { ...SMS, apiUrl }),
  }
  const at = (channel: keyof typeof ids): string => `${server.publicUrl}/webhooks/${channel}/${ids[channel]}`
  sandbox.control.set({ webhookUrl: at('whatsapp') })
  sandbox.control.connect({
    mail: { address: ADDRESS, name: 'Hollow', inboundUrl: at('email'), inboundSecret: INBOUND_SECRET },
    telegram: { ...TELEGRAM, webhookUrl: at('telegram') },
    messenger: { ...MESSENGER, webhookUrl: at('facebook') },
    sms: { ...SMS, webhookUrl: at('sms') },
  })

  const api = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  await api('POST', '/agents', { email: PEOPLE.Jane, nickname: 'Jane', role: 'agent' })
  for (const name of ['Refund', 'Délai', 'عاجل']) await api('POST', '/tags', { name, color: '#475569' })
  await db.query(`update accounts set nickname = 'Robin', undo_seconds = 5 where email = $1`, [PEOPLE.Robin])
  await db.query('update accounts set undo_seconds = 0 where email = $1', [PEOPLE.Jane])
  const accounts = await db.query<{ id: string; email: string }>('select id, email from accounts')
  const accountIds = Object.fromEntries(
    Object.entries(PEOPLE).map(([name, email]) => [
      name,
      accounts.rows.find((one) => one.email === email)!.id,
    ]),
  ) as Record<AgentName, string>

  let pushKey = ''
  const pushService = await openPushService(() => pushKey)
  const shop = await serveShop(server.url, ids.web)
  return {
    ...{ db, server, sandbox, pushService, shop, ids, accountIds, workspaceId: workspace.id as string },
    setPushKey: (key: string): void => {
      pushKey = key
    },
    nameOf: (accountId: string | null): AgentName | null =>
      (Object.entries(accountIds).find(([, id]) => id === accountId)?.[0] as AgentName | undefined) ?? null,
    signInHash: async (name: AgentName): Promise<string> =>
      new URL((await foyer('sign-in-link', '--email', PEOPLE[name])).url).hash,
    stop: async (): Promise<void> => {
      await server.stop()
      shop.close()
      pushService.stop()
      await sandbox.stop()
      await db.end()
      await postgres.release()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
