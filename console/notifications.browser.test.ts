// Notifications as a browser has them: the settings, the service worker, the installed page, mentions in notes.
import assert from 'node:assert/strict'
import { test as plain } from 'node:test'
import { DEFAULT_SETTINGS } from '../server/domain/notifications/settings.ts'
import { NO_SCREEN as PARTS } from '../server/platform/http/console-pages.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, LOOKS } from '../test/console-visit.ts'
import { NO_SCREEN } from './build-service-worker.ts'

const app = await startApp({ stream: true })
const { make, db } = app
const { id: w } = await make.workspace({ name: 'Acme' })
const robin = await make.agent(w, { role: 'admin', nickname: 'Robin' })
const jane = await make.agent(w, { role: 'admin', nickname: 'Jane Doe' })
await make.agent(w, { nickname: 'Kim' })
const conversation = await make.conversation(w, {
  channel: 'web',
  channelAccountId: await make.channelAccount(w),
})
await make.message(w, conversation, { body: 'Hello there' })
const { test, visit, base } = browseConsole(app, w, robin)

plain('the service worker leaves to the server what the server says is no screen', () => {
  assert.equal(new RegExp(NO_SCREEN).source, PARTS.source)
})

test('settings are kept, with times of the week; a pause ends when it is told to', () =>
  visit('/notifications', async (page) => {
    await page.getByRole('group', { name: 'Mentions of me' }).getByLabel('Sound').uncheck()
    await page.getByRole('switch', { name: 'Only notify me at certain times' }).check()
    await page.getByLabel('Monday: opens').fill('08:30')
    await button(page, 'Save').click()
    await page.getByText('Saved').waitFor()
    const { settings } = await db
      .selectFrom('notification_settings')
      .select('settings')
      .where('account_id', '=', robin.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(settings.sound, { ...DEFAULT_SETTINGS.sound, mentioned: false })
    assert.deepEqual(settings.hours?.weekly.mon, [{ from: '08:30', to: '18:00' }])
    await button(page, 'Pause for 1 hour').click()
    await page.getByText(/Notifications are paused until/).waitFor()
    for (const { colorScheme, width } of LOOKS) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      await assertAccessible(page, `notifications ${colorScheme} ${width}`)
    }
    await button(page, 'Resume').click()
    await button(page, 'Pause for 1 hour').waitFor()
  }))

test('a teammate is mentioned by keyboard, and shown as one; the author changes and deletes the note', () =>
  visit(`/inbox/open/${conversation.id}`, async (page) => {
    await page.getByRole('button', { name: 'Note', exact: true }).click()
    const field = page.getByRole('textbox', { name: 'Note' })
    await field.pressSequentially('Ask @j')
    const names = page.getByRole('listbox', { name: 'Mention a teammate' })
    await names.getByRole('option', { name: 'Jane Doe' }).waitFor()
    await field.press('Enter')
    assert.equal(await field.inputValue(), 'Ask @Jane Doe ')
    await field.pressSequentially('and @k')
    const kim = names.getByRole('option', { name: 'Kim' })
    assert.equal(await kim.getAttribute('aria-disabled'), 'true')
    await page.getByText('Can’t see this conversation').waitFor()
    await assertAccessible(page, 'mentions')
    await field.press('Escape')
    await field.press('Control+Enter')
    const note = page.getByRole('article', { name: 'Note by Robin' })
    await note.locator('.mention', { hasText: '@Jane Doe' }).waitFor()
    const rows = await db.selectFrom('note_mentions').select('account_id').execute()
    assert.deepEqual(rows, [{ account_id: jane.id }])
    await note.getByRole('button', { name: 'Edit note' }).click()
    await page.getByRole('dialog').getByLabel('Note').fill('Never mind')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await note.getByText('Never mind').waitFor()
    await note.getByText('edited').waitFor()
    await note.getByRole('button', { name: 'Delete note' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete note' }).click()
    await note.waitFor({ state: 'detached' })
  }))

test('the service worker shows a push once with its sound, opens what it leads to, and keeps the page, not the API; a page opened offline goes on by itself', () =>
  visit(
    '/contacts',
    async (page) => {
      const context = page.context()
      await context.grantPermissions(['notifications'], { origin: base() })
      await page.evaluate(() => navigator.serviceWorker.ready)
      const [worker] = context.serviceWorkers()
      const payload = {
        id: 'one',
        title: 'Mia',
        body: 'Hello there',
        tag: `${w} ${conversation.id}`,
        path: `/w/${w}/inbox/${conversation.id}`,
        conversationId: conversation.id,
        sentAt: new Date().toISOString(),
      }
      const push = (data: object): Promise<{ title: string; silent: boolean | null }[]> =>
        worker!.evaluate(async (text) => {
          const waiting: Promise<unknown>[] = []
          const event = Object.assign(new Event('push'), {
            data: { json: () => JSON.parse(text) },
            waitUntil: (work: Promise<unknown>) => waiting.push(work),
          })
          self.dispatchEvent(event)
          await Promise.all(waiting)
          const { registration } = self as unknown as { registration: ServiceWorkerRegistration }
          const shown = await registration.getNotifications()
          return shown.map(({ title, silent }) => ({ title, silent }))
        }, JSON.stringify(data))
      assert.deepEqual(await push(payload), [{ title: 'Mia', silent: false }])
      assert.deepEqual(await push(payload), [{ title: 'Mia', silent: true }])
      assert.deepEqual(await push({ ...payload, id: 'two', title: 'Mia again' }), [
        { title: 'Mia again', silent: false },
      ])
      await worker!.evaluate(async (path) => {
        const waiting: Promise<unknown>[] = []
        const event = Object.assign(new Event('notificationclick'), {
          notification: { close: () => {}, data: { path } },
          waitUntil: (work: Promise<unknown>) => waiting.push(work),
        })
        self.dispatchEvent(event)
        await Promise.all(waiting)
      }, payload.path)
      await page.waitForURL(`**/inbox/open/${conversation.id}`)
      await page.getByText('Hello there').first().waitFor()
      const kept = await page.evaluate(async () => {
        const names = await caches.keys()
        const urls = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
        return urls.flat().map(({ url }) => new URL(url).pathname)
      })
      assert.ok(kept.includes('/') && kept.some((path) => path.startsWith('/assets/')))
      assert.deepEqual(
        kept.filter((path) => !/^\/($|assets\/|notified\/)/.test(path)),
        [],
      )
      await context.setOffline(true)
      await page.goto(`${base()}/inbox/open`)
      await page.locator('#root > *').first().waitFor()
      await context.setOffline(false)
      // The page that was opened without a connection goes on by itself.
      await button(page, /Workspace and account/).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.waitForURL('**/sign-in*')
      assert.ok(!(await page.evaluate(() => caches.keys())).includes('foyer-notified'))
    },
    { serviceWorkers: 'allow' },
  ))
