// Emoji and sound.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { composer, openChat, test, until, untilListening, untilTexts, visit, write } from './testing/visit.ts'

/** Counts notes instead of playing them. */
const countNotes = (page: Page) =>
  page.addInitScript(() => {
    const counted = window as { notes?: number }
    counted.notes = 0
    const { start } = OscillatorNode.prototype
    OscillatorNode.prototype.start = function (...given) {
      counted.notes = (counted.notes ?? 0) + 1
      start.apply(this, given)
    }
  })
const notes = (page: Page) => page.evaluate(() => (window as { notes?: number }).notes)

test('an emoji goes where the cursor is, by mouse and by keyboard', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    assert.equal(await page.locator('.emoji button').count(), 0)
    await composer(page).fill('Thanks bye')
    await composer(page).evaluate((node: HTMLTextAreaElement) => node.setSelectionRange(7, 7))
    await page.getByRole('button', { name: 'Insert an emoji' }).click()
    await page.getByRole('button', { name: '👍', exact: true }).click()
    assert.equal(await composer(page).inputValue(), 'Thanks 👍bye')
    assert.equal(await page.locator('.emoji').isVisible(), false)
    assert.equal(await composer(page).evaluate((node) => node.matches(':focus')), true)
    await page.getByRole('button', { name: 'Insert an emoji' }).press('Enter')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    const written = await composer(page).inputValue()
    assert.match(written, /^Thanks 👍\p{Extended_Pictographic}bye$/u)
    await page.getByRole('button', { name: 'Insert an emoji' }).click()
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('.emoji').isVisible(), false)
    assert.equal(await composer(page).isVisible(), true)
    await composer(page).press('Enter')
    await untilTexts(page, [written])
    await until('sent', () => server.sends.length === 1)
  }))

test('a reply makes a sound only once the visitor has turned it on, and while they don’t see it', () =>
  visit(async ({ server, page }) => {
    await countNotes(page)
    await page.reload()
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    await composer(page).press('Escape')
    server.say('one')
    await page.getByRole('button', { name: 'Open chat, 1 unread message' }).waitFor()
    assert.equal(await notes(page), 0)
    await page.getByRole('button', { name: 'Open chat' }).click()
    await page.getByRole('button', { name: 'Turn sound on' }).click()
    await until('it is heard once', async () => (await notes(page)) === 2)
    server.say('two')
    await untilTexts(page, ['Hello', 'one', 'two'])
    assert.equal(await notes(page), 2)
    await composer(page).press('Escape')
    server.say('three')
    await until('it is heard', async () => (await notes(page)) === 4)
    await page.getByRole('button', { name: 'Open chat' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Turn sound off' }).click()
    await composer(page).press('Escape')
    await untilListening(server)
    server.say('four')
    await page.getByRole('button', { name: 'Open chat, 1 unread message' }).waitFor()
    assert.equal(await notes(page), 0)
  }))

test('the site can leave sound out, by the channel or by an attribute', () =>
  visit(async ({ server, shop, page }) => {
    const soundSwitch = page.getByRole('button', { name: 'Turn sound on' })
    shop.setHost({ attributes: 'data-sound="false"' })
    await page.reload()
    await openChat(page)
    assert.equal(await soundSwitch.count(), 0)
    shop.setHost({})
    server.setConfig({ hasSound: false })
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await composer(page).waitFor()
    assert.equal(await soundSwitch.count(), 0)
  }))
