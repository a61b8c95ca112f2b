// The chat box in other languages, also those that are read from the right.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { launcher, test, until, untilListening, visit, write } from './testing/visit.ts'

const host = (page: Page) => page.locator('#foyer-chat')

/** How far the launcher is from the left, in parts of the page's width. */
const sideOf = async (page: Page): Promise<'left' | 'right'> => {
  const box = (await launcher(page).boundingBox())!
  return box.x < page.viewportSize()!.width / 2 ? 'left' : 'right'
}

test('the host’s language comes before the page’s, and the page’s before the browser’s', () =>
  visit(
    async ({ shop, page }) => {
      const cases = [
        { language: 'fr', attributes: 'data-language="de-AT"', expected: 'Chat öffnen' },
        { language: 'fr-CA', attributes: '', expected: 'Ouvrir le chat' },
        { language: 'sv', attributes: 'data-language="xx"', expected: 'Otwórz czat' },
      ]
      for (const { language, attributes, expected } of cases) {
        shop.setHost({ language, attributes })
        await page.reload()
        await page.getByRole('button', { name: expected }).waitFor()
      }
    },
    { locale: 'pl-PL' },
  ))

test('Arabic is read from the right: the launcher, the panel, numbers and what people wrote', () =>
  visit(async ({ server, shop, page }) => {
    shop.setHost({ language: 'ar' })
    await page.reload()
    await page.getByRole('button', { name: 'فتح المحادثة' }).click()
    await page.getByText('مرحبًا', { exact: true }).waitFor()
    assert.equal(await sideOf(page), 'left')
    assert.equal(await page.locator('.panel').evaluate((node) => getComputedStyle(node).direction), 'rtl')
    const composer = page.getByLabel('رسالتك')
    await composer.fill('هل يمكنني إرجاع الطلب؟')
    await composer.press('Enter')
    await page.getByText('أُرسلت').waitFor()
    await untilListening(server)
    server.say('Sure, until Friday.')
    await page.getByText('Sure, until Friday.').waitFor()
    const [own, other] = await Promise.all(
      ['.own .bubble', '.other .bubble'].map(async (row) => (await page.locator(row).first().boundingBox())!),
    )
    assert.ok(own!.x < other!.x, 'one’s own messages are at the end of the line, which is the left')
    await page.locator('.panel').press('Escape')
    server.say('one')
    server.say('two')
    await page.getByRole('button', { name: 'فتح المحادثة, رسالتان غير مقروءتين' }).waitFor()
    const { widest, width } = await page.evaluate(() => ({
      widest: document.documentElement.scrollWidth,
      width: innerWidth,
    }))
    assert.ok(widest <= width, 'nothing makes the page wider')
  }))

test('the panel has the same sides on a page that is read from the right but speaks English', () =>
  visit(async ({ shop, page }) => {
    shop.setHost({ language: 'en" dir="rtl', attributes: '' })
    await page.reload()
    await launcher(page).click()
    await page.getByText('Hello', { exact: true }).waitFor()
    assert.equal(await sideOf(page), 'right')
    assert.equal(await page.locator('.panel').evaluate((node) => getComputedStyle(node).direction), 'ltr')
  }))

test('words that can’t be loaded are in English, and the chat works', () =>
  visit(async ({ server, shop, context, page }) => {
    await context.route('**/widget/words/*', (route) => route.abort())
    shop.setHost({ language: 'ar' })
    await page.reload()
    await page.getByRole('button', { name: 'Open chat' }).click()
    await until('English is read from the left', async () => (await host(page).getAttribute('dir')) === 'ltr')
    await page.getByLabel('Your message').waitFor()
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    assert.equal(server.sends.length, 1)
  }))

test('English needs no words from the server, another language exactly one file', () =>
  visit(async ({ server, shop, page }) => {
    const loaded = () => server.paths.filter((path) => path.includes('/words/'))
    await launcher(page).click()
    await page.getByLabel('Your message').waitFor()
    assert.deepEqual(loaded(), [])
    shop.setHost({ language: 'nl' })
    await page.reload()
    await page.getByRole('button', { name: 'Chat sluiten' }).first().waitFor()
    await page.getByLabel('Je bericht').waitFor()
    assert.deepEqual(loaded(), ['/widget/words/nl.json'])
  }))
