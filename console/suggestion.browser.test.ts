// Drafts of the AI agent above the composer, in a real browser against the real server.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { allowOutbound } from '../channels/protocol/outbound.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { RETURNS, startAssisting } from '../server/domain/ai/testing/assisted.ts'
import { setUp } from '../server/domain/ai/testing/set-up.ts'
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
const KEY = 'sk-suggestion-61c0d9e2f7b8a453'
const sandbox = await startSandbox({ modelKey: KEY })
after(() => sandbox.stop())
allowOutbound(sandbox.url)
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

const rewrite = async (page: Page, how: string): Promise<void> => {
  await button(page, 'Rewrite').click()
  await page.getByRole('menuitem', { name: how }).click()
}

test('what is being written is rewritten in the field, and one click or Ctrl+Z brings the own text back', async () => {
  await setUp(testApp, there.workspaceId, { model: { url: sandbox.url, key: KEY, name: 'sandbox-facts' } })
  await visit(`/inbox/all/${there.conversationId()}`, async (page) => {
    const thread = await there.thread()
    const own = 'You can return it within 30 days. Just bring the receipt.\nBye'
    await button(page, 'Rewrite').waitFor()
    assert.equal(await button(page, 'Rewrite').isDisabled(), true)
    await reply(page).fill(own)
    await rewrite(page, 'Make friendlier')
    await page.getByText('Made friendlier.').waitFor()
    assert.equal(await reply(page).inputValue(), `Happy to help! ${own}`)
    await assertAccessible(page, 'a rewritten reply')
    await button(page, 'Undo').click()
    assert.equal(await reply(page).inputValue(), own)
    await rewrite(page, 'Make shorter')
    await page.getByText('Made shorter.').waitFor()
    assert.equal(await reply(page).inputValue(), 'You can return it within 30 days.')
    await reply(page).press('Control+z')
    assert.equal(await reply(page).inputValue(), own)
    await page.getByText('Made shorter.').waitFor({ state: 'detached' })
    sandbox.control.addModelFault({ kind: 'filtered', times: 1 })
    await rewrite(page, 'Make more formal')
    await page.getByText('The model can’t be reached. Try again later.').waitFor()
    assert.equal(await reply(page).inputValue(), own)
    assert.deepEqual(await there.thread(), thread)
    await reply(page).fill('')
  })
})

test('in an email, a rewritten text can be undone with its formatting', async () => {
  const { workspaceId } = there
  const contact = await make.contact(workspaceId, { name: 'Jo Berg', email: 'jo@mail.example' })
  const conversation = await make.conversation(workspaceId, {
    contactId: contact.id,
    channelAccountId: await make.channelAccount(workspaceId, 'email'),
    channel: 'email',
  })
  await make.message(workspaceId, conversation, {
    body: 'Guten Tag, wie lange kann ich meine Bestellung zurückgeben?',
  })
  await visit(`/inbox/all/${conversation.id}`, async (page) => {
    await reply(page).click()
    await page.keyboard.press('Control+b')
    await page.keyboard.type('Tomorrow.')
    await rewrite(page, 'Translate for the customer')
    await page.getByText('Translated into German, without formatting.').waitFor()
    assert.equal(await reply(page).textContent(), '(German) Tomorrow.')
    assert.equal(await reply(page).locator('b').count(), 0)
    await button(page, 'Undo').click()
    await reply(page).locator('b', { hasText: 'Tomorrow.' }).waitFor()
  })
})

test('a person’s reply becomes a new answer with the question before it, and says what is personal', async () => {
  await there.writes('Do you engrave rings? My number is +49 170 1234567.')
  await visit(`/inbox/all/${there.conversationId()}`, async (page) => {
    await reply(page).fill('Yes Maria, we do. It takes a week.')
    await button(page, 'Send').click()
    const message = page.locator('.message--ours', { hasText: 'It takes a week.' })
    await message.hover()
    await message.getByRole('button', { name: 'Make this an answer' }).click()
    await page.getByRole('heading', { name: 'New answer' }).waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Do you engrave rings? My number is [phone 1].')
    await page.getByText('Check for personal data before you publish: [phone 1]').waitFor()
    await assertAccessible(page, 'an answer made from a reply')
    await button(page, 'Save draft').click()
    await page.getByText('Draft saved').waitFor()
  })
  const made = await db
    .selectFrom('knowledge_items')
    .select(['state', 'body'])
    .where('title', 'like', 'Do you engrave%')
    .executeTakeFirstOrThrow()
  assert.deepEqual(made, { state: 'draft', body: 'Yes Maria, we do. It takes a week.' })
})
