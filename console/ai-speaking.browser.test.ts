// When the AI agent replies and what it may cost, set in a real browser against the real server.
import assert from 'node:assert/strict'
import { setAiAgent } from '../server/domain/agents/set-ai-agent.ts'
import { getAiSettings } from '../server/domain/ai/settings.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'

const testApp = await startApp({ stream: true })
const { ctxOf, make } = testApp
const { id: workspaceId } = await make.workspace()
const ctx = ctxOf(workspaceId)
await setAiAgent(ctx, { isEnabled: true })
for (const channel of ['web', 'email', 'sms'] as const) await make.channelAccount(workspaceId, channel)
const tagId = await make.tag(workspaceId, { name: 'From the assistant' })
const robin = await make.agent(workspaceId, { nickname: 'Robin', role: 'admin' })
const { test, visit } = browseConsole(testApp, workspaceId, robin)

test('an agent that only replies when assigned says so, and one button has it reply to new conversations on the channels that are connected', () =>
  visit('/settings/ai-agent', async (page) => {
    await page.getByText('It only replies to conversations that are assigned to it').waitFor()
    await field(page, 'When it replies by SMS').selectOption('never')
    await button(page, 'Save').click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await assertAccessible(page, 'an agent that only replies when assigned')
    await button(page, 'Reply to new conversations').click()
    await page.getByText('It replies to new conversations now').waitFor()
    await page.getByText('It only replies to').waitFor({ state: 'detached' })
    assert.equal(await field(page, 'When it replies by Email').inputValue(), 'new')
    const { speaking } = (await getAiSettings(ctx)).settings
    assert.deepEqual([speaking.web.mode, speaking.email.mode, speaking.sms.mode], ['new', 'new', 'never'])
    // Not connected.
    assert.deepEqual([speaking.whatsapp.mode, speaking.telegram.mode], ['assigned', 'assigned'])
  }))

test('when it replies is set by channel, with conditions, whom it hands over to, and what it may cost', () =>
  visit('/settings/ai-agent', async (page) => {
    await field(page, 'When it replies by WhatsApp').selectOption('new_closed')
    await field(page, 'When it replies by Web chat').selectOption('silent')
    await page.getByLabel('After minutes').fill('15')
    await page.getByText('All customers, at any time').first().click()
    await field(page, 'Hours').first().selectOption('closed')
    await page.getByLabel('Assign to').selectOption({ label: 'Robin' })
    await page.getByLabel('Tag the customer').selectOption({ label: 'From the assistant' })
    await page.getByLabel('Per day (USD)').fill('2.5')
    await assertAccessible(page, 'when the AI agent replies')
    await button(page, 'Save').click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { settings } = await getAiSettings(ctx)
    assert.equal(settings.speaking.whatsapp.mode, 'new_closed')
    assert.equal(settings.speaking.web.mode, 'silent')
    assert.equal(settings.speaking.web.afterMinutes, 15)
    assert.deepEqual(settings.handOver, { agentId: robin.id, teamId: null, tagId })
    assert.deepEqual(settings.budget, { day: 2_500_000, month: null })
    if (process.env.SHOTS)
      for (const [width, height] of [
        [1440, 900],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height })
        await page.screenshot({ path: `${process.env.SHOTS}-${width}.png`, fullPage: true })
      }
  }))
