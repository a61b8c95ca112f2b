// The channel's settings and the script tag's attributes, on the page.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { bubbles, composer, hostOf, launcher, openChat, test, until, visit } from './testing/visit.ts'

const settings = {
  title: 'Hollow & Kiln',
  greeting: 'Ask us about glazes.\nWe know them all.',
  launcherLabel: 'Questions?',
  color: '#2f5d50',
  theme: 'dark',
  side: 'left',
  language: 'de',
  isOpen: null,
  opensAt: null,
  replyMinutes: 45,
  team: ['Mara', 'ben', 'Zoë'],
}

/** What the page was told before the test said what its settings are. */
const forget = (page: Page): Promise<void> => page.evaluate(() => localStorage.clear())

const lookOf = async (page: Page) => ({
  isLeft: (await launcher(page).boundingBox())!.x < 640,
  color: await launcher(page).evaluate((node) => getComputedStyle(node).backgroundColor),
  surface: await page.locator('.panel').evaluate((node) => getComputedStyle(node).backgroundColor),
})

test('the channel’s settings decide how the chat box looks and what it says', () =>
  visit(async ({ server, shop, page }) => {
    server.setConfig(settings)
    shop.setHost({ language: 'sv' })
    await forget(page)
    await page.reload()
    await page.getByRole('button', { name: 'Questions?' }).click()
    await page.getByRole('heading', { name: 'Hollow & Kiln' }).waitFor()
    await page.getByText('Ask us about glazes.').waitFor()
    await page.getByText('Wir antworten meist innerhalb einer Stunde').waitFor()
    await page.getByRole('img', { name: 'Unser Team: Mara, ben, Zoë' }).waitFor()
    assert.deepEqual(await page.locator('.team span').allTextContents(), ['M', 'B', 'Z'])
    assert.deepEqual(await lookOf(page), {
      isLeft: true,
      color: 'rgb(47, 93, 80)',
      surface: 'rgb(23, 25, 30)',
    })
  }))

test('attributes of the script tag come before the channel’s settings', () =>
  visit(async ({ server, shop, page }) => {
    server.setConfig(settings)
    shop.setHost({
      attributes: `data-title="Own" data-greeting="Own greeting" data-launcher-label="" data-color="#aa0000"
        data-theme="light" data-side="right" data-language="en" data-hours="false" data-team="false"`,
    })
    await page.reload()
    await page.getByRole('button', { name: 'Open chat' }).click()
    await page.getByRole('heading', { name: 'Own' }).waitFor()
    await page.getByText('Own greeting').waitFor()
    await page.getByText('We’re online').waitFor()
    assert.equal(await page.locator('.team').count(), 0)
    assert.deepEqual(await lookOf(page), {
      isLeft: false,
      color: 'rgb(170, 0, 0)',
      surface: 'rgb(255, 255, 255)',
    })
  }))

test('the automatic theme follows the system, also while the page is open', () =>
  visit(async ({ page }) => {
    await openChat(page)
    const surface = async () => (await lookOf(page)).surface
    assert.equal(await surface(), 'rgb(255, 255, 255)')
    await page.emulateMedia({ colorScheme: 'dark' })
    await until('it is dark', async () => (await surface()) === 'rgb(23, 25, 30)')
  }))

test('settings that can’t be loaded leave the chat as it is without any, and known ones are used at once', () =>
  visit(async ({ server, shop, context, page }) => {
    await context.route('**/config', (route) => route.abort())
    await page.reload()
    await page.getByRole('button', { name: 'Open chat' }).waitFor()
    await context.unroute('**/config')
    server.setConfig(settings)
    await forget(page)
    await page.reload()
    await page.getByRole('button', { name: 'Questions?' }).waitFor()
    await context.route('**/config', () => {})
    await page.goto(hostOf(shop))
    await page.getByRole('button', { name: 'Questions?' }).waitFor({ timeout: 2_000 })
  }))

test('settings that an admin has changed since the last page are seen on the open one, also if they were removed', () =>
  visit(async ({ server, page }) => {
    server.setConfig(settings)
    await forget(page)
    await page.reload()
    await page.getByRole('button', { name: 'Questions?' }).waitFor()
    const changed = { launcherLabel: 'Write to us', color: '#aa0000', theme: 'light', side: 'right' }
    server.setConfig({ ...settings, ...changed, language: 'fr', title: 'Four & Argile' })
    await page.reload()
    await page.getByRole('button', { name: 'Write to us' }).click()
    await page.getByRole('heading', { name: 'Four & Argile' }).waitFor()
    await page.getByText('Nous répondons').waitFor()
    assert.deepEqual(await lookOf(page), {
      isLeft: false,
      color: 'rgb(170, 0, 0)',
      surface: 'rgb(255, 255, 255)',
    })
    await page.evaluate(() => sessionStorage.clear())
    server.setConfig({})
    await page.reload()
    await page.getByRole('button', { name: 'Open chat', exact: true }).click()
    await page.getByRole('heading', { name: 'Chat with us' }).waitFor()
    assert.notEqual((await lookOf(page)).color, 'rgb(170, 0, 0)')
    // It follows the system once, and as the newest settings say.
    await page.emulateMedia({ colorScheme: 'dark' })
    await until('it is dark', async () => (await lookOf(page)).surface === 'rgb(23, 25, 30)')
  }))

test('outside the business hours the header says when the team is back', () =>
  visit(async ({ server, page }) => {
    const monday = new Date('2026-11-30T09:00:00')
    for (const [now, expected] of [
      [new Date('2026-11-30T07:00:00'), 'We’ll be back at 9:00 AM'],
      [new Date('2026-11-28T22:00:00'), 'We’ll be back Monday at 9:00 AM'],
      [new Date('2026-11-20T22:00:00'), 'We’ll be back November 30 at 9:00 AM'],
    ] as const) {
      server.setConfig({ isOpen: false, opensAt: monday.toISOString(), replyMinutes: 5 })
      await page.clock.setFixedTime(now)
      await page.evaluate(() => sessionStorage.clear())
      await page.reload()
      await launcher(page).click()
      await composer(page).waitFor()
      server.publishAll('presence', { isOnline: false })
      await page.getByText(expected).waitFor()
    }
    server.publishAll('presence', { isOnline: true })
    await page.getByText('We usually reply within a few minutes').waitFor()
  }))

test('a preview shows the panel and calls no server', () =>
  visit(async ({ server, shop, page }) => {
    await until('the page has loaded its settings', () =>
      server.paths.some((path) => path.endsWith('/config')),
    )
    shop.setHost({ attributes: 'data-preview="true" data-open="true" data-greeting="Try me"' })
    const before = server.paths.length
    await page.reload()
    await page.getByText('Try me').waitFor()
    await composer(page).click({ force: true })
    await page.keyboard.type('Hello')
    await page.keyboard.press('Enter')
    assert.equal(await bubbles(page).count(), 0)
    assert.deepEqual(server.paths.slice(before), ['/widget.js', '/widget/chat.js'])
  }))
