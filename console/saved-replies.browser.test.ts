// Saved replies in a real browser: written in the settings, found by /, sent with what follows them.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true })
const { call, db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin Hart', role: 'admin' })
const vip = await make.tag(workspace.id, { name: 'VIP' })
const ann = await make.contact(workspace.id, { name: 'Ann Lee' })
const webId = await make.channelAccount(workspace.id, 'web')
const conversation = await make.conversation(workspace.id, {
  contactId: ann.id,
  channel: 'web',
  channelAccountId: webId,
})
const { id } = conversation
await make.message(workspace.id, conversation, { body: 'Where is my mug?' })
const { test, visit } = browseConsole(testApp, workspace.id, robin)

const LOOK = process.env.LOOK_AT
const picture = async (page: Page, name: string): Promise<void> => {
  if (LOOK) await page.screenshot({ path: `${LOOK}-${name}.png` })
}

const reply = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true })
const search = (page: Page) => page.getByRole('combobox', { name: 'Saved replies' })

test('a reply is written in the settings, inserted by /, and what follows it is done once it was sent', async () => {
  await visit('/settings/saved-replies', async (page) => {
    await page.getByText('No saved replies yet').waitFor()
    await button(page, 'New saved reply').click()
    await field(page, 'Name').fill('On its way')
    await field(page, 'Text').fill(' your mug is on its way.')
    await field(page, 'Text').press('Home')
    await button(page, 'Insert a value').click()
    await page.getByRole('menuitem', { name: 'Customer’s first name' }).click()
    assert.equal(await field(page, 'Text').inputValue(), '{{contact.firstName}} your mug is on its way.')
    await field(page, 'Shortcut (optional)').fill('/Way')
    await field(page, 'Folder (optional)').fill('Shiping')
    await page.getByText('Afterwards').click()
    await page.getByLabel('VIP').check()
    await page.getByLabel('Close the conversation').check()
    await assertAccessible(page, 'a new saved reply')
    await picture(page, 'edit')
    await button(page, 'Create saved reply').click()
    await page.getByText('/way', { exact: true }).waitFor()
    await button(page, 'Rename folder Shiping').click()
    await field(page, 'Name').fill('Shipping')
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'Shipping' }).waitFor()
    await assertAccessible(page, 'saved replies')
    await picture(page, 'list')
  })
  await visit(
    `/inbox/all/${id}`,
    async (page) => {
      await reply(page).fill('Good news:\n')
      await reply(page).press('End')
      await reply(page).press('/')
      await page.getByRole('listbox', { name: 'Saved replies' }).getByText('Shipping').waitFor()
      await search(page).pressSequentially('way')
      await page.getByRole('option', { name: /On its way/ }).waitFor()
      await assertAccessible(page, 'saved replies to choose from')
      await picture(page, 'pick')
      await search(page).press('Enter')
      await page.getByText('After sending: add VIP, close').waitFor()
      assert.equal(await reply(page).inputValue(), 'Good news:\nAnn your mug is on its way.')
      await assertAccessible(page, 'what a saved reply does')
      await picture(page, 'after')
      await db.updateTable('accounts').set({ undo_seconds: 20 }).execute()
      await page.reload()
      await button(page, 'Send').click()
      // Nothing is tagged or closed while it is held, and undoing gives back what it does.
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
      await page.getByText('After sending: add VIP, close').waitFor()
      assert.deepEqual(await db.selectFrom('contact_tags').select('tag_id').execute(), [])
      await db.updateTable('accounts').set({ undo_seconds: 0 }).execute()
      await page.reload()
      await button(page, 'Send').click()
      await until(async () => {
        const { body } = await call(workspace.token, 'GET', `/conversations/${id}`)
        return body.conversation.status === 'closed'
      }, 'the conversation to be closed')
      const tags = await db.selectFrom('contact_tags').select('tag_id').execute()
      assert.deepEqual(tags, [{ tag_id: vip }])
      assert.match(
        JSON.stringify((await call(workspace.token, 'GET', `/conversations/${id}/messages`)).body),
        /Ann your mug is on its way/,
      )
    },
    { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  )
})

test('a second / is a slash, and Escape leaves the text as it was', () =>
  visit(`/inbox/all/${id}`, async (page) => {
    await reply(page).fill('Yes')
    await reply(page).press('/')
    assert.equal(await reply(page).inputValue(), 'Yes/')
    await reply(page).fill('')
    await reply(page).press('/')
    await search(page).press('/')
    await search(page).waitFor({ state: 'detached' })
    assert.equal(await reply(page).inputValue(), '/')
    await reply(page).fill('')
    await reply(page).press('/')
    await search(page).press('Escape')
    await search(page).waitFor({ state: 'detached' })
    assert.equal(await reply(page).inputValue(), '')
  }))
