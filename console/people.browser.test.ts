// Contacts, groups, templates and broadcasts in a real browser against the real server and a fake WhatsApp.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'playwright-core'
import {
  accept,
  connect,
  deliver,
  messageOf,
  startGraph,
  webhook,
} from '../server/inbound/whatsapp/testing/provider.ts'
import { startApp } from '../test/app.ts'
import { makeMember } from '../test/console.ts'
import { assertAccessible, browseConsole, button, LOOKS } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const CUSTOMERS = [
  { waId: '4915112340001', name: 'ليلى حداد' },
  { waId: '4915112340002', name: 'Nguyễn Thị Minh Khai' },
  { waId: '4915112340003', name: 'Sofia Marchetti' },
  { waId: '4915112340004', name: '<img src=x onerror=alert(1)>' },
]
const UNDELIVERABLE = '4915112340003'

const app = await startApp({ worker: true, deps: { settleMs: 300 } })
const { call, make } = app
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const graph = await startGraph()
graph.templates = [
  {
    id: '1',
    name: 'order_ready',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['1182'] } },
      {
        type: 'BODY',
        text: 'Hello {{1}}, your *{{2}}* is ready.',
        example: { body_text: [['Maria', 'teapot']] },
      },
      { type: 'FOOTER', text: 'Hollow & Kiln' },
    ],
  },
  {
    id: '2',
    name: 'old_news',
    language: 'en_US',
    status: 'ARCHIVED_BY_MOON',
    category: 'MARKETING',
    components: [{ type: 'BODY', text: 'News' }],
  },
]
/** Holds one response back, so that the broadcast can be seen while it is being sent. */
const held = Promise.withResolvers<void>()
graph.answer = async (asked, response) => {
  if (asked.method !== 'POST' || !String(asked.body.to).includes(UNDELIVERABLE))
    return accept(graph, asked, response)
  await held.promise
  response.writeHead(400, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      error: { code: 131026, message: 'Message undeliverable', error_data: { details: 'Undeliverable' } },
    }),
  )
}
const { base, test, visit } = browseConsole(app, workspace.id, robin)

before(async () => {
  const channelId = await connect(app, workspace.id, { apiUrl: graph.url })
  for (const customer of CUSTOMERS) await deliver(app, channelId, webhook(messageOf(customer, 'Hello')))
  await make.contact(workspace.id, { name: 'Aoife Byrne', email: 'aoife@example.org' })
  await make.tag(workspace.id, { name: 'Wholesale', color: '#0f766e' })
  await until(async () => (await contacts()).length === CUSTOMERS.length + 1, 'all contacts')
})
after(() => graph.stop())

const contacts = async () => (await call(workspace.token, 'GET', '/contacts')).body.contacts
const tableRow = (page: Page, text: string) => page.locator('tbody tr', { hasText: text })
const step = (page: Page, title: string) => page.getByRole('heading', { name: title }).waitFor()
/** Template sends only; requests made when a thread is opened don't count. */
const sends = () => graph.sent().filter(({ type }) => type === 'template')

