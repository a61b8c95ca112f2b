// What opens over the inbox, and what must not be covered or cut there: the selection bar, pickers, emoji, pictures, long
// names, and the badge and "Closed · Undo" on a phone.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import type { Locator, Page } from 'playwright-core'
import { storeAttachment } from '../server/domain/attachments/store-attachment.ts'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { newId } from '../server/platform/db/id.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, LOOKS } from '../test/console-visit.ts'
import { freePort } from '../test/e2e/foyer.ts'
import { until } from '../test/until.ts'

const port = await freePort()
const testApp = await startApp({ stream: true, deps: { publicUrl: `http://127.0.0.1:${port}` } })
const { ctxOf, db, make } = testApp
const { id: w } = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const LONG = 'Maximiliane-Alexandra Schwarzenberger-Ottenhausen'
await make.agent(w, { nickname: LONG, role: 'admin' })
const LONG_TAG = 'Waiting for spare parts from the supplier in Tromsø'
await make.tag(w, { name: LONG_TAG })
const webId = await make.channelAccount(w, 'web')
const { test, visit } = browseConsole(testApp, w, robin, port)

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADAgH/p9H1XwAAAABJRU5ErkJggg==',
  'base64',
)
const ids: string[] = []
for (const name of ['Cora', 'Ben', 'Ada']) {
  const { conversationId } = await receiveMessage(ctxOf(w), {
    channel: 'web',
    channelAccountId: webId,
    from: { identity: { kind: 'visitor', value: name, verified: true }, name },
    body: `Hello from ${name}`,
    externalId: newId(),
    sentAt: new Date(),
  })
  ids.unshift(conversationId)
}
const [ada] = ids as [string]
const message = await db
  .selectFrom('messages')
  .select('id')
  .where('conversation_id', '=', ada)
  .executeTakeFirstOrThrow()
for (const name of ['front.png', 'back.png']) {
  const file = { name, mimeType: 'image/png', content: Readable.from([PIXEL]) }
  const { id } = await storeAttachment(ctxOf(w), file)
  await db.updateTable('attachments').set({ message_id: message.id }).where('id', '=', id).execute()
}

const LOOK = process.env.LOOK_AT
const picture = async (page: Page, name: string): Promise<void> => {
  if (LOOK) await page.screenshot({ path: `${LOOK}-${name}.png` })
}
const closed = (overlay: Locator) => overlay.waitFor({ state: 'detached' })
const composer = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true })
const boxOf = async (place: Locator) => {
  const box = await place.boundingBox()
  assert.ok(box, `${place} is shown`)
  return box
}
type Box = Awaited<ReturnType<typeof boxOf>>
const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

for (const { colorScheme, width } of LOOKS)
  test(`what opens over the inbox can be used by everybody, in ${colorScheme} at ${width} px`, () =>
    visit(
      '/inbox/open',
      async (page) => {
        const look = async (overlay: Locator, name: string): Promise<void> => {
          await overlay.waitFor()
          await assertAccessible(page, name)
          await picture(page, `${name}-${width}`)
        }
        const dismiss = async (overlay: Locator): Promise<void> => {
          await page.keyboard.press('Escape')
          await closed(overlay)
        }
        await page.locator('.convo').nth(2).waitFor()
        await button(page, 'Filter').click()
        await look(page.getByRole('menu'), 'filter')
        await dismiss(page.getByRole('menu'))
        const bar = page.getByRole('toolbar', { name: 'Selected conversations' })
        // Its code comes after the list's.
        await until(async () => {
          await page.locator('.convo').first().focus()
          await page.keyboard.press('x')
          return bar.isVisible()
        }, 'the selection bar')
        await look(bar, 'selection')
        for (const [key, name] of [
          ['z', 'Snooze'],
          ['a', 'Assign'],
          ['l', 'Tag'],
        ] as const) {
          await page.keyboard.press(key)
          const picker = page.getByRole('dialog', { name })
          await look(picker, name.toLowerCase())
          await dismiss(picker)
        }
        await button(page, 'Clear the selection').click()
        await closed(bar)
        await page.locator('.convo').first().click()
        await composer(page).fill('Yes!')
        await button(page, 'Insert an emoji').click()
        const emoji = page.getByRole('combobox', { name: 'Search emoji' })
        await emoji.waitFor()
        await look(page.getByRole('option', { name: /party/ }).first(), 'emoji')
        await emoji.pressSequentially('party')
        await page.keyboard.press('Enter')
        await until(async () => (await composer(page).inputValue()) === 'Yes!🥳', 'the emoji')
        await page.getByRole('link', { name: 'front.png' }).click()
        const lightbox = page.getByRole('dialog', { name: 'front.png' })
        await look(lightbox, 'picture')
        assert.match((await lightbox.textContent()) ?? '', /1 of 2/)
        await page.keyboard.press('ArrowRight')
        const next = page.getByRole('dialog', { name: 'back.png' })
        await next.getByRole('link', { name: 'Download back.png' }).waitFor()
        assert.ok(await next.getByRole('button', { name: 'Next picture' }).isDisabled())
        await dismiss(next)
        await page.getByRole('link', { name: 'front.png' }).and(page.locator(':focus')).waitFor()
      },
      { colorScheme, viewport: { width, height: 844 } },
    ))

