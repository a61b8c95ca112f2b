// A browser in the console, for tests of the interface.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { createSignInLink } from '../server/domain/accounts/create-sign-in-link.ts'
import type { TestApp } from './app.ts'
import { build, launchBrowser, skipBrowser as skip } from './browser.ts'

const waitMaxMs = 45_000

/** Where screens are checked with axe: both themes and both widths, once each. */
export const LOOKS = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
] as const

const axeSource = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

type SigningIn = { context: BrowserContext; base: string; workspaceId: string; email: string }

type Visit = BrowserContextOptions & { person?: { email: string } }

/**
 * A browser for the tests of a file, and the console of its server. Hooks of the file that need them are registered
 * after this. `port`: known beforehand, for a server that has to know its address. A test's own `person` and browser options come last: `visit('/flows', work, { person: jane })`.
 */
export const browseConsole = (testApp: TestApp, workspaceId: string, robin: { email: string }, port = 0) => {
  let browser: Browser
  let base = ''
  before(async () => {
    if (skip) return
    build()
    browser = await launchBrowser()
    base = await testApp.app.listen({ port, host: '127.0.0.1' })
  })
  after(() => browser?.close())
  return {
    browser: () => browser,
    /** The server's address, without a slash at the end. */
    base: () => base,
    test: (name: string, work: () => Promise<void>) => test(name, { skip }, work),
    visit: (
      path: string,
      work: (page: Page) => Promise<void>,
      { person = robin, ...options }: Visit = {},
    ): Promise<void> => visitConsole(testApp, { browser, base, workspaceId, person, path, options }, work),
  }
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

/**
 * A browser that has signed in, without the page for it: that one would load the whole console before the screen does,
 * which takes a second of the processor.
 */
export const signInBrowser = async (
  { ctxOf }: TestApp,
  { context, base, workspaceId, email }: SigningIn,
): Promise<void> => {
  const { url } = await createSignInLink({ ...ctxOf(workspaceId), publicUrl: base }, { email })
  const answer = await context.request.post(`${base}/console/api/sign-in`, {
    headers: { 'x-foyer-console': '1' },
    data: { secret: new URL(url).hash.slice(1) },
  })
  assert.equal(answer.status(), 200, await answer.text())
}

/** Opens a page, signed in. Any browser error fails the test, so that nothing breaks unnoticed. */
const visitConsole = async (
  testApp: TestApp,
  {
    browser,
    base,
    workspaceId,
    person,
    path,
    options,
  }: {
    browser: Browser
    base: string
    workspaceId: string
    person: { email: string }
    path: string
    options: BrowserContextOptions
  },
  work: (page: Page) => Promise<void>,
): Promise<void> => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...options,
  })
  context.setDefaultTimeout(waitMaxMs)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Uncaught/.test(message.text()))
      problems.push(message.text())
  })
  try {
    await signInBrowser(testApp, { context, base, workspaceId, email: person.email })
    await page.goto(`${base}${path}`)
    await work(page)
    assert.deepEqual(problems, [])
  } finally {
    await context.close()
  }
}

/** No serious axe violations and no horizontal overflow. */
export const assertAccessible = async (page: Page, screen: string): Promise<void> => {
  // Runs as a script in the page's own world: the page's policy allows no other.
  const { violations } = (await page.evaluate(`${axeSource}; axe.run(document, {
    resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
  })`)) as { violations: { id: string; impact: string; nodes: { html: string }[] }[] }
  assert.deepEqual(
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${screen}: ${id} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
    [],
  )
  const overflows = await page.evaluate(`(() => {
    const inside = document.querySelector('.page')
    return document.documentElement.scrollWidth > innerWidth || inside?.scrollWidth > inside?.clientWidth
  })()`)
  assert.equal(overflows, false, `${screen} is wider than the window`)
}
