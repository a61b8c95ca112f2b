// Sending: what can be undone, which keys send, replies that cross, and outages.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true, worker: true })
const { call, db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const patient = await make.agent(workspace.id, { nickname: 'Pat', role: 'admin', undoSeconds: 20 })
const jane = await make.agent(workspace.id, { nickname: 'Jane', role: 'admin' })
const { test, visit } = browseConsole(testApp, workspace.id, robin)

const asked = async (channel: 'web' | 'email', name: string): Promise<{ id: string; path: string }> => {
  const contact = await make.contact(workspace.id, { name })
  const conversation = await make.conversation(workspace.id, { channel, contactId: contact.id })
  await make.message(workspace.id, conversation, { body: 'Where is my kiln?' })
  return { id: conversation.id, path: `/inbox/open/${conversation.id}` }
}
const composer = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true })
const sentIn = async (conversationId: string): Promise<string[]> => {
  const { messages } = (await call(workspace.token, 'GET', `/conversations/${conversationId}/messages`)).body
  return messages
    .filter(({ senderType }: { senderType: string }) => senderType === 'agent')
    .map(({ body }: { body: string }) => body)
    .reverse()
}
const heldOf = (conversationId: string) =>
  db.selectFrom('held_messages').select('id').where('conversation_id', '=', conversationId).execute()

test('what is sent can be undone, also after a reload, and comes back with its files', async () => {
  const { id, path } = await asked('web', 'Ann')
  await visit(
    path,
    async (page) => {
      await page.locator('.composer input[type=file]').setInputFiles({
        name: 'map.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('Left at the oak'),
      })
      await page.locator('.upload', { hasText: 'map.txt' }).getByText('15 B').waitFor()
      await composer(page).fill('In the yard')
      await page.keyboard.press('Enter')
      await page.getByText('Sending in').first().waitFor()
      await assertAccessible(page, 'a held message')
      await page.reload()
      await page.getByText('Sending in').first().waitFor()
      assert.deepEqual(await sentIn(id), [])
      await button(page, 'Undo').click()
      await page.locator('.upload', { hasText: 'map.txt' }).waitFor()
      await until(async () => (await composer(page).inputValue()) === 'In the yard', 'the text to be back')
      assert.deepEqual(await heldOf(id), [])

      await page.keyboard.press('Control+Shift+Enter')
      // It goes on with the next conversation, or with the list.
      await page.waitForURL((url) => !url.pathname.endsWith(id))
      await page.goto(new URL(path, page.url()).href)
      await page.getByText('Sending and closing in').waitFor()
      await button(page, 'Send now').click()
      await page.locator('.convo-head').getByText('Closed', { exact: true }).waitFor()
      assert.deepEqual(await sentIn(id), ['In the yard'])
    },
    { person: patient },
  )
})

test('what is sent can be undone from another screen, and what was not sent is told there', async () => {
  const { id, path } = await asked('web', 'Distant Customer')
  await visit(
    path,
    async (page) => {
      await composer(page).fill('Too early')
      await page.keyboard.press('Enter')
      await page.getByText('Sending in').first().waitFor()
      await page.getByRole('link', { name: 'Templates' }).click()
      await page.getByText('Sending to Distant Customer…').waitFor()
      await button(page, 'Undo').click()
      await until(async () => (await composer(page).inputValue()) === 'Too early', 'the text to be back')
      await page.keyboard.press('Enter')
      await page.getByText('Sending in').first().waitFor()
      const problem = JSON.stringify({
        code: 'CUSTOMER_UNREACHABLE',
        message: 'The customer has blocked you.',
      })
      await db.updateTable('held_messages').set({ problem }).where('conversation_id', '=', id).execute()
      await page.goto(new URL('/templates', page.url()).href)
      const alert = page.getByRole('alert').filter({ hasText: 'The customer has blocked you.' })
      await alert.getByRole('button', { name: 'Show' }).click()
      await button(page, 'Edit').click()
      await until(async () => (await composer(page).inputValue()) === 'Too early', 'the text to be back')
      assert.deepEqual([await heldOf(id), await sentIn(id)], [[], []])
    },
    { person: patient },
  )
})

