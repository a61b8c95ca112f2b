// Webhooks in the settings: created, tested, stopped and started, and what was sent.
import assert from 'node:assert/strict'
import { allowOutbound } from '../channels/protocol/outbound.ts'
import { makeEvents } from '../server/domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../server/domain/webhooks/testing/receiver.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'

const app = await startApp()
const { db, make } = app
const shop = await make.workspace({ name: 'Acme Shop' })
const ada = await make.agent(shop.id, { nickname: 'Ada', role: 'admin' })
const { visit, test } = browseConsole(app, shop.id, ada)

const endpoints = () =>
  db.selectFrom('webhook_endpoints').selectAll().where('workspace_id', '=', shop.id).execute()

test('an admin creates a webhook, tests it, and looks at what was sent', async () => {
  const receiver = await startReceiver()
  allowOutbound(receiver.url)
  await visit('/settings/webhooks', async (page) => {
    const dialog = page.getByRole('dialog')
    await page.getByText('No webhooks yet').waitFor()
    await assertAccessible(page, 'no webhooks')
    await page.getByRole('link', { name: 'New webhook' }).click()
    await field(page, 'Address').fill('crm.example.com')
    await button(page, 'Create webhook').click()
    await page.getByText('Is not a valid URL.').waitFor()
    await field(page, 'Address').fill(receiver.url)
    await field(page, 'Name').fill('CRM')
    await field(page, 'Send').selectOption('some')
    await page.getByText('Conversations', { exact: true }).click()
    await page.getByRole('checkbox', { name: /^Closed/ }).check()
    await page.getByText('Filters', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Web', exact: false }).first().check()
    await page.getByText('Order and headers', { exact: true }).click()
    await button(page, 'Add header').click()
    await field(page, 'Name').last().fill('Authorization')
    await field(page, 'Value').fill('Bearer top-secret')
    await assertAccessible(page, 'a new webhook')
    await button(page, 'Create webhook').click()
    await dialog.getByText(/^whsec_/).waitFor()
    await button(page, 'I’ve copied it').click()
    const [endpoint] = await endpoints()
    assert.deepEqual(
      [endpoint!.name, endpoint!.event_types, endpoint!.filter, endpoint!.header_names],
      ['CRM', ['message.*', 'conversation.closed'], { channels: ['web'] }, ['authorization']],
    )

    await button(page, 'Send test event').click()
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.getByText('Status 200', { exact: false }).waitFor()
    const { headers, body } = receiver.received[0]!
    assert.equal(headers.authorization, 'Bearer top-secret')
    const signed = await dialog.getByRole('region', { name: 'What was signed' }).textContent()
    assert.equal(signed, `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    await assertAccessible(page, 'a test')
    await button(page, 'Close').last().click()

    await button(page, 'ping').click()
    await dialog.getByText('Attempt 1', { exact: false }).waitFor()
    assert.equal(await dialog.getByRole('region', { name: 'What was sent' }).textContent(), body)
    await assertAccessible(page, 'a delivery')
    await button(page, 'Close').last().click()

    // The test says nothing about its health.
    await page.getByText('Nothing sent', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await field(page, 'Name').first().fill('CRM sync')
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'CRM sync' }).waitFor()
    // The header's value wasn't entered again, and stays.
    assert.deepEqual((await endpoints())[0]!.header_names, ['authorization'])
    await assertAccessible(page, 'the settings of a webhook')
  })
})

test('a webhook is paused, enabled without its backlog, rotated, replayed to, and deleted', async () => {
  const [endpoint] = await endpoints()
  await visit(`/settings/webhooks/${endpoint!.id}`, async (page) => {
    const dialog = page.getByRole('dialog')
    const choose = async (name: string) => {
      await button(page, 'More actions').click()
      await page.getByRole('menuitem', { name }).click()
    }
    await button(page, 'Pause').click()
    await page.getByText('Events are kept', { exact: false }).waitFor()
    await makeEvents(app, shop.id, [{}, {}])
    await button(page, 'Refresh').click()
    await button(page, 'message.created').first().waitFor()
    await field(page, 'State').selectOption('failed')
    await page.getByText('No matching deliveries').waitFor()
    await button(page, 'Enable').click()
    await dialog.getByLabel('Events since it stopped').selectOption('skip')
    await dialog.getByRole('button', { name: 'Enable webhook' }).click()
    await button(page, 'Pause').waitFor()

    await choose('Rotate secret')
    await dialog.getByLabel('Keep the old secret working').selectOption('72')
    await dialog.getByRole('button', { name: 'Rotate secret' }).click()
    await dialog.getByText(/^whsec_/).waitFor()
    await button(page, 'I’ve copied it').click()
    await page.getByText('the old secret works until', { exact: false }).waitFor()

    await choose('Replay events')
    await dialog.getByLabel('Events', { exact: true }).selectOption('all')
    await dialog.getByRole('button', { name: 'Replay events' }).click()
    await page.getByText('Replaying 2 events').waitFor()
    await field(page, 'State').selectOption('pending')
    await page.getByText('Replay', { exact: true }).first().waitFor()
    await button(page, 'message.created').first().click()
    await dialog.getByText('No attempts yet.').waitFor()
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Sending again').waitFor()
    await button(page, 'Close').last().click()

    await choose('Delete')
    await dialog.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
  })
})
