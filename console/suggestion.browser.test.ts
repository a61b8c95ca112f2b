// Drafts of the AI agent above the composer, in a real browser against the real server.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { RETURNS, startAssisting } from '../server/domain/ai/testing/assisted.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true })
const { conductor, place, thinker } = startAssisting(testApp)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})
const { db, make } = testApp
const there = await place()
const robin = await make.agent(there.workspaceId, { nickname: 'Robin', role: 'admin' })
const { test, visit } = browseConsole(testApp, there.workspaceId, robin)
await there.writes('How long do I have to return something?')

const draft = (page: Page) => page.getByRole('region', { name: 'Draft', exact: true })

const reply = (page: Page) => page.getByRole('textbox', { name: 'Reply' })

/** Presses the key, and lets the AI agent write. */
const suggest = async (page: Page): Promise<void> => {
  await button(page, 'Suggest a reply').waitFor()
  await page.keyboard.press('d')
  await page.getByText('Writing a draft…').waitFor()
  await thinker.thinkDue()
  await draft(page).getByText(RETURNS.body).waitFor()
}

test('a key asks for a draft, Escape dismisses it, and a key puts it below what was typed, to be sent by hand', () =>
  visit(`/inbox/all/${there.conversationId()}`, async (page) => {
    await suggest(page)
    await draft(page).getByRole('link', { name: RETURNS.title }).waitFor()
    await assertAccessible(page, 'a draft above the composer')
    await reply(page).fill('Hi Maria,')
    await page.keyboard.press('Escape')
    await draft(page).waitFor({ state: 'detached' })
    assert.equal(await reply(page).inputValue(), 'Hi Maria,')
    await reply(page).blur()

    await suggest(page)
    await there.writes('Are you there?')
    await draft(page).getByText('The customer has written since.').waitFor()
    await reply(page).focus()
    await page.keyboard.press('Control+i')
    assert.equal(await reply(page).inputValue(), `Hi Maria,\n\n${RETURNS.body}`)
    await draft(page).waitFor({ state: 'detached' })
    assert.equal((await there.thread()).length, 2)
    await button(page, 'Send').click()
    await page.locator('.message--ours', { hasText: RETURNS.body }).waitFor()
    const rows = () => db.selectFrom('reply_drafts').select(['state', 'message_id']).orderBy('id').execute()
    await until(async () => (await rows()).some(({ message_id }) => message_id !== null), 'the message')
    assert.deepEqual(
      (await rows()).map(({ state }) => state),
      ['dismissed', 'changed'],
    )
    assert.equal(await draft(page).count(), 0)
  }))

test('on a phone, in the dark, it says why there is no draft', async () => {
  await there.writes('Ouagadougou?')
  await visit(
    `/inbox/all/${there.conversationId()}`,
    async (page) => {
      await button(page, 'Suggest a reply').click()
      await page.getByText('Writing a draft…').waitFor()
      await thinker.thinkDue()
      await page.getByText('No draft: no article or answer fits').waitFor()
      await assertAccessible(page, 'no draft, on a phone')
      await button(page, 'Dismiss').click()
      await page.getByText('No draft:').waitFor({ state: 'detached' })
    },
    { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  )
})
