// An agent at work: a browser with the inbox, what they do there with keys and mouse, and a second screen that is watched.
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { launchBrowser } from '../../test/browser.ts'
import { openProxy } from '../../test/cuttable-proxy.ts'
import { until } from '../../test/until.ts'
import type { Open } from './follow.ts'
import type { AgentName, Ledger } from './ledger.ts'
import type { Place } from './place.ts'
import { makeWatcher, type Watcher } from './watch.ts'

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
/** Shows about thirty rows. */
const WALL = { width: 1440, height: 2200 }
const ACT_TIMEOUT_MS = 20_000

export type Agent = Awaited<ReturnType<typeof makeAgent>>

type Given = { place: Place; ledger: Ledger; name: AgentName }

/** Errors of a page, and what the network had to do with them. */
const listenTo = (page: Page, { ledger, name }: Given, which: string): void => {
  const say = (kind: string, text: string): void => {
    const atMs = performance.now()
    const isNetwork =
      /net::ERR_|Failed to fetch|status of (502|503|504)|network error|Can’t reach the server|You’re offline/i.test(
        text,
      )
    if (isNetwork && ledger.isTroubled(name, atMs, atMs, 60_000)) return
    // A reply that crossed a colleague's, which is said in the thread, or one that was sent before it was undone.
    if (/status of 409/.test(text)) ledger.count('refused with 409', 'done')
    // It was being looked at when it was assigned to somebody else.
    else if (name === 'Jane' && /status of 404.*\/(conversations|contacts)\//.test(text))
      ledger.count('lost sight of', 'done')
    else ledger.find(kind, `${name} (${which}): ${text.slice(0, 400)}`)
  }
  page.on('pageerror', (error) => say('page error', error.stack ?? error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') say('console error', `${message.text()} ${message.location().url}`)
  })
  page.on('response', (response) => {
    if (response.status() === 500) ledger.find('500', `${name} (${which}): ${response.url()}`)
  })
  page.on('dialog', (dialog) => void dialog.accept().catch(() => {}))
}

const signIn = async (context: BrowserContext, { place, name }: Given, base: string): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(`${base}/sign-in${await place.signInHash(name)}`)
  await page.waitForURL('**/inbox/**')
  return page
}

/** Subscribes the browser with the push service of the trial: Chromium's own is its vendor's. */
const subscribe = async (page: Page, { place, name }: Given): Promise<void> => {
  const key = await page.evaluate<string>(
    `fetch('/console/api/notifications', { headers: { 'x-foyer-console': '1' } }).then((it) => it.json()).then(({ pushKey }) => pushKey)`,
  )
  place.setPushKey(key)
  const body = JSON.stringify(place.pushService.subscribe(name))
  const status = await page.evaluate<number>(
    `fetch('/console/api/notifications/subscription', { method: 'PUT', headers: { 'x-foyer-console': '1', 'content-type': 'application/json' }, body: ${JSON.stringify(body)} }).then(({ status }) => status)`,
  )
  if (status !== 200) throw new Error(`subscribing ${name} answered ${status}`)
}

export const makeAgent = async (given: Given) => {
  const { place, ledger, name } = given
  const proxy = await openProxy({ host: '127.0.0.1', port: place.server.port })
  const base = place.server.publicUrl
  // Everybody uses the public address; this browser gets there through the proxy.
  const browser = await launchBrowser(
    `--host-resolver-rules=MAP ${new URL(base).hostname} 127.0.0.1:${proxy.port}`,
  )
  const options = { reducedMotion: 'reduce', locale: 'en-GB' } as const
  const context = await browser.newContext({ ...options, viewport: DESK })
  const wall = await browser.newContext({ ...options, viewport: WALL })
  for (const one of [context, wall]) one.setDefaultTimeout(ACT_TIMEOUT_MS)
  const watcher: Watcher = await makeWatcher(wall)
  const page = await signIn(context, given, base)
  const watch = await signIn(wall, given, base)
  listenTo(page, given, 'desk')
  listenTo(watch, given, 'wall')
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame())
      ledger.places[name].push({ atMs: performance.now(), path: new URL(frame.url()).pathname })
  })
  await subscribe(page, given)
  await watch.goto(`${base}/inbox/all`)
  await page.goto(`${base}/inbox/open`)
  const clients: Record<'desk' | 'wall', CDPSession> = {
    desk: await context.newCDPSession(page),
    wall: await wall.newCDPSession(watch),
  }
  for (const client of Object.values(clients)) await client.send('Performance.enable')
  let isBusy = false
  return {
    ...{ name, page, watch, context, wall, proxy, base, watcher, clients },
    isPhone: (): boolean => (page.viewportSize()?.width ?? 0) < 700,
    setPhone: (is: boolean) => page.setViewportSize(is ? PHONE : DESK),
    setOffline: async (is: boolean): Promise<void> => {
      await Promise.all([context.setOffline(is), wall.setOffline(is)])
    },
    /** One thing at a time. */
    alone: async (work: () => Promise<void>): Promise<void> => {
      while (isBusy) await new Promise((done) => setTimeout(done, 100))
      isBusy = true
      try {
        await work()
      } finally {
        isBusy = false
      }
    },
    close: async (): Promise<void> => {
      await browser.close()
      proxy.close()
    },
  }
}

export const composer = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true })

/** So that the next key is a command. */
export const leaveField = async (page: Page): Promise<void> => {
  const isTyping = await page.evaluate<boolean>(
    `document.activeElement?.matches('textarea, input, [contenteditable=true]') ?? false`,
  )
  if (isTyping) await page.keyboard.press('Escape')
}

/** Opens a conversation as a person does: by its row if it is there, or by its address. */
export const open = async ({ page, base, isPhone }: Agent, { id }: Pick<Open, 'id'>): Promise<void> => {
  if (page.url().endsWith(id)) return
  if (isPhone() && /inbox\/\w+\/\w+/.test(page.url()))
    await page
      .getByRole('button', { name: 'Back to list' })
      .or(page.getByRole('link', { name: 'Back to inbox' }))
      .or(page.getByRole('button', { name: 'Back to inbox' }))
      .click()
  const row = page.locator(`.convo[href*="${id}"]`)
  if (!(await row.isVisible()) && page.url().includes('/inbox/')) {
    await leaveField(page)
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.waitForURL('**/inbox/all**')
    await row.waitFor({ timeout: 3_000 }).catch(() => {})
  }
  if (await row.isVisible()) await row.click()
  else await page.goto(`${base}/inbox/all/${id}`)
  await page.waitForURL(`**/${id}*`)
  await page.locator('.convo-head__name').waitFor()
}

export const openView = async ({ page, base }: Agent, view: string): Promise<void> => {
  await page.goto(`${base}/inbox/${view}`)
  await page.locator('.list__head').waitFor()
}

/** Replaces what is written there. */
export const type = async (page: Page, isEmail: boolean, text: string): Promise<void> => {
  const field = composer(page)
  await field.click()
  if (!isEmail) return field.fill(text)
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

export const readField = async (page: Page, isEmail: boolean): Promise<string> => {
  const field = composer(page)
  return isEmail ? ((await field.textContent()) ?? '') : await field.inputValue()
}

export const untilEmpty = (page: Page, isEmail: boolean): Promise<void> =>
  until(async () => (await readField(page, isEmail)).trim() === '', 'the field to be empty')
