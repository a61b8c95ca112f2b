// Tests of the AI agent in a real browser: kept from a reply, run, compared, and named when a draft is published.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { DEFAULT_GUIDANCE } from '../server/domain/ai/guidance/default-guidance.ts'
import { saveDraft } from '../server/domain/ai/guidance/edit-guidance.ts'
import { startAssisting } from '../server/domain/ai/testing/assisted.ts'
import { DELIVERY_TIMING } from '../server/jobs/delivery-timing.ts'
import { evaluateAgent } from '../server/jobs/evaluate-agent.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true })
const { make, db } = testApp
const { place, conductor, thinker } = startAssisting(testApp)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})
const there = await place({ name: 'Wilhelmina Ortega' })
const robin = await make.agent(there.workspaceId, { nickname: 'Robin', role: 'admin' })
const { test, visit } = browseConsole(testApp, there.workspaceId, robin)
const jobs = { ...testApp.deps, log: testApp.app.log, timing: DELIVERY_TIMING, isStopping: () => false }

const LOOKS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

/** Plays what was started, as the worker does. */
const playRuns = async (): Promise<void> => {
  const running = () => db.selectFrom('ai_test_runs').select('id').where('state', '=', 'running').execute()
  await until(async () => (await running()).length > 0, 'a run')
  for (const { id } of await running())
    await evaluateAgent(jobs, { workspaceId: there.workspaceId, runId: id })
}

test('a reply is kept as a test, changed, run, and deleted', async () => {
  assert.match(await there.opens('How much is shipping?'), /50 euros/)
  await visit(`/inbox/all/${there.conversationId()}`, async (page) => {
    await page.locator('summary', { hasText: 'From “Shipping cost”' }).click()
    await page.getByRole('link', { name: 'Keep as test' }).click()
    await page.getByText('Check the messages before you save.').waitFor()
    assert.equal(await field(page, 'Customer writes').inputValue(), 'How much is shipping?')
    assert.equal(await field(page, 'Uses').inputValue(), 'Shipping cost')
    await field(page, 'Name').fill('Price of shipping')
    await field(page, 'Doesn’t say').fill('90 euros')
    for (const size of LOOKS) {
      await page.setViewportSize(size)
      await assertAccessible(page, `new test at ${size.width}`)
    }
    await button(page, 'Create test').click()
    await button(page, 'Run this test').click()
    await playRuns()
    await page.getByText('Live: passed').waitFor()
    await page.getByText('Doesn’t say “90 euros”').waitFor()
    await field(page, 'Says').first().fill('50 dollars')
    await button(page, 'Save').click()
    await page.getByText('Live: passed, outdated').waitFor()
    await button(page, 'Run this test').click()
    await playRuns()
    await page.getByText('Live: failed').waitFor()
    for (const size of LOOKS) {
      await page.setViewportSize(size)
      await assertAccessible(page, `test at ${size.width}`)
    }
    await field(page, 'Says').first().fill('50 euros')
    await button(page, 'Save').click()
    await page.getByText('Live: failed, outdated').waitFor()
  })
})

test('what got worse is on top, and is named before the draft is published', () =>
  visit('/settings/ai-agent', async (page) => {
    const guidance = { ...DEFAULT_GUIDANCE, sensitiveTopics: ['shipping'] }
    await saveDraft(testApp.ctxOf(there.workspaceId), { guidance, revision: 0 })
    await page.getByRole('link', { name: 'Tests' }).click()
    await field(page, 'Instructions').waitFor()
    await button(page, 'Run all').click()
    await page.getByText(/^Running: /).waitFor()
    await playRuns()
    await page.getByText('Worse with the draft').first().waitFor()
    await page.getByText(/^Last run: /).waitFor()
    await page.getByText(/^Grounded answers: \d+ tests$/).click()
    const grounded = page.getByRole('list', { name: 'Grounded answers' })
    await grounded.getByText('Live: not tried').first().waitFor()
    for (const size of LOOKS) {
      await page.setViewportSize(size)
      await assertAccessible(page, `tests at ${size.width}`)
    }
    await page.getByRole('link', { name: 'Price of shipping' }).first().click()
    await page.getByRole('region', { name: 'Draft' }).getByText('Draft: failed').waitFor()
    for (const size of LOOKS) {
      await page.setViewportSize(size)
      await assertAccessible(page, `results at ${size.width}`)
    }
    await page.setViewportSize(LOOKS[0]!)
    await page.goto(new URL('/settings/ai-agent/instructions', page.url()).href)
    await button(page, 'Publish').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Price of shipping').waitFor()
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await dialog.getByText('Publish anyway?').waitFor()
    for (const size of LOOKS) {
      await page.setViewportSize(size)
      await assertAccessible(page, `publish at ${size.width}`)
    }
    await dialog.getByRole('button', { name: 'Publish all the same' }).click()
    await page.getByText('Version 1 is live ·').waitFor()
    await page.goto(new URL('/settings/ai-agent/tests', page.url()).href)
    await page.getByRole('link', { name: 'Price of shipping' }).first().click()
    await button(page, 'Delete').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete test' }).click()
    await page.getByText('No tests yet').waitFor()
  }))
