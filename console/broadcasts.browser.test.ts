// A broadcast in a real browser, from the empty list to its totals: the steps, a test send, a schedule that is paused and
// canceled, and one that goes out at once.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { connect, startGraph } from '../server/inbound/whatsapp/testing/provider.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'

const testApp = await startApp({ stream: true, worker: true, deps: { settleMs: 6_000 } })
const { make } = testApp
const { id: w } = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const graph = await startGraph()
const { test, visit } = browseConsole(testApp, w, robin)
after(graph.stop)

const number = await connect(testApp, w, { apiUrl: graph.url })
graph.templates = [
  {
    id: 'T1',
    name: 'spring_sale',
    language: 'en_US',
    category: 'MARKETING',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Hello {{1}}, everything is {{2}} off until Sunday.' }],
  },
]
const PHONES = ['+351970000001', '+351970000002', '+351970000003']
const conversations: string[] = []
for (const [at, name] of ['Ada Lovelace', 'Ben Okri', 'Zoë Ámbar'].entries()) {
  const { id: contactId } = await make.contact(w, { phone: PHONES[at]!, email: null, name })
  const place = { contactId, channel: 'whatsapp', channelAccountId: number } as const
  conversations.push((await make.conversation(w, place)).id)
}
/** Without a conversation on WhatsApp. */
const SKIPPED = '+351970000009'

const figure = (page: Page, label: string) =>
  page.locator('.figures__one', { has: page.getByText(label, { exact: true }) }).locator('dd')

const assertFigures = async (page: Page, figures: Record<string, string>): Promise<void> => {
  for (const [label, value] of Object.entries(figures))
    await figure(page, label)
      .filter({ hasText: new RegExp(`^${value}$`) })
      .waitFor()
}

/** From the list of broadcasts to the last step. */
const prepare = async (page: Page, { checks = false } = {}): Promise<void> => {
  const check = async (screen: string) => void (checks && (await assertAccessible(page, screen)))
  await page.getByRole('link', { name: 'New broadcast' }).first().click()
  await page.getByRole('radio', { name: /^A list/ }).check()
  await field(page, 'Recipients').fill([...PHONES, SKIPPED, 'nobody'].join('\n'))
  await page.getByText('Fix or remove the invalid lines.').waitFor()
  await field(page, 'Recipients').fill([...PHONES, SKIPPED].join('\n'))
  await check('the audience of a broadcast')
  await button(page, 'Choose a template').click()
  await page.getByRole('option', { name: /spring_sale/ }).click()
  await field(page, 'Value 1').fill('there')
  await field(page, 'Value 2').fill('20 %')
  await page.getByText('Hello there, everything is 20 % off until Sunday.').first().waitFor()
  await check('the message of a broadcast')
  await button(page, 'Review recipients').click()
  await assertFigures(page, { 'Will receive': '3', Skipped: '1', Audience: '4' })
  await check('the recipients of a broadcast')
  await button(page, 'Continue').click()
  await field(page, 'Name (optional)').waitFor()
}

test('a broadcast is tested, scheduled, paused and canceled, and nobody is sent it', () =>
  visit('/broadcasts', async (page) => {
    await page.getByText('No broadcasts yet').waitFor()
    await prepare(page, { checks: true })
    await field(page, 'Name (optional)').fill('Spring sale')
    await button(page, 'Send a test').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Phone numbers').fill(PHONES[0]!)
    await dialog.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    await assertAccessible(page, 'the test of a broadcast')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16)
    await field(page, 'Send at (optional)').fill(inTwoDays)
    await assertAccessible(page, 'the schedule of a broadcast')
    await button(page, 'Schedule for 3 people').click()
    await page.getByRole('status').getByText('Scheduled').waitFor()
    await assertFigures(page, { Recipients: '3', Sent: '0', Remaining: '3', Skipped: '0' })
    await button(page, 'Pause').click()
    await page.getByText('Paused. 3 people will be sent the message once you resume it.').waitFor()
    await button(page, 'Resume').click()
    await button(page, 'Pause').waitFor()
    await button(page, 'Cancel broadcast').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel broadcast' }).click()
    await page.getByText('Canceled before anyone was sent the message.').waitFor()
    await assertFigures(page, { Sent: '0', Skipped: '3' })
    await assertAccessible(page, 'a canceled broadcast')
    const sentTo = graph.sent().map(({ to }) => String(to).replace(/^\+/, ''))
    assert.deepEqual(sentTo, [PHONES[0]!.slice(1)], 'the test alone was sent')
  }))

test('a broadcast goes out with its totals, and the thread tells it from its test', () =>
  visit('/broadcasts', async (page) => {
    await prepare(page)
    await button(page, 'Send to 3 people').click()
    await page.getByRole('status').getByText('Completed').waitFor()
    await assertFigures(page, { Recipients: '3', Sent: '3', Failed: '0', Skipped: '0', Replied: '0' })
    await assertAccessible(page, 'a broadcast that was sent')
    await page.getByRole('link', { name: 'Broadcasts', exact: true }).first().click()
    await page
      .getByRole('row', { name: /Spring sale/ })
      .getByText('Canceled')
      .waitFor()
    await page
      .getByRole('row', { name: /spring_sale/ })
      .filter({ hasText: 'Completed' })
      .first()
      .waitFor()
    await page.goto(`${new URL(page.url()).origin}/inbox/all/${conversations[0]}`)
    const messages = page.getByRole('article')
    await messages.filter({ hasText: 'Test of Spring sale' }).waitFor()
    assert.equal(await messages.filter({ hasText: 'everything is 20 % off' }).count(), 2)
    assert.equal(await messages.filter({ hasText: 'Test of' }).count(), 1)
  }))
