// Asking for an email address when nobody is there, and coming back from an email.
import assert from 'node:assert/strict'
import {
  bubbles,
  composer,
  hostOf,
  openChat,
  test,
  until,
  untilListening,
  visit,
  write,
} from './testing/visit.ts'

test('who writes while nobody is there is asked for an address once, politely, and told where replies go', () =>
  visit(async ({ server, shop, page }) => {
    server.setConfig({ asksEmail: true, askAfterMinutes: 5, isOpen: false })
    server.setOnline(false)
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await openChat(page)
    await untilListening(server)
    const field = page.getByRole('textbox', { name: 'Email address' })
    assert.equal(await field.count(), 0)
    await write(page, 'Is the blue one in stock?')
    await field.waitFor()
    await page.getByText('Leave your email address').waitFor()
    // The chat itself keeps the focus.
    assert.equal(await field.evaluate((node) => node.matches(':focus')), false)
    await field.fill('nobody')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Enter a valid email address.').waitFor()
    await field.fill('refused@shop.example')
    await field.press('Enter')
    await page.getByRole('alert').getByText('Enter a valid email address.').waitFor()
    await field.fill('ann@shop.example')
    // A reply takes nothing away from who is typing, and ends the asking.
    server.say('One moment')
    await page.getByText('One moment').waitFor()
    assert.equal(await field.inputValue(), 'ann@shop.example')
    await field.press('Enter')
    await field.waitFor({ state: 'hidden' })
    assert.deepEqual(server.emails.at(-1), { email: 'ann@shop.example', language: 'en' })
    await write(page, 'Thanks')
    await page.getByText('If you leave, we’ll reply to ⁨ann@shop.example⁩.').waitFor()
    await page.getByRole('button', { name: 'Change' }).click()
    await field.fill('ben@shop.example')
    await field.press('Enter')
    await page.getByText('ben@shop.example').waitFor()

    // Known on the next page.
    await page.goto(hostOf(shop))
    await page.getByText('ben@shop.example').waitFor()
  }))

test('asking can be skipped, waits some minutes while somebody is online, and can be switched off', () =>
  visit(async ({ server, page }) => {
    server.setConfig({ asksEmail: true, askAfterMinutes: 5, isOpen: true })
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await page.clock.install()
    await openChat(page)
    await untilListening(server)
    await write(page, 'Hello')
    await until('it is stored', () => server.sends.length === 1)
    const field = page.getByRole('textbox', { name: 'Email address' })
    await page.clock.fastForward(4 * 60_000)
    assert.equal(await field.count(), 0)
    await page.clock.fastForward(2 * 60_000)
    await field.waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await field.waitFor({ state: 'hidden' })
    assert.deepEqual(server.emails, [{ email: null, language: 'en' }])
    server.setConfig({ asksEmail: false, isOpen: false })
    server.setOnline(false)
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    // It was open in this tab.
    await composer(page).waitFor()
    await write(page, 'Hello again')
    await until('it is stored', () => server.sends.length === 2)
    assert.equal(await field.count(), 0)
  }))

test('what was written by email is shown once its link was followed in the same browser, and says that it came by email', () =>
  visit(async ({ server, shop, context, page }) => {
    await openChat(page)
    await untilListening(server)
    await write(page, 'Hello')
    await until('it is stored', () => server.sends.length === 1)
    server.say({ senderType: 'customer', sender: { nickname: 'Ann' }, body: '', byEmail: 'hidden' })
    await page.getByText('You replied by email.').waitFor()
    const link = `${'c'.padEnd(25, '0')}.${'s'.repeat(43)}`
    // In another browser it does nothing.
    const stranger = await context.browser()!.newPage()
    await stranger.goto(`${hostOf(shop)}#foyer-email=${link}`)
    await stranger.locator('.launcher').waitFor()
    assert.equal(server.emails.length, 0)
    await stranger.close()
    await page.goto('about:blank')
    await page.goto(`${hostOf(shop)}#foyer-email=${link}`)
    await bubbles(page).getByText('What was written by email').waitFor()
    await page.locator('.meta').getByText('By email').waitFor()
    assert.deepEqual(server.emails, [{ token: link }])
    assert.equal(new URL(page.url()).hash, '')
  }))
