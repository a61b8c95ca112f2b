// A flow's question in real browsers: the customer taps an option in the chat box, and the console shows what was
// offered, what was chosen and what the flow did.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { findLanguage } from '../server/domain/accounts/queries.ts'
import { insertSystemEntry, lockConversation } from '../server/domain/conversations/queries.ts'
import { flowOf } from '../server/domain/flow-runs/testing/conducted.ts'
import { inTransaction } from '../server/platform/ctx/ctx.ts'
import { newId } from '../server/platform/db/id.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole } from '../test/console-visit.ts'
import { makeFlow } from '../test/make-flow.ts'
import { serveShop } from '../test/shop-page.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true, worker: true })
const { call, ctxOf, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const { base, browser, test, visit } = browseConsole(testApp, workspace.id, robin)

const channelId = await make.channelAccount(workspace.id, 'web')
const shop = await serveShop(() => ({ base: base(), channelId }))

const TOPICS = flowOf([
  {
    type: 'ask',
    answer: 'choice',
    text: 'What is it about?',
    store: 'run.topic',
    options: [
      { id: 'order', title: 'An order' },
      { id: 'return', title: 'A return' },
    ],
  },
  { type: 'send', text: 'We’ll look into it.' },
])

const newestConversation = async () =>
  (await call(workspace.token, 'GET', '/conversations?limit=1')).body.conversations[0]

/** The customer writes in the chat box of the shop, is asked, and taps. */
const customerTaps = async (page: Page): Promise<string> => {
  await page.goto(shop)
  await page.locator('#foyer-chat .launcher').click()
  await page.locator('#foyer-chat textarea').fill('Hello')
  await page.keyboard.press('Enter')
  await until(async () => (await newestConversation())?.lastMessage?.body === 'Hello', 'the message stored')
  await page.getByRole('button', { name: 'A return' }).click()
  await page.locator('#foyer-chat .bubble', { hasText: 'We’ll look into it.' }).waitFor()
  return (await newestConversation()).id
}

test('a tap goes to the flow that asked, and the thread shows the flow, its options once and the chosen one', async () => {
  await makeFlow(testApp, workspace.id, { definition: TOPICS, name: 'Welcome' })
  const shopper = await browser().newPage()
  const conversationId = await customerTaps(shopper)
  await visit(`/inbox/open/${conversationId}`, async (page) => {
    const question = page.getByRole('article', { name: 'Welcome,' }).filter({ hasText: 'What is it about?' })
    await question.waitFor()
    assert.deepEqual(await question.getByRole('listitem').allTextContents(), ['1 An order', '2 A return'])
    assert.equal(await question.getByText('What is it about?').count(), 1)
    assert.equal(await question.getByText('1. An order').count(), 0)
    assert.equal(await question.getByRole('button').count(), 0)

    const tap = page.getByRole('article', { name: 'Ann,' }).filter({ hasText: 'A return' })
    assert.equal(await tap.getByText('What is it about?').count(), 1)
    assert.match((await tap.textContent()) ?? '', /Chose: A return/)

    await page.locator('summary', { hasText: 'Welcome: asked “What is it about?” · 1 step' }).waitFor()
    await assertAccessible(page, 'a thread with a flow')
  })
  await shopper.close()
})

test('the line of a run that is gone says so', async () => {
  const { id } = await make.conversation(workspace.id, { channelAccountId: channelId })
  await inTransaction(ctxOf(workspace.id), async (ctx) => {
    const conversation = await lockConversation(ctx, id)
    assert.ok(conversation)
    await insertSystemEntry(ctx, {
      conversation,
      body: 'Old flow: sent a message',
      metadata: { event: 'flow', flowId: newId(), runId: newId(), flowName: 'Old flow', steps: 1 },
    })
  })
  await visit(`/inbox/open/${id}`, async (page) => {
    await page.locator('summary', { hasText: 'Old flow: sent a message' }).click()
    await page.getByText('This run is no longer available.').waitFor()
  })
})

test('what the server writes is in the person’s language, which follows them to another browser', async () => {
  const jane = await make.agent(workspace.id, { nickname: 'Jane', role: 'admin' })
  const { id } = await make.conversation(workspace.id, { channelAccountId: channelId })
  const flow = await makeFlow(testApp, workspace.id, { definition: TOPICS, name: 'Hallo' })
  const german = { person: jane, locale: 'de-DE' }
  await visit(
    `/inbox/open/${id}`,
    async (page) => {
      await call(workspace.token, 'POST', `/conversations/${id}/assign`, { agentId: robin.id })
      await page.getByText('API hat diese Konversation Robin zugewiesen').waitFor()
      await call(workspace.token, 'POST', `/conversations/${id}/close`)
      await page.getByText('API hat diese Konversation geschlossen').waitFor()
      await call(workspace.token, 'POST', '/tags', { name: 'vip', color: '#2f80ed' })
      await page.goto(`${base()}/settings/tags`)
      await page.getByRole('button', { name: 'Neues Tag' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('VIP')
      await page.getByRole('dialog').getByRole('button', { name: 'Tag anlegen' }).click()
      await page.getByText('Ist der Name eines anderen Tags.').waitFor()
      await page.goto(`${base()}/flows/${flow.id}`)
      await page.getByText('Sagt nichts über Kunden, die nicht antworten.').first().waitFor()
      await until(async () => (await languageOf(jane.id))?.language === 'de', 'the language of the browser')
      assert.equal((await languageOf(jane.id))?.isChosen, false)
      await page.goto(`${base()}/inbox/open`)
      await page.getByRole('button', { name: /Jane/ }).click()
      await page.getByRole('menuitem', { name: 'Sprache' }).click()
      await page.getByRole('dialog').getByLabel('Sprache').selectOption('fr')
      await page.getByRole('dialog').getByRole('button', { name: 'Speichern' }).click()
      await page.locator('html[lang=fr]').waitFor()
    },
    german,
  )
  await visit('/inbox/open', (page) => page.locator('html[lang=fr]').waitFor(), german)
})

const languageOf = (accountId: string) => findLanguage(testApp, accountId)
