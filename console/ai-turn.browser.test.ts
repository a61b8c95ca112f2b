// What people see of the AI agent's work, in a real browser against the real server.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { RETURNS, startAssisting } from '../server/domain/ai/testing/assisted.ts'
import { newId } from '../server/platform/db/id.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button } from '../test/console-visit.ts'

const testApp = await startApp({ stream: true })
const { conductor, place, settle, thinker } = startAssisting(testApp)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})
const { db, make } = testApp
const there = await place()
const robin = await make.agent(there.workspaceId, { nickname: 'Robin', role: 'admin' })
const { test, visit } = browseConsole(testApp, there.workspaceId, robin)

await there.writes('How long do I have to return something?')
await there.assign()
await settle()
const { metadata } = (await there.shown()).find(({ sender }) => sender.role === 'ai')!
await db
  .insertInto('ai_requests')
  .values({
    workspace_id: there.workspaceId,
    turn_id: metadata.ai.turnId,
    id: newId(),
    model: 'sandbox-1',
    request: JSON.stringify({ system: 'You reply for Northwind.', turns: [{ text: 'How long?\nPlease!' }] }),
    response: JSON.stringify({ text: '30 days' }),
    problem: null,
    provider_request_id: null,
    tries: 1,
    input_tokens: 1200,
    duration_ms: 350,
    created_at: new Date(),
  })
  .execute()

test('a reply of the AI agent opens to why it said it and exactly what was sent, and can be marked as wrong', () =>
  visit(`/inbox/all/${there.conversationId()}`, async (page) => {
    await page.getByText('AI agent:').waitFor()
    await page.locator('summary', { hasText: `From “${RETURNS.title}”` }).click()
    await page.getByText('Looked for:').waitFor()
    await page.locator('blockquote', { hasText: RETURNS.body }).waitFor()
    await page.getByText('Exactly what was sent (1 request)').click()
    await page.getByText('sandbox-1').waitFor()
    await page.locator('summary', { hasText: /^Sent$/ }).click()
    await page.getByText('You reply for Northwind.', { exact: true }).waitFor()
    await assertAccessible(page, 'what was sent to a model')
    await button(page, 'Mark as wrong').click()
    await page.getByText('Marked as wrong by Robin').waitFor()
    const { wrong } = await db.selectFrom('ai_outcomes').select('wrong').executeTakeFirstOrThrow()
    assert.equal(wrong, 1)
    await button(page, 'Undo').click()
    await button(page, 'Mark as wrong').waitFor()
    await page.getByRole('link', { name: RETURNS.title }).click()
    await page.getByRole('heading', { name: RETURNS.title }).waitFor()
  }))

test('the line of a hand-over opens to what the customer asked', async () => {
  await there.asks('Do you repair bicycles?')
  await there.asks('And tandems?')
  await visit(`/inbox/all/${there.conversationId()}`, async (page) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('summary', { hasText: 'found no answer twice in a row' }).click()
    await page.getByText('Handed over: no answer twice in a row').waitFor()
    await page.locator('.flow-run').getByText('And tandems?').waitFor()
    await assertAccessible(page, 'a hand-over on a phone')
  })
})

test('each number of the results has what it is a part of, and opens to its conversations', () =>
  visit('/settings/ai-agent', async (page) => {
    await page.getByRole('link', { name: 'Results' }).click()
    await page.getByText('of 1 (100%)').first().waitFor()
    await page.getByText('no answer twice in a row').waitFor()
    await page.getByText('of 1 answered (0%)').first().waitFor()
    await assertAccessible(page, 'results of the AI agent')
    await button(page, '1, Handed over: show conversations').click()
    await page.getByText('handed over: no answer twice in a row').waitFor()
    await page.getByRole('link', { name: 'Maria Silva' }).click()
    await page.getByText('How long do I have to return something?').first().waitFor()
  }))
