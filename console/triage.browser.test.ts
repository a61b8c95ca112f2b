// The inbox by keyboard in a real browser: what follows after a conversation is done with, where one is in the list, and
// what is unread.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { closeConversation } from '../server/domain/conversations/set-conversation-status.ts'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true, worker: true })
const { ctxOf, db, make } = testApp
const { id: w } = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const jane = await make.agent(w, { nickname: 'Jane', role: 'admin' })
const webId = await make.channelAccount(w, 'web')
const { test, visit: visitPage } = browseConsole(testApp, w, robin)
const visit = (path: string, work: (page: Page) => Promise<void>, options = {}): Promise<void> =>
  visitPage(
    path,
    async (page) => {
      await page.locator('.convo').first().waitFor()
      await work(page)
    },
    options,
  )

const write = async (name: string, body = `Hello from ${name}`): Promise<string> => {
  const { conversationId } = await receiveMessage(ctxOf(w), {
    channel: 'web',
    channelAccountId: webId,
    from: { identity: { kind: 'visitor', value: name, verified: true }, name },
    body,
    externalId: null,
    sentAt: new Date(),
  })
  return conversationId
}
/** Customer 1 wrote last, so the list has them in the order of their numbers. */
const COUNT = 130
const ids: string[] = []
for (let n = COUNT; n >= 1; n--) ids[n] = await write(`Customer ${n}`)

const head = (page: Page, n: number) =>
  page.locator('.convo-head__name', { hasText: new RegExp(`^Customer ${n}$`) })
const row = (page: Page, n: number) =>
  page.locator('.convo', { has: page.locator(`.convo__name:text-is("Customer ${n}")`) })
const statusOf = async (n: number): Promise<string> =>
  (await db.selectFrom('conversations').select('status').where('id', '=', ids[n]!).executeTakeFirstOrThrow())
    .status
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.querySelector('.convo__name')?.textContent ?? document.activeElement?.id,
  )
const isFocused = (page: Page, text: string) =>
  until(async () => (await focused(page)) === text, `the focus on ${text}`)

test('closing opens the next conversation, and J and K go on from there', () =>
  visit('/inbox/open', async (page) => {
    for (const n of [1, 2, 3]) {
      await page.keyboard.press('j')
      await head(page, n).waitFor()
    }
    await page.keyboard.press('e')
    await head(page, 4).waitFor()
    await row(page, 3).waitFor({ state: 'detached' })
    assert.equal(await statusOf(3), 'closed')
    await page.keyboard.press('k')
    await head(page, 2).waitFor()
    // One that has left the list in another way, and no conversation open.
    await page.keyboard.press('j')
    await head(page, 4).waitFor()
    await page.keyboard.press('e')
    await head(page, 5).waitFor()
    await page.keyboard.press('Escape')
    await head(page, 5).waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await head(page, 6).waitFor()
    await page.locator('.toast').nth(1).getByRole('button', { name: 'Undo' }).click()
    await head(page, 4).waitFor()
    await until(async () => (await statusOf(4)) === 'open', 'the conversation to be open again')
  }))

test('the list is one tab stop, and Enter and a link lead on to the conversation', () =>
  visit('/inbox/all', async (page) => {
    await row(page, 1).focus()
    await page.keyboard.press('ArrowDown')
    await isFocused(page, 'Customer 2')
    assert.equal(await page.locator('.convo[tabindex="0"]').count(), 1)
    await page.keyboard.press('End')
    await until(async () => /Customer [5-9]\d/.test((await focused(page)) ?? ''), 'the focus on the last row')
    // The one that was opened again is the first now, and the closed one follows.
    await page.keyboard.press('Home')
    await isFocused(page, 'Customer 4')
    await page.keyboard.press('Enter')
    await isFocused(page, `thread-${ids[4]}`)
    await page.keyboard.press('Escape')
    await isFocused(page, 'Customer 4')
    await page.keyboard.press('j')
    await head(page, 3).waitFor()
    await isFocused(page, 'Customer 3')
    await page.getByRole('link', { name: 'Skip to conversation' }).focus()
    await page.keyboard.press('Enter')
    await isFocused(page, `thread-${ids[3]}`)
    await assertAccessible(page, 'the list')
  }))

test('the open conversation’s row is found after a reload, and the list keeps its place', async () => {
  await visit(`/inbox/open/${ids[110]}`, async (page) => {
    await page.locator('.convo--open', { hasText: 'Customer 110' }).waitFor()
    const scrolled = () => page.locator('.list__scroller').evaluate(({ scrollTop }) => Math.round(scrollTop))
    const top = await scrolled()
    assert.ok(top > 5_000, String(top))
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'Contacts' }).first().waitFor()
    await page.goBack()
    await page.locator('.convo--open', { hasText: 'Customer 110' }).waitFor()
    assert.equal(await scrolled(), top)
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.waitForURL('**/inbox/all')
    await until(async () => (await scrolled()) === 0, 'another list to start at the top')
  })
  await visit(
    '/inbox/open',
    async (page) => {
      const scroller = page.locator('.list__scroller')
      await scroller.evaluate((element) => element.scrollTo({ top: 1_500 }))
      await row(page, 26).click()
      await head(page, 26).waitFor()
      await page.getByRole('button', { name: 'Back to list' }).click()
      await until(
        () => scroller.evaluate(({ scrollTop }) => scrollTop === 1_500),
        'the list to be where it was',
      )
    },
    { viewport: { width: 390, height: 800 }, hasTouch: true },
  )
})

