// Signed identities in the browser: who is shown whose thread.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { composer, openChat, test, until, untilListening, untilTexts, visit, write } from './testing/visit.ts'

/** The server in memory takes any signature but "bad". */
const identityOf = (sub: string, signature = 'good'): string =>
  ['{}', JSON.stringify({ sub })].map((part) => Buffer.from(part).toString('base64url')).join('.') +
  `.${Buffer.from(signature).toString('base64url')}`

/** On a first visit, the function is there once the channel's settings have arrived. */
const identify = async (page: Page, identity: string): Promise<void> => {
  await page.waitForFunction(() => window.Foyer !== undefined)
  await page.evaluate((token) => window.Foyer('identify', token), identity)
}

test('two tabs that sign in as two people show each their own thread, also after a reload', () =>
  visit(async ({ server, shop, context, page }) => {
    shop.setHost({ attributes: `data-identity="${identityOf('ann')}"` })
    await page.reload()
    await openChat(page)
    await write(page, 'I am Ann')
    await page.getByText('Sent').waitFor()
    const other = await context.newPage()
    shop.setHost({ attributes: `data-identity="${identityOf('bob')}"` })
    await other.goto(`${shop.ownUrl}/host`)
    await openChat(other)
    await write(other, 'I am Bob')
    await other.getByText('Sent').waitFor()
    await untilTexts(page, ['I am Ann'])
    await untilTexts(other, ['I am Bob'])
    await other.reload()
    await untilTexts(other, ['I am Bob'])
    shop.setHost({ attributes: `data-identity="${identityOf('ann')}"` })
    await page.reload()
    await untilTexts(page, ['I am Ann'])
    assert.equal(server.visitors.size, 2)
  }))

test('what was said before signing in joins the person; another person starts with an empty thread', () =>
  visit(async ({ page }) => {
    await openChat(page)
    await write(page, 'Before')
    await page.getByText('Sent').waitFor()
    await identify(page, identityOf('ann'))
    await untilTexts(page, ['Before'])
    await write(page, 'After')
    await untilTexts(page, ['Before', 'After'])
    await page.getByText('Sent').waitFor()
    await identify(page, identityOf('bob'))
    await untilTexts(page, [])
    await write(page, 'Bob')
    await untilTexts(page, ['Bob'])
    await identify(page, identityOf('ann'))
    await untilTexts(page, ['Before', 'After'])
  }))

test('a refused identity is reported, and the visitor stays unknown: no name, no email, no thread of a person', () =>
  visit(async ({ server, shop, page }) => {
    shop.setHost({
      attributes: `data-identity="${identityOf('ann', 'bad')}" data-name="Ann" data-email="ann@shop.example"`,
      script: `window.Foyer = function () { (Foyer.q = Foyer.q || []).push(arguments) }; window.codes = [];
        Foyer('on', 'error', ({ code }) => window.codes.push(code)); Foyer('open')`,
    })
    await page.reload()
    await composer(page).waitFor()
    await until('it is reported', () =>
      page.evaluate(() => (window as { codes?: string[] }).codes?.[0] === 'IDENTITY_REFUSED'),
    )
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    const writer = [...server.visitors.values()].find(({ messages }) => messages.length > 0)!
    assert.deepEqual([writer.name, writer.email, writer.person], [null, null, null])
    await identify(page, 'not a token')
    await until('again', () => page.evaluate(() => (window as { codes?: string[] }).codes?.length === 2))
    await untilTexts(page, ['Hello'])
  }))

test('a newer token of the same person keeps the thread, and one that has ended is not sent again', () =>
  visit(async ({ server, page }) => {
    await identify(page, identityOf('ann'))
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    const [first] = server.identities
    await identify(page, identityOf('ann', 'newer'))
    await until('the newer one is sent', () => server.identities.at(-1) === identityOf('ann', 'newer'))
    await untilTexts(page, ['Hello'])
    const sent = server.identities.length
    await untilListening(server)
    server.publish('reset', {})
    await until('a session without it', () => server.identities.length > sent)
    assert.equal(server.identities.at(-1), undefined)
    assert.equal(first, identityOf('ann'))
    assert.equal(server.visitors.size, 1)
  }))

test('reset signs out: the next visitor sees nothing, and the person finds the thread again', () =>
  visit(async ({ page }) => {
    await identify(page, identityOf('ann'))
    await openChat(page)
    await write(page, 'Private')
    await page.getByText('Sent').waitFor()
    await page.evaluate(() => window.Foyer('reset'))
    await openChat(page)
    await untilTexts(page, [])
    assert.equal(
      await page.evaluate(() => Object.keys(localStorage).some((key) => key.includes('@ann'))),
      false,
    )
    await identify(page, identityOf('ann'))
    await untilTexts(page, ['Private'])
  }))
