// `npm run bench:console`: the console in Chromium against a large workspace. Measures the time until the inbox shows
// its rows (with the processor slowed four times, as on a mid-range laptop), and from clicking a conversation until its
// thread is shown, and on a flow until its steps are. BENCH_DIR and BENCH_SIZE as for the others; see data-set-place.ts.
import { type CDPSession, chromium, type Page } from 'playwright-core'
import { describeSizes, onDataSet, SIZES } from './data-set-place.ts'
import { measureFlowEditor } from './flow-editor.ts'
import { log } from './foyer.ts'
import { median } from './load.ts'
import { IS_TRIAL, loadBefore, producedBy, writeResults } from './measured.ts'

const INBOX_MS = 600
const OPENING_MS = 100
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

const measure = async (page: Page, cookie: string): Promise<string[]> => {
  const client = await page.context().newCDPSession(page)
  const [name, value] = cookie.split('=') as [string, string]
  await page.context().addCookies([{ name, value, url: origin }])
  await page.goto(`${origin}/inbox/all`)
  await page.waitForSelector(ROW)
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
  return [
    '| Measurement | median | fastest | slowest |',
    '|---|---:|---:|---:|',
    ...rows.map(
      ([name, all]) =>
        `| ${name} | ${Math.round(median(all))} | ${Math.round(Math.min(...all))} | ${Math.round(Math.max(...all))} |`,
    ),
  ]
}

await onDataSet('console', SIZES, async ({ cookie, postgres, start }) => {
  const server = await start()
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    origin = `http://127.0.0.1:${server.port}`
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const busy = loadBefore()
    const table = await measure(page, cookie)
    writeResults('results-console', IS_TRIAL, [
      '# The console, measured',
      '',
      producedBy({
        script: 'bench:console',
        postgres,
        shared: 'Chromium (headless, 1440 × 900), one Foyer process and PostgreSQL',
        busy,
        caveat: 'so the times are too long.',
      }),
      '',
      `Data: ${describeSizes(SIZES)} (\`bench/data-set.ts\`). Milliseconds, ${ROUNDS} rounds each. The goals, at 100,000 conversations, are ${INBOX_MS} ms for the inbox with the processor slowed and ${OPENING_MS} ms for a click.`,
      '',
      ...table,
      '',
    ])
    log(table.join('\n'))
  } finally {
    await browser.close()
  }
})