test('what is typed while a picker opens goes into it, and does nothing else', () =>
  visit(`/inbox/open/${ids[10]}`, async (page) => {
    await head(page, 10).waitFor()
    await page.keyboard.press('a')
    await page.keyboard.type('jane')
    const field = page.getByRole('combobox', { name: 'Assign to' })
    await until(async () => (await field.inputValue()) === 'jane', 'the text')
    await head(page, 10).waitFor()
    await page.keyboard.press('Enter')
    // Assigned to someone else: on to the next.
    await head(page, 11).waitFor()
    const agentOf = () =>
      db.selectFrom('conversations').select('agent_id').where('id', '=', ids[10]!).executeTakeFirst()
    await until(async () => (await agentOf())?.agent_id === jane.id, 'the assignment')
  }))

test('what is unread is everyone’s own, and the badge counts what is mine', async () => {
  await visit(
    '/inbox/mine',
    async (page) => {
      assert.equal(await page.locator('.rail .count').count(), 1)
      await row(page, 10).click()
      await page.locator('.rail .count').waitFor({ state: 'detached' })
      await page.keyboard.press('u')
      await page.locator('.rail .count').waitFor()
    },
    { person: jane },
  )
  await visit('/inbox/all', async (page) => {
    await row(page, 9).and(page.locator('.convo--unread')).waitFor()
    for (const width of [1440, 1024]) {
      await page.setViewportSize({ width, height: 900 })
      assert.ok(
        await page.locator('.views').evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
        `all tabs fit at ${width}`,
      )
    }
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Compact rows' }).click()
    await page.keyboard.press('Escape')
    const rows = page.locator('.convo')
    await until(
      async () =>
        (await rows.evaluateAll((all) => all.filter((it) => it.getBoundingClientRect().bottom <= 900)))
          .length >= 16,
      'sixteen rows at 900 px',
    )
  })
})

test('E closes and never reopens what a colleague closed; Shift+E does', () =>
  visit(`/inbox/all/${ids[24]}`, async (page) => {
    await head(page, 24).waitFor()
    await closeConversation(ctxOf(w), ids[24]!)
    const isClosed = page.locator('.convo-head').getByText('Closed', { exact: true })
    await isClosed.waitFor()
    await page.keyboard.press('e')
    await page
      .locator('.toast', { hasText: 'Already closed' })
      .getByRole('button', { name: 'Reopen' })
      .waitFor()
    assert.equal(await statusOf(24), 'closed')
    await page.keyboard.press('Shift+E')
    await isClosed.waitFor({ state: 'detached' })
    await until(async () => (await statusOf(24)) === 'open', 'the conversation to be open again')
  }))

test('after closing, the previous conversation or the list comes instead, as the person chose', () =>
  visit(`/inbox/open/${ids[21]}`, async (page) => {
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'View', exact: true }).click()
      await page.getByRole('menuitemcheckbox', { name }).click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    await head(page, 21).waitFor()
    await choose('Open the previous one')
    await page.keyboard.press('e')
    await head(page, 20).waitFor()
    await choose('Back to the list')
    await page.keyboard.press('e')
    await page.waitForURL(/\/inbox\/open$/)
    await page.getByText('Select a conversation').waitFor()
    for (const n of [20, 21])
      await until(async () => (await statusOf(n)) === 'closed', `conversation ${n} to be closed`)
    await page.keyboard.press('j')
    await head(page, 22).waitFor()
    await choose('Open the next one')
  }))

test('a reply that closes goes on with the next conversation, and undoing it leads back', async () => {
  await db.updateTable('accounts').set({ undo_seconds: 20 }).where('id', '=', robin.id).execute()
  await visit(`/inbox/open/${ids[30]}`, async (page) => {
    await head(page, 30).waitFor()
    const reply = page.getByRole('textbox', { name: 'Reply', exact: true })
    await reply.fill('All done.')
    await reply.press('Control+Shift+Enter')
    await head(page, 31).waitFor()
    await page.getByText('Sending to Customer 30').waitFor()
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.waitForURL(`**/inbox/open/${ids[30]}`)
    await head(page, 30).waitFor()
    await until(async () => (await reply.inputValue()) === 'All done.', 'the text to be back')
    assert.equal(await statusOf(30), 'open')
  })
  await db.updateTable('accounts').set({ undo_seconds: 0 }).where('id', '=', robin.id).execute()
  await visit(`/inbox/open/${ids[30]}`, async (page) => {
    const reply = page.getByRole('textbox', { name: 'Reply', exact: true })
    await reply.fill('All done.')
    await reply.press('Control+Shift+Enter')
    await head(page, 31).waitFor()
    await until(async () => (await statusOf(30)) === 'closed', 'the conversation to be closed')
  })
})
