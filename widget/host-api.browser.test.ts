// What the host page can do with the chat box from code, and what it hears.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import {
  composer,
  launcher,
  openChat,
  test,
  until,
  untilListening,
  untilTexts,
  visit,
  write,
} from './testing/visit.ts'

type Call = (...given: unknown[]) => unknown
type Foyer = Call & Record<string, Call>
declare global {
  interface Window {
    Foyer: Foyer
    heard: [string, unknown][]
  }
}

/** What docs/guide/chat-box.md gives pages that call before the script has loaded. */
const stub = 'window.Foyer = window.Foyer || function () { (Foyer.q = Foyer.q || []).push(arguments) };'
const listen = `window.heard = [];
  for (const name of ['ready', 'open', 'close', 'message', 'sent', 'unread'])
    Foyer('on', name, (data) => heard.push([name, data]));`

const heard = (page: Page, name: string): Promise<unknown[]> =>
  page.evaluate(
    (wanted) => window.heard.filter(([name]) => name === wanted).map(([, data]) => data ?? null),
    name,
  )
const untilHeard = (page: Page, name: string, count: number): Promise<void> =>
  until(`${count} × ${name}`, async () => (await heard(page, name)).length === count)

test('calls made before the script has loaded are run in order once it has', () =>
  visit(async ({ shop, page }) => {
    shop.setHost({ script: `${stub}${listen} Foyer('open'); Foyer('prefill', 'About my order')` })
    await page.reload()
    await composer(page).waitFor()
    await until('the text', async () => (await composer(page).inputValue()) === 'About my order')
    assert.equal((await heard(page, 'ready')).length, 1)
    assert.equal((await heard(page, 'open')).length, 1)
  }))

test('the chat opens and closes from code, by a function or by its methods, and says so once each', () =>
  visit(async ({ shop, page }) => {
    shop.setHost({ script: stub + listen })
    await page.reload()
    await launcher(page).waitFor()
    await page.evaluate(() => window.Foyer('open'))
    await composer(page).waitFor()
    await page.evaluate(() => window.Foyer.close!())
    await composer(page).waitFor({ state: 'hidden' })
    await page.evaluate(() => {
      window.Foyer.toggle!()
      window.Foyer.toggle!()
      window.Foyer.open!()
      window.Foyer.open!()
    })
    await composer(page).waitFor()
    await page.evaluate(() => {
      ;(document.activeElement as HTMLElement).blur()
      window.Foyer('close')
      window.Foyer('close')
    })
    await untilHeard(page, 'close', 2)
    assert.equal((await heard(page, 'open')).length, 2)
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true)
  }))

test('the page hears of new messages, of what was sent and of the unread count, each once', () =>
  visit(async ({ server, shop, page }) => {
    shop.setHost({ script: stub + listen })
    await page.reload()
    await openChat(page)
    await write(page, 'Hi')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    await untilHeard(page, 'sent', 1)
    await page.evaluate(() => window.Foyer('close'))
    const message = server.say('Hello there')
    await untilHeard(page, 'message', 1)
    assert.deepEqual(await heard(page, 'message'), [
      {
        id: message.id,
        body: 'Hello there',
        senderType: 'agent',
        nickname: 'Mara',
        createdAt: message.createdAt,
      },
    ])
    const counts = async () => (await heard(page, 'unread')) as { count: number }[]
    await until('one unread', async () => (await counts()).at(-1)?.count === 1)
    server.dropStreams()
    await untilListening(server)
    await launcher(page).click()
    await until('none unread', async () => (await counts()).at(-1)?.count === 0)
    assert.deepEqual(await counts(), [{ count: 0 }, { count: 1 }, { count: 0 }])
    assert.equal((await heard(page, 'message')).length, 1)
  }))

test('reset forgets the visitor, in all tabs, and a message under way does not show up for the next', () =>
  visit(async ({ server, shop, context, page }) => {
    await openChat(page)
    await write(page, 'My secret')
    await page.getByText('Sent').waitFor()
    await composer(page).fill('half a thou')
    const other = await context.newPage()
    await other.goto(`${shop.ownUrl}/host`)
    await openChat(other)
    await untilTexts(other, ['My secret'])
    await until('both listen', () => server.streamCount() === 2)
    const [former] = [...server.visitors.values()]
    server.failSends('before')
    await write(page, 'Under way')
    await until('it was tried', () => server.sends.length === 2)
    await page.evaluate(() => window.Foyer('reset'))
    await untilTexts(other, [])
    await openChat(page)
    await untilTexts(page, [])
    assert.equal(await composer(page).inputValue(), '')
    await write(page, 'Somebody else')
    await untilTexts(page, ['Somebody else'])
    await until('a new visitor wrote it', () => server.sends.at(-1)?.body === 'Somebody else')
    assert.deepEqual(
      former!.messages.map(({ body }) => body).filter((body) => body === 'Somebody else'),
      [],
    )
    assert.equal(server.sends.filter(({ body }) => body === 'Under way').length, 1)
    await page.reload()
    await untilTexts(page, ['Somebody else'])
  }))

test('a listener that throws and a call that does not exist leave the chat working', () =>
  visit(async ({ server, shop, page }) => {
    const warnings: string[] = []
    const errors: string[] = []
    page.on('console', (message) => warnings.push(message.text()))
    page.on('pageerror', (error) => errors.push(error.message))
    shop.setHost({
      script: `${stub} Foyer('on', 'open', () => { throw new Error('host mistake') });
        Foyer('on', 'nothing', () => {}); Foyer('toString'); Foyer('constructor', 'x'); Foyer(42); Foyer('open')`,
    })
    await page.reload()
    await composer(page).waitFor()
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    assert.equal(server.sends.length, 1)
    assert.deepEqual(errors, ['host mistake'])
    assert.equal(warnings.filter((text) => text.startsWith('Foyer: ')).length, 4)
  }))

test('the launcher can be hidden for a page that has a button of its own', () =>
  visit(async ({ shop, page }) => {
    shop.setHost({ script: `${stub} Foyer('showLauncher', false)` })
    await page.reload()
    await page.waitForFunction(() => typeof window.Foyer?.open === 'function')
    assert.equal(await launcher(page).isVisible(), false)
    await page.evaluate(() => window.Foyer('open'))
    await composer(page).waitFor()
    await page.evaluate(() => window.Foyer('showLauncher', true))
    assert.equal(await launcher(page).isVisible(), true)
  }))