test('a note takes files, which stay apart from those of the reply', () =>
  visit(`/inbox/open/${ada}`, async (page) => {
    await composer(page).waitFor()
    await page.keyboard.press('n')
    const note = page.getByRole('textbox', { name: 'Note', exact: true })
    await note.fill('See the plan')
    await page.locator('.composer input[type=file]').setInputFiles({
      name: 'plan.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Glaze on Monday'),
    })
    await page.locator('.upload', { hasText: '15 B' }).waitFor()
    await button(page, 'Reply').click()
    await composer(page).waitFor()
    assert.equal(await page.locator('.upload').count(), 0)
    await button(page, 'Note').click()
    await button(page, 'Add note').click()
    const stored = page.getByRole('article', { name: 'Note by Robin' })
    await stored.getByRole('link', { name: /Download.*plan\.txt/ }).waitFor()
    await stored.getByRole('button', { name: 'Edit note' }).waitFor()
    assert.equal(await page.locator('.upload').count(), 0)
    await assertAccessible(page, 'a note with a file')
    await picture(page, 'note')
    const row = await db
      .selectFrom('attachments')
      .select(['note_id', 'message_id'])
      .where('name', '=', 'plan.txt')
      .execute()
    assert.equal(row.length, 1)
    assert.ok(row[0]!.note_id !== null && row[0]!.message_id === null)
  }))

test('long names are inside their pickers, and all tabs inside the list at 1024 px', () =>
  visit(
    `/inbox/open/${ada}`,
    async (page) => {
      await composer(page).waitFor()
      const list = await boxOf(page.locator('.list'))
      for (const tab of await page.locator('.views__view').all()) {
        const box = await boxOf(tab)
        assert.ok(box.x >= list.x && box.x + box.width <= list.x + list.width, `${await tab.textContent()}`)
      }
      for (const [key, label, text] of [
        ['a', 'Assign to', LONG],
        ['l', 'Tag', LONG_TAG],
      ] as const) {
        await page.keyboard.press(key)
        const option = page.getByRole('option', { name: text })
        await option.waitFor()
        const [inside, around] = [await boxOf(option), await boxOf(page.getByRole('dialog'))]
        assert.ok(inside.x >= around.x && inside.x + inside.width <= around.x + around.width, label)
        const { scroll, client } = await page
          .getByRole('listbox')
          .evaluate(({ scrollWidth, clientWidth }) => ({ scroll: scrollWidth, client: clientWidth }))
        assert.ok(scroll <= client, `${label}: ${scroll} of ${client}`)
        await page.keyboard.press('Escape')
        await closed(option)
      }
    },
    { viewport: { width: 1024, height: 768 } },
  ))

test('on a phone, the badge leaves its icon visible, and “Closed · Undo” covers no composer', () =>
  visit(
    '/inbox/open',
    async (page) => {
      await page.locator('.convo').first().waitFor()
      await db
        .updateTable('conversations')
        .set({ agent_id: robin.id, assigned_at: new Date() })
        .where('id', '=', ids[1]!)
        .execute()
      await page.reload()
      const badge = page.locator('nav .count').first()
      await badge.waitFor()
      await picture(page, 'phone')
      const link = page.getByRole('link', { name: /Inbox/ }).first()
      const [mark, icon] = [await boxOf(badge), await boxOf(link.locator('svg').first())]
      const covered =
        Math.max(0, Math.min(mark.x + mark.width, icon.x + icon.width) - Math.max(mark.x, icon.x)) *
        Math.max(0, Math.min(mark.y + mark.height, icon.y + icon.height) - Math.max(mark.y, icon.y))
      assert.ok(covered < (icon.width * icon.height) / 3, `${covered} of ${icon.width * icon.height}`)
      await page.locator('.convo').first().click()
      await composer(page).waitFor()
      await page.keyboard.press('e')
      const undo = page.locator('.toast', { hasText: 'Closed' })
      await undo.waitFor()
      await composer(page).waitFor()
      assert.ok(!overlaps(await boxOf(undo), await boxOf(page.locator('.composer'))))
      await picture(page, 'undo')
    },
    { viewport: { width: 390, height: 844 } },
  ))

test('a webhook address that no provider can reach says so where it is shown', async () => {
  const channelId = await make.channelAccount(w, 'sms')
  await visit(`/settings/channels/${channelId}`, async (page) => {
    await page.getByText(`Providers can’t reach http://127.0.0.1:${port}.`).waitFor()
    await page.getByText(`http://127.0.0.1:${port}/webhooks/sms/${channelId}`).waitFor()
    await assertAccessible(page, 'a channel without a public address')
  })
})