test('a group is created, filled from a pasted list, and sent a broadcast once, with an outcome for each recipient', () =>
  visit('/groups', async (page) => {
    await button(page, 'New group').click()
    await button(page, 'Create group').click()
    await page.getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid]')).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Workshop')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/groups/c*')
    await button(page, 'Add people').first().click()
    await page.getByRole('tab', { name: 'Paste a list' }).click()
    await page
      .getByLabel('Phone numbers and emails')
      .fill('+49 151 12340001\n+4915112340002, +4915112340003\nAoife <aoife@example.org>\nnobody@example.org')
    await button(page, 'Add from 5 lines').click()
    await page.getByText('4 people added').waitFor()
    assert.equal(await page.getByLabel('Not found').inputValue(), 'nobody@example.org')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('4 people, 3 on WhatsApp').waitFor()
    await tableRow(page, 'Aoife Byrne').getByText('No WhatsApp').waitFor()
    await tableRow(page, 'Minh Khai').getByRole('checkbox').check()
    await button(page, 'Remove from group').click()
    await page.getByText('3 people, 2 on WhatsApp').waitFor()
    await button(page, 'Undo').click()
    await page.getByText('4 people, 3 on WhatsApp').waitFor()

    await page.getByRole('link', { name: 'Send broadcast' }).click()
    await page.getByRole('option', { name: /Workshop/, selected: true }).waitFor()
    await button(page, 'Choose a template').click()
    await page.getByRole('combobox', { name: 'Templates' }).fill('ready')
    await page.keyboard.press('Enter')
    await button(page, 'Review recipients').click()
    await until(
      () => page.getByLabel('Value 1').evaluate((it) => it === document.activeElement),
      'the focus on the value that is missing',
    )
    await page.getByLabel('Value 1').fill('friend')
    await page.getByLabel('Value 2').fill('teapot')
    await page.getByLabel('Header 1').fill('1182')
    assert.equal(
      await page.locator('.preview__bubble').textContent(),
      'Order 1182Hello friend, your teapot is ready.Hollow & Kiln',
    )
    await page.keyboard.press('Enter')
    await step(page, 'Review recipients')
    await tableRow(page, 'Aoife Byrne').getByText('No WhatsApp conversation yet').waitFor()
    await tableRow(page, 'ليلى حداد').getByText('Will receive').waitFor()
    await page.goBack()
    await step(page, 'Choose a message')
    assert.equal(await page.getByLabel('Value 2').inputValue(), 'teapot')
    await page.reload()
    await step(page, 'Choose a message')
    assert.equal(await page.getByLabel('Value 2').inputValue(), 'teapot')
    await button(page, 'Review recipients').click()
    await step(page, 'Review recipients')
    await button(page, 'Continue').click()
    assert.equal(sends().length, 0)
    await page.getByLabel('Name (optional)').fill('Teapots are ready')
    await button(page, 'Send to 3 people').dblclick()

    await page.waitForURL(/\/broadcasts\/c/)
    await page.getByRole('heading', { name: 'Teapots are ready' }).waitFor()
    await page.getByText('Sending', { exact: true }).waitFor()
    await page
      .getByRole('progressbar', { name: 'Progress' })
      .and(page.locator('[aria-valuetext="2 of 3 sent, 1 remaining"]'))
      .waitFor()
    held.resolve()
    await page.getByText('Completed', { exact: true }).waitFor()
    await tableRow(page, 'ليلى حداد').getByText('Sent').waitFor()
    await tableRow(page, 'Sofia Marchetti').getByText('Failed').waitFor()
    await page.getByLabel('Outcome').selectOption('failed')
    await tableRow(page, 'ليلى حداد').waitFor({ state: 'detached' })
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    assert.match((await download).suggestedFilename(), /\.csv$/)
    await page.getByLabel('Outcome').selectOption('')
    await page.getByRole('link', { name: 'Open the conversation with ليلى حداد' }).click()
    await page.locator('.thread .bubble', { hasText: 'teapot' }).waitFor()
    assert.deepEqual(
      sends()
        .map(({ to }) => String(to).replace('+', ''))
        .sort(),
      CUSTOMERS.slice(0, 3).map(({ waId }) => waId),
    )
    assert.equal((await call(workspace.token, 'GET', '/broadcasts')).body.broadcasts.length, 1)
  }))