test('Enter is a new line in an email and sends elsewhere, as the hint says', async () => {
  const [email, chat] = [await asked('email', 'Mail Customer'), await asked('web', 'Chat Customer')]
  await visit(email.path, async (page) => {
    await composer(page).click()
    await page.keyboard.type('Dear customer,')
    await page.keyboard.press('Enter')
    await page.keyboard.type('it is on its way.')
    assert.equal(await composer(page).innerText(), 'Dear customer,\nit is on its way.')
    await button(page, 'Ctrl+Enter to send').click()
    await page.getByText('In emails: Ctrl+Enter to send, Enter for a new line').waitFor()
    await page.getByText('For 20 seconds').click()
    await composer(page).press('Control+Enter')
    await page.getByText('Sending in').first().waitFor()
    assert.equal((await heldOf(email.id)).length, 1)
    await page.locator('.convo', { hasText: 'Chat Customer' }).click()
    await button(page, 'Enter to send').click()
    await page.getByText('Off: send at once').click()
    await composer(page).fill('At once')
    await composer(page).press('Enter')
    await until(async () => (await sentIn(chat.id)).length === 1, 'the reply to be sent')
  })
})

test('whoever writes while a colleague replies is asked before it is sent', async () => {
  const { id, path } = await asked('web', 'Shared Customer')
  const other = await asked('web', 'Other Customer')
  await visit(path, (page) =>
    visit(
      other.path,
      async (janes) => {
        await composer(page).fill('It is in the yard')
        await janes
          .locator('.convo', { hasText: 'Shared Customer' })
          .getByText('Robin is replying…')
          .waitFor()
        await janes.locator('.convo', { hasText: 'Shared Customer' }).click()
        await composer(janes).fill('You got it yesterday')
        await composer(janes).press('Enter')
        await page.locator('.bubble', { hasText: 'You got it yesterday' }).waitFor()
        await page.bringToFront()
        await composer(page).press('Enter')
        const alert = page.getByRole('alert').filter({ hasText: 'Jane replied while you were writing.' })
        await alert.getByText('You got it yesterday').waitFor()
        await assertAccessible(page, 'replies that cross')
        await button(page, 'Keep editing').click()
        await until(async () => (await composer(page).inputValue()) === 'It is in the yard', 'the text')
        assert.deepEqual(await sentIn(id), ['You got it yesterday'])
        await composer(page).press('Enter')
        await until(async () => (await sentIn(id)).length === 2, 'the reply to be sent')
      },
      { person: jane },
    ),
  )
})

test('what is written without a network is sent when it is back: in order, once, and without a click', async () => {
  const { id, path } = await asked('web', 'Far Customer')
  await visit(path, async (page) => {
    await Promise.all([page.waitForResponse(/\/unsent-/), composer(page).focus()])
    await page.context().setOffline(true)
    for (const body of ['One', 'Two']) {
      await composer(page).fill(body)
      await page.keyboard.press('Enter')
    }
    await page.getByText('It will be sent when you’re back online').first().waitFor()
    await page.context().setOffline(false)
    await until(async () => (await sentIn(id)).length === 2, 'both replies to be sent')
    assert.deepEqual(await sentIn(id), ['One', 'Two'])
  })
})

test('code that cannot be fetched is waited for, and the page stays', async () => {
  const { path } = await asked('web', 'Waiting Customer')
  const work = async (page: Page): Promise<void> => {
    await composer(page).waitFor()
    await page.context().route(/\/assets\/contacts-/, (route) => route.abort())
    let isDown = true
    await page.context().route(/127\.0\.0\.1:\d+\/$/, (route) => (isDown ? route.abort() : route.continue()))
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByText('What you opened will load when the connection is back').waitFor()
    await composer(page).waitFor()
    await page.context().unroute(/\/assets\/contacts-/)
    isDown = false
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()
  }
  // What a service worker fetches can't be held up here.
  await visit(path, work, { serviceWorkers: 'block' })
})
