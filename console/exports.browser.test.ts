// Exports in a real browser: an admin starts one, downloads its files and deletes it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, LOOKS } from '../test/console-visit.ts'

const testApp = await startApp({ worker: true })
const { db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin Hart', role: 'admin' })
const jane = await make.agent(workspace.id, { nickname: 'Jane Doe' })
const conversation = await make.conversation(workspace.id)
await make.message(workspace.id, conversation, { body: 'Where is my mug?' })
const { test, visit } = browseConsole(testApp, workspace.id, robin)

const LOOK = process.env.LOOK_AT
const picture = async (page: Page, name: string): Promise<void> => {
  if (LOOK) await page.screenshot({ path: `${LOOK}-${name}.png` })
}

test('an admin exports the workspace, downloads a file and deletes the export', async () => {
  await visit('/settings/export', async (page) => {
    await page.getByText('No exports yet').waitFor()
    await button(page, 'New export').click()
    await page.getByLabel('Include attachments').check()
    await assertAccessible(page, 'a new export')
    await picture(page, 'new')
    await button(page, 'Create export').click()
    await page.getByText('Ready', { exact: true }).waitFor()
    await page.getByText('Everything, with attachments').waitFor()
    await assertAccessible(page, 'exports')
    await picture(page, 'list')
    await button(page, /^Files of the export/).click()
    await page.getByText('messages.ndjson').waitFor()
    await picture(page, 'files')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download messages.ndjson').click(),
    ])
    const content = await readFile((await download.path())!, 'utf8')
    assert.equal(JSON.parse(content).body, 'Where is my mug?')
    await button(page, 'Close').click()
    await button(page, /^Delete the export/).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No exports yet').waitFor()
  })
  const actions = await db
    .selectFrom('audit_log')
    .select('action')
    .where('workspace_id', '=', workspace.id)
    .where('action', 'like', 'export.%')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['export.created', 'export.deleted'],
  )
})

test('the page is accessible in both themes, and closed to those who aren’t admins', async () => {
  await testApp.call(workspace.token, 'POST', '/exports', {})
  for (const { colorScheme, width } of LOOKS)
    await visit(
      '/settings/export',
      async (page) => {
        await page.getByText('Ready', { exact: true }).waitFor()
        await assertAccessible(page, `exports, ${colorScheme}, ${width} px`)
        await picture(page, `${colorScheme}-${width}`)
        await button(page, /^Files of the export/).click()
        await page.getByText('messages.ndjson').waitFor()
        await picture(page, `files-${colorScheme}-${width}`)
      },
      { colorScheme, viewport: { width, height: 900 } },
    )
  await visit('/settings/export', (page) => page.getByText('Only admins can change this').waitFor(), {
    person: jane,
  })
})