test('a pasted list has values per row and names its invalid lines; a lost response sends nothing twice', () =>
  visit('/broadcasts', async (page) => {
    const before = sends().length
    await page.getByRole('link', { name: 'New broadcast' }).click()
    await page.getByRole('radio', { name: /^A list/ }).check()
    await page
      .getByLabel('Recipients')
      .fill(
        'phone;first;what;order\n+49 151 12340001;Leila;"plate; blue";7\n12;x;y;z\n+4915112340002;Minh;bowl',
      )
    await page.getByText('Line 3: 12 isn’t a phone number with a country code.').waitFor()
    await button(page, 'Remove it').click()
    await button(page, 'Choose a template').click()
    await page.getByRole('option', { name: /order_ready/ }).click()
    await page.getByText('Line 3: 2 values, but the template needs 3.').waitFor()
    await button(page, 'Back').click()
    const list = page.getByLabel('Recipients')
    await list.fill(`${await list.inputValue()};8`)
    await button(page, 'Choose a template').click()
    await page.getByText('Hello Leila, your plate; blue is ready.').waitFor()
    await button(page, 'Next row').click()
    await page.getByText('Hello Minh, your bowl is ready.').waitFor()
    await button(page, 'Review recipients').click()
    await button(page, 'Continue').click()
    const keys = new Set<string | undefined>()
    let isFirst = true
    await page.route('**/broadcasts', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      keys.add(route.request().headers()['idempotency-key'])
      if (!isFirst) return route.continue()
      isFirst = false
      await route.fetch()
      await route.abort('connectionreset')
    })
    await button(page, 'Send to 2 people').click()
    await page.getByText('Trying again won’t send anything twice.').waitFor()
    await button(page, 'Back').click()
    await button(page, 'Continue').click()
    await button(page, 'Send to 2 people').click()
    await page.getByText('Completed', { exact: true }).waitFor()
    assert.equal(keys.size, 1)
    assert.equal(sends().length - before, 2)
  }))

