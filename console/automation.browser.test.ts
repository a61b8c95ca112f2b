// Who speaks in a conversation, as an agent sees it in a real browser while it changes.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole } from '../test/console-visit.ts'
import { GREETING, makeFlow } from '../test/make-flow.ts'

const testApp = await startApp({ stream: true, worker: true })
const { clock, ctxOf, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const channelAccountId = await make.channelAccount(workspace.id, 'web')
await makeFlow(testApp, workspace.id, { definition: GREETING, name: 'Welcome' })
const { test, visit } = browseConsole(testApp, workspace.id, robin)

let people = 0
/** A customer writes, and the flow asks them something. */
const customerWrites = async (): Promise<string> => {
  const received = await receiveMessage(ctxOf(workspace.id), {
    channel: 'web',
    channelAccountId,
    from: { identity: { kind: 'visitor', value: `visitor${++people}`, verified: true }, name: 'Maria Silva' },
    body: 'Hello',
    externalId: `hello${people}`,
    sentAt: clock.now(),
  })
  return received.conversationId
}

const bar = (page: Page) => page.getByRole('region', { name: 'Automation' })
const says = (page: Page, words: RegExp) => bar(page).getByText(words).waitFor()

const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const }

for (const [screen, options] of [
  ['a wide screen', {}],
  ['a phone, in the dark', PHONE],
] as const)
  test(`on ${screen}, an agent sees the flow that waits, takes over and gives the conversation back`, async () => {
    const conversationId = await customerWrites()
    await visit(
      `/inbox/open/${conversationId}`,
      async (page) => {
        await says(page, /^Welcome is waiting for a reply until /)
        await assertAccessible(page, `a waiting flow on ${screen}`)
        await bar(page).getByRole('button', { name: 'Take over' }).click()
        await says(page, /^Automation paused by Robin$/)
        await page.getByText('Robin paused automation').waitFor()
        await assertAccessible(page, `paused automation on ${screen}`)
        await bar(page).getByRole('button', { name: 'Resume' }).click()
        await bar(page).waitFor({ state: 'detached' })
      },
      options,
    )
  })

test('an agent’s reply pauses automation, and every open screen says so', async () => {
  const conversationId = await customerWrites()
  await visit(`/inbox/open/${conversationId}`, async (page) => {
    await says(page, /^Welcome is waiting/)
    await page.getByRole('textbox', { name: /reply/i }).fill('Hi, Robin here.')
    await page.keyboard.press('Enter')
    await says(page, /^Automation paused by Robin until /)
    assert.equal(await bar(page).getByRole('button', { name: 'Stop' }).count(), 0)
  })
})
