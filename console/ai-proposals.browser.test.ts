// What the AI agent proposes to the team, in a real browser against the real server.
import assert from 'node:assert/strict'
import { proposes, QUESTION, startProposing } from '../server/domain/ai/testing/proposing.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button } from '../test/console-visit.ts'

const testApp = await startApp({ stream: true })
const { conductor, control, makePlace, shop } = await startProposing(testApp)
const there = await makePlace({ action: { confirm: 'person' } })
const robin = await testApp.make.agent(there.workspaceId, { nickname: 'Robin', role: 'admin' })
const { test, visit } = browseConsole(testApp, there.workspaceId, robin)

test('what the agent proposes is done by the button, and the thread says by whom', async () => {
  control.clearModel()
  control.scriptModel([proposes()])
  await there.opens(QUESTION)
  await visit(`/inbox/all/${there.conversationId()}`, async (page) => {
    const card = page.getByRole('region', { name: 'Proposed by the AI agent' })
    await card.getByText('Cancel order').waitFor()
    await card.getByText('AB-12345').waitFor()
    await assertAccessible(page, 'a proposal')
    await page.setViewportSize({ width: 390, height: 844 })
    await button(page, 'Decline').waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    await button(page, 'Do it').click()
    await page.getByText('Robin confirmed what the AI agent proposed').waitFor()
    await there.finish()
    await page.getByText('AI agent: done').waitFor()
    await card.waitFor({ state: 'detached' })
    assert.equal(shop.called.length, 1)
  })
  await conductor.stop()
})
