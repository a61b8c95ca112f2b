// `npm run bench:console`: the console in Chromium against a workspace of 100,000 conversations. Measures the time
// until the inbox shows its rows (with the processor slowed four times, as on a mid-range laptop), and from clicking a
// conversation until its thread is shown, and on a flow until its steps are. Writes bench/results-console.md.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CDPSession, chromium, type Page } from 'playwright-core'
import { startEmbedded } from '../server/platform/db/embedded.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { makeDataSet } from './data-set.ts'
import { measureFlowEditor } from './flow-editor.ts'
import { log, ROOT, runCommand, startFoyer, stop } from './foyer.ts'
import { median } from './load.ts'

const SIZES = { contacts: 70_000, conversations: 100_000, messagesPerConversation: 10, smallWorkspaces: 0 }
const ADMIN = 'agent1@workspace0.example'
const ROUNDS = 7
const SLOWER = 4
const ROW = '.convo'
const ENTRY = '.thread .bubble'

/** Milliseconds from navigation, or `from`, until one of these is painted. A string, because it runs in the page. */
const paintedAfter = (page: Page, selector: string, from = 0): Promise<number> =>
  page.evaluate(`new Promise((done) => {
    const look = () =>
      requestAnimationFrame(() => (document.querySelector(${JSON.stringify(selector)}) ? done(performance.now() - ${from}) : look()))
    look()
  })`)

const slow = (client: CDPSession, rate: number) => client.send('Emulation.setCPUThrottlingRate', { rate })

const workspaceOf = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `fetch('/console/api/session').then((it) => it.json()).then(({ workspaces }) => workspaces[0].id)`,
  )

const measureInbox = async (
  page: Page,
  client: CDPSession,
  url: string,
  isCached: boolean,
): Promise<number[]> => {
  const figures: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    if (!isCached) await client.send('Network.clearBrowserCache')
    await page.goto('about:blank')
    await slow(client, SLOWER)
    await page.goto(`${url}/inbox/all`, { waitUntil: 'commit' })
    figures.push(await paintedAfter(page, ROW))
    await slow(client, 1)
  }
  return figures
}

const measureOpening = async (page: Page, client: CDPSession, rate: number): Promise<number[]> => {
  const figures: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto('about:blank')
    await page.goto(new URL('/inbox/all', origin).toString())
    await page.waitForSelector(ROW)
    // The first click also loads the conversation's code; this measures an ordinary click.
    await page.locator(ROW).nth(0).click()
    await page.waitForSelector(ENTRY)
    await slow(client, rate)
    const from = await page.evaluate<number>(`(() => {
      document.querySelector('.thread').setAttribute('data-before', '')
      const at = performance.now()
      document.querySelectorAll('${ROW}')[${round + 1}].click()
      return at
    })()`)
    figures.push(await paintedAfter(page, '.thread:not([data-before]) .bubble', from))
    await slow(client, 1)
  }
  return figures
}

let origin = ''
const dataDir = mkdtempSync(join(tmpdir(), 'foyer-bench-console-'))
chmodSync(dataDir, 0o755)
const postgres = await startEmbedded({ dataDir })
await migrate(postgres.connectionString)
await makeDataSet(postgres.connectionString, SIZES, log)
const server = await startFoyer(dataDir)
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  origin = `http://127.0.0.1:${server.port}`
  const { url } = JSON.parse(await runCommand(dataDir, 'sign-in-link', '--email', ADMIN))
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const client = await page.context().newCDPSession(page)
  await page.goto(`${origin}/sign-in${new URL(url).hash}`)
  await page.waitForSelector('nav')
  const load = loadavg()[0]!.toFixed(1)
  const rows: [string, number[]][] = [
    [
      `inbox until its rows are painted, processor slowed ${SLOWER} times, nothing cached`,
      await measureInbox(page, client, origin, false),
    ],
    ['the same with the files cached', await measureInbox(page, client, origin, true)],
    ['click on a conversation until its thread is painted', await measureOpening(page, client, 1)],
    [`the same, processor slowed ${SLOWER} times`, await measureOpening(page, client, SLOWER)],
    [
      'click on a flow until its 300 steps are painted',
      await measureFlowEditor(page, { origin, workspaceId: await workspaceOf(page), rounds: ROUNDS }),
    ],
  ]
  const lines = [
    '# The console, measured',
    '',
    `Produced by \`npm run bench:console\` on ${new Date().toISOString().slice(0, 10)}: headless Chromium, 1440 × 900, ${SIZES.conversations.toLocaleString('en-US')} conversations and ${(SIZES.conversations * SIZES.messagesPerConversation).toLocaleString('en-US')} messages, all on the same ${cpus().length} cores (${cpus()[0]?.model.trim()}); load average before the first measurement ${load}. Milliseconds, ${ROUNDS} rounds each.`,
    '',
    '| Measurement | median | fastest | slowest |',
    '|---|---:|---:|---:|',
    ...rows.map(
      ([name, all]) =>
        `| ${name} | ${Math.round(median(all))} | ${Math.round(Math.min(...all))} | ${Math.round(Math.max(...all))} |`,
    ),
    '',
  ]
  writeFileSync(join(ROOT, 'bench/results-console.md'), lines.join('\n'))
  log(lines.slice(4).join('\n'))
} finally {
  await browser.close()
  await stop(server.child)
  await postgres.release()
  rmSync(dataDir, { recursive: true, force: true })
}
