// Business hours and actions in a real browser against the real server; a server on this machine stands for a shop.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { startApp } from '../test/app.ts'
import { makeMember } from '../test/console.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'

const testApp = await startApp({ stream: true })
const { db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const jane = await makeMember(testApp, workspace.id, ['manage_automation'])
const { test, visit } = browseConsole(testApp, workspace.id, robin)

const shop = createServer((request, response) => {
  const isKnown = request.url === '/orders/1215' && request.headers['x-api-key'] === 'secret'
  response
    .writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    .end('{"order":{"status":"on its way"}}')
})
shop.listen(0, '127.0.0.1')
await once(shop, 'listening')
after(() => shop.close())
const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`

test('business hours are set with a holiday, and times that overlap are told at their day', () =>
  visit(
    '/settings/business-hours',
    async (page) => {
      await page.getByRole('link', { name: 'New hours' }).click()
      await field(page, 'Name').fill('Support')
      await field(page, 'Time zone').selectOption('Europe/Berlin')
      await button(page, 'Monday: add times').click()
      await field(page, 'Monday: opens').nth(1).fill('16:00')
      await button(page, 'Add date').click()
      await field(page, 'Date').fill('2026-12-25')
      await page.getByLabel('Name', { exact: true }).nth(1).fill('Christmas')
      await page.getByRole('checkbox', { name: 'Every year' }).check()
      await button(page, 'Create').click()
      await page.getByText('09:00–17:00 and 16:00–24:00 overlap.').waitFor()
      await button(page, 'Monday: remove 16:00–24:00').click()
      await button(page, 'Create').click()
      await page.getByText('Mon–Fri 09:00–17:00 · 1 other date').waitFor()
      const [row] = await db.selectFrom('business_hours').selectAll().execute()
      assert.deepEqual(
        [row!.is_default, row!.exceptions],
        [true, [{ date: '12-25', name: 'Christmas', periods: [] }]],
      )
      await page.getByRole('link', { name: 'Support' }).click()
      assert.equal(await page.getByRole('checkbox', { name: 'Every year' }).isChecked(), true)
      assert.equal(await page.getByRole('link', { name: 'Actions', exact: true }).count(), 0)
    },
    { person: jane },
  ))

test('an action is created, tried and changed without its secret ever coming back', () =>
  visit('/settings/actions', async (page) => {
    await page.getByRole('link', { name: 'New action' }).click()
    await field(page, 'Name').fill('Look up an order')
    await field(page, 'Address').fill(`${shopUrl}/orders/{{number}}`)
    await button(page, 'Create action').click()
    await page.getByText('Has {{number}}, which is not one of the parameters.').waitFor()
    await button(page, 'Add parameter').click()
    await field(page, 'Name').nth(1).fill('number')
    await button(page, 'Add header').click()
    await field(page, 'Name').nth(2).fill('X-Api-Key')
    await field(page, 'Value').fill('secret')
    await button(page, 'Add field').click()
    await field(page, 'Name').nth(3).fill('status')
    await field(page, 'Path in the response').fill('order.status')
    await button(page, 'Create action').click()
    await page.getByRole('heading', { name: 'Try it' }).waitFor()

    const attempt = page.locator('section', { hasText: 'Makes the request for real' })
    await attempt.getByLabel('number').fill('1215')
    await button(page, 'Try it').click()
    await attempt.getByText('Done', { exact: true }).waitFor()
    await attempt.getByText('on its way', { exact: true }).waitFor()
    await attempt.getByLabel('number').fill('9')
    await button(page, 'Try it').click()
    await attempt.getByText('Not found', { exact: true }).waitFor()
    await attempt.getByLabel('number').fill('../admin')
    await button(page, 'Try it').click()
    await attempt.getByText('it is empty or contains a slash').waitFor()

    await page.reload()
    await page.getByPlaceholder('Set. Type to replace').waitFor()
    assert.ok(!(await page.content()).includes('"secret"'))
    await field(page, 'Address').fill('https://10.0.0.1/orders/{{number}}')
    await page.getByText('Save your changes first.').waitFor()
    await button(page, 'Save').click()
    await page.getByText('The value of x-api-key must be entered.').waitFor()
    await field(page, 'Value').fill('another')
    await button(page, 'Save').click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await attempt.getByLabel('number').fill('1')
    await button(page, 'Try it').click()
    await attempt.getByText('Connections to this address aren’t allowed.').waitFor()
  }))

test('a parameter comes from the contact, for customers who are at least known', () =>
  visit('/settings/actions', async (page) => {
    await page.getByRole('link', { name: 'Look up an order' }).click()
    await page.getByRole('heading', { name: 'Try it' }).waitFor()
    await page.getByText('For the AI agent', { exact: true }).click()
    assert.equal(await field(page, 'For').inputValue(), 'known')
    await field(page, 'For').selectOption('none')
    await field(page, 'AI agent takes it from').selectOption('field')
    assert.equal(await field(page, 'For').inputValue(), 'known')
    await field(page, 'Address').fill(`${shopUrl}/orders/{{number}}`)
    await field(page, 'Value').fill('secret')
    await field(page, 'Field').fill('order_number')
    await button(page, 'Save').click()
    await page.getByText('Save your changes first.').waitFor({ state: 'detached' })
    const { parameters, needs } = await db
      .selectFrom('actions')
      .select(['parameters', 'needs'])
      .executeTakeFirstOrThrow()
    assert.deepEqual(parameters[0]?.fromContact, { is: 'field', field: 'order_number' })
    assert.equal(needs, 'known')
  }))

for (const [width, colorScheme] of [
  [1440, 'light'],
  [1440, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)
  test(`both settings are accessible at ${width} pixels, ${colorScheme}`, () =>
    visit(
      '/settings/business-hours',
      async (page) => {
        await page.getByRole('link', { name: 'Support' }).waitFor()
        await assertAccessible(page, 'hours-list')
        await page.getByRole('link', { name: 'Support' }).click()
        await field(page, 'Time zone').waitFor()
        await assertAccessible(page, 'hours')
        await page.getByRole('link', { name: 'Actions', exact: true }).click()
        await page.getByRole('link', { name: 'Look up an order' }).waitFor()
        await assertAccessible(page, 'actions-list')
        await page.getByRole('link', { name: 'Look up an order' }).click()
        await page.getByRole('heading', { name: 'Try it' }).waitFor()
        await field(page, 'Address').fill(`${shopUrl}/orders/{{number}}`)
        await field(page, 'Value').fill('secret')
        await button(page, 'Save').click()
        await page.getByText('Save your changes first.').waitFor({ state: 'detached' })
        const attempt = page.locator('section', { hasText: 'Makes the request for real' })
        await attempt.getByLabel('number').fill('1215')
        await button(page, 'Try it').click()
        await attempt.getByText('Done', { exact: true }).waitFor()
        await assertAccessible(page, 'action')
      },
      { viewport: { width, height: 900 }, colorScheme },
    ))
