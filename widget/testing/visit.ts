// A page with the chat box in a real browser, against the API in memory, and what tests do there.
import assert from 'node:assert/strict'
import { after, before, test as nodeTest } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { build, launchBrowser, skipBrowser as skip } from '../../test/browser.ts'
import { type FakeServer, startFakeServer } from './fake-server.ts'

const waitMaxMs = 15_000
let browser: Browser

before(async () => {
  if (skip) return
  build()
  browser = await launchBrowser()
})
after(() => browser?.close())

export const test = (name: string, work: () => void | Promise<void>) => nodeTest(name, { skip }, work)

export type Visit = { server: FakeServer; shop: FakeServer; context: BrowserContext; page: Page }

/** The page and the API have different origins, as in production. */
export const visit = async (
  work: (visit: Visit) => Promise<void>,
  setUp: Parameters<Browser['newContext']>[0] = {},
) => {
  const server = await startFakeServer()
  const shop = await startFakeServer({ origin: server.baseUrl })
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...setUp,
  })
  context.setDefaultTimeout(waitMaxMs)
  const page = await context.newPage()
  try {
    await page.goto(hostOf(shop))
    await work({ server, shop, context, page })
  } finally {
    await context.close()
    await server.close()
    await shop.close()
  }
}

export const hostOf = (shop: FakeServer): string => `${shop.ownUrl}/host`
export const launcher = (page: Page) => page.locator('.launcher')
export const composer = (page: Page) => page.getByLabel('Your message')
export const bubbles = (page: Page) => page.locator('.bubble').and(page.locator('#foyer-chat .bubble'))
export const texts = (page: Page): Promise<string[]> => bubbles(page).allTextContents()

export const openChat = async (page: Page): Promise<void> => {
  await launcher(page).click()
  await composer(page).waitFor()
}
export const write = async (page: Page, text: string): Promise<void> => {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

export const until = async (describe: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + waitMaxMs
  while (!(await condition())) {
    if (Date.now() > deadline) assert.fail(`not within ${waitMaxMs} ms: ${describe}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
export const untilTexts = async (page: Page, expected: string[]): Promise<void> => {
  let seen: string[] = []
  try {
    await until('the thread', async () => {
      seen = await texts(page)
      return JSON.stringify(seen) === JSON.stringify(expected)
    })
  } catch {
    assert.deepEqual(seen, expected)
  }
}
export const untilListening = (server: FakeServer): Promise<void> =>
  until('the stream is open', () => server.streamCount() > 0)
