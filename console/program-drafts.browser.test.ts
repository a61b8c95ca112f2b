// A reply that a program proposes over MCP, in a real browser: it says whose it is, and a person sends it.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createToken } from '../server/domain/tokens/tokens.ts'
import { connect } from '../server/mcp/testing/connect.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true })
const { ctxOf, db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin Hart', role: 'admin' })
const conversation = await make.conversation(workspace.id)
await make.message(workspace.id, conversation, { body: 'Where is my mug?' })
const { test, visit } = browseConsole(testApp, workspace.id, robin)

const LOOK = process.env.LOOK_AT
const picture = async (page: Page, name: string): Promise<void> => {
  if (LOOK) await page.screenshot({ path: `${LOOK}-${name}.png` })
}

test('a draft appears with its program’s name, is changed and sent by a person, as theirs', async () => {
  const { secret } = await createToken(ctxOf(workspace.id), {
    ...{ name: 'Order helper', scopes: ['conversations:read', 'messages:draft'] },
  })
  const { call } = await connect(testApp.app, secret)
  await visit(`/inbox/all/${conversation.id}`, async (page) => {
    await page.getByText('Where is my mug?').first().waitFor()
    const { isError, text } = await call('draft_reply', {
      ...{ conversationId: conversation.id, text: 'Your mug is on its way.' },
    })
    assert.ok(!isError, text)
    await page.getByText('Proposed by Order helper').waitFor()
    await assertAccessible(page, 'a program’s draft')
    await picture(page, 'draft')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByText('Proposed by Order helper').waitFor()
    await picture(page, 'draft-390')
    await page.setViewportSize({ width: 1440, height: 900 })
    await button(page, /^Insert (Ctrl|⌘)/).click()
    const reply = page.getByRole('textbox', { name: 'Reply', exact: true })
    assert.equal(await reply.inputValue(), 'Your mug is on its way.')
    await page.getByText('Proposed by Order helper').waitFor({ state: 'detached' })
    await reply.press('End')
    await reply.pressSequentially(' Sorry!')
    await reply.press('Enter')
    await page.getByText('Your mug is on its way. Sorry!').first().waitFor()
  })
  const sent = () =>
    db
      .selectFrom('messages')
      .select(['body', 'sender_id'])
      .where('workspace_id', '=', workspace.id)
      .where('sender_type', '=', 'agent')
      .execute()
  await until(async () => (await sent()).length > 0, 'the message')
  assert.deepEqual(await sent(), [{ body: 'Your mug is on its way. Sorry!', sender_id: robin.id }])
})