test('a contact is found and given fields, tags, a note and a new name; hostile names are shown as text', () =>
  visit('/contacts', async (page) => {
    await page.getByRole('link', { name: /onerror/ }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('onerror')
    await page.getByText('1 contact found').waitFor()
    await page.getByRole('link', { name: /onerror/ }).click()
    await button(page, 'Add field').click()
    await page.getByLabel('Field', { exact: true }).fill('plan')
    await page.getByLabel('Value', { exact: true }).fill('pro')
    await page.keyboard.press('Enter')
    await button(page, 'Edit plan: pro').click()
    await page.getByLabel('plan', { exact: true }).fill('premium')
    await page.keyboard.press('Enter')
    await button(page, 'Edit plan: premium').waitFor()
    await button(page, 'Edit tags').click()
    await page.getByRole('option', { name: 'Wholesale' }).click()
    await page.getByRole('option', { name: 'Wholesale', selected: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('New note').fill('Prefers mornings')
    await button(page, 'Add note').click()
    await page.getByRole('list', { name: 'Notes' }).getByText('Prefers mornings').waitFor()
    await button(page, 'Rename').click()
    await page.getByLabel('Name', { exact: true }).fill('Omar')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Omar' }).waitFor()
    const [omar] = (await call(workspace.token, 'GET', '/contacts?search=Omar')).body.contacts
    const { body } = await call(workspace.token, 'GET', `/contacts/${omar.id}`)
    assert.deepEqual(body.contact.customFields, { plan: 'premium' })
    assert.equal(body.notes[0].body, 'Prefers mornings')
    await button(page, 'Edit plan: premium').click()
    await button(page, 'Remove plan').click()
    await page.getByText('No fields').waitFor()

    // From the contacts page into a group, then by keyboard to the group's page.
    await page.goto(`${base()}/contacts?q=Omar`)
    await page.getByRole('checkbox', { name: 'Select Omar' }).check()
    await button(page, 'Add to group').click()
    await page.getByRole('option', { name: /Workshop/ }).click()
    await page.getByText('Workshop: 1 person added').waitFor()
    await page.getByRole('heading', { name: 'Contacts' }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('g')
    await page.getByRole('link', { name: 'Workshop' }).click()
    await page.getByText('5 people, 4 on WhatsApp').waitFor()
  }))

test('agents who may not manage groups or send broadcasts are not offered either', async () => {
  const reader = await makeMember(app, workspace.id, ['see_all_conversations'])
  await visit(
    '/contacts',
    async (page) => {
      await page.getByRole('link', { name: 'Sofia Marchetti' }).waitFor()
      assert.equal(await page.getByRole('checkbox', { name: /^Select/ }).count(), 0)
      assert.equal(await page.getByRole('link', { name: /^(Groups|Broadcasts)$/ }).count(), 0)
      await page.getByRole('link', { name: 'Sofia Marchetti' }).click()
      await page.getByRole('heading', { name: 'Notes' }).waitFor()
      for (const name of ['Rename', 'Add field', 'Edit tags', 'Add to group'])
        assert.equal(await button(page, name).count(), 0, name)
      await page.getByRole('link', { name: 'Templates' }).click()
      await page.locator('.gallery__card', { hasText: 'old_news' }).getByText('Archived by moon').waitFor()
      assert.equal(await page.getByRole('link', { name: 'Use in a broadcast' }).count(), 0)
      await page.goto(`${base()}/broadcasts`)
      await page.getByText('You don’t have access to this').waitFor()
    },
    { person: reader },
  )
  await visit(
    '/inbox/unassigned',
    (page) => page.getByText('You only see conversations assigned to you').waitFor(),
    { person: await makeMember(app, workspace.id, []) },
  )
})

test('contacts, groups and broadcasts have no serious accessibility violation, in any theme, width or zoom', async () => {
  const [{ id: contactId }] = await contacts()
  const { groups } = (await call(workspace.token, 'GET', '/contact-groups')).body
  const { broadcasts } = (await call(workspace.token, 'GET', '/broadcasts')).body
  const screens: [string, (page: Page) => Promise<unknown>][] = [
    [
      '/contacts',
      (page) =>
        page
          .getByRole('checkbox', { name: /^Select/ })
          .first()
          .waitFor(),
    ],
    [`/contacts/${contactId}`, (page) => page.getByRole('heading', { name: 'Fields' }).waitFor()],
    ['/groups', (page) => page.getByRole('link', { name: 'Workshop' }).waitFor()],
    [`/groups/${groups[0].id}`, (page) => tableRow(page, 'Aoife').waitFor()],
    ['/templates', (page) => page.locator('.gallery__card').first().waitFor()],
    ['/broadcasts', (page) => page.locator('tbody tr').first().waitFor()],
    [`/broadcasts/${broadcasts[0].id}`, (page) => page.locator('tbody tr').first().waitFor()],
    [
      '/broadcasts/new',
      async (page) => {
        for (const way of [/^A list/, /^Selected/, /^A filter/])
          await page.getByRole('radio', { name: way }).check()
        await page.getByText('Add at least one condition.').first().waitFor()
      },
    ],
  ]
  for (const { colorScheme, width } of LOOKS)
    await visit(
      '/contacts',
      async (page) => {
        for (const [path, isThere] of screens) {
          await page.goto(base() + path)
          await isThere(page)
          await assertAccessible(page, `${colorScheme} ${width} ${path}`)
        }
        // As at 200 % zoom in a narrow window.
        await page.setViewportSize({ width: width / 2, height: 450 })
        for (const [path, isThere] of width === 1440 ? screens : []) {
          await page.goto(base() + path)
          await isThere(page)
          await assertAccessible(page, `${colorScheme} enlarged ${path}`)
        }
      },
      { colorScheme, viewport: { width, height: 844 } },
    )
})

test('an admin deletes a contact in two steps that say what is lost', async () => {
  const { id } = await make.contact(workspace.id, { name: 'Leaving Customer', email: 'leaving@example.org' })
  await visit(`/contacts/${id}`, async (page) => {
    await button(page, 'Download data').waitFor()
    await button(page, 'Delete contact').click()
    await page.getByRole('dialog', { name: 'Delete contact' }).waitFor()
    await assertAccessible(page, 'deleting a contact')
    await button(page, 'Continue').click()
    await page.getByRole('dialog', { name: 'Erase Leaving Customer?' }).waitFor()
    await page.getByText('Its files and notes').waitFor()
    await button(page, 'Erase contact').click()
    await page.getByText('Deleting the contact').waitFor()
  })
  await until(
    async () => (await call(workspace.token, 'GET', `/contacts/${id}`)).status === 404,
    'the contact is gone',
  )
})
