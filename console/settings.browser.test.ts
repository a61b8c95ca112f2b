// The settings in a real browser against the real server: each change is checked through the API at once.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true })
const { call, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const jane = await make.agent(workspace.id, { nickname: 'Jane', role: 'agent' })
const { base, test, visit } = browseConsole(testApp, workspace.id, robin)

const dialog = (page: Page) => page.getByRole('dialog')
const item = (page: Page, text: string) => page.locator('.item', { hasText: text })
const choose = async (page: Page, menu: string, entry: string): Promise<void> => {
  await button(page, menu).click()
  await page.getByRole('menuitem', { name: entry }).click()
}
const isFocused = (page: Page, label: string) => () =>
  page.getByLabel(label, { exact: true }).evaluate((it) => it === document.activeElement)

test('a new token is shown once, works until it is revoked, and stays in the list', () =>
  visit(
    '/settings/tokens',
    async (page) => {
      await button(page, 'New token').click()
      await button(page, 'Create token').click()
      await until(isFocused(page, 'Name'), 'the focus on the name that is missing')
      await page.getByLabel('Name', { exact: true }).fill('CRM sync')
      await page.keyboard.press('Enter')
      await button(page, 'Copy: Token').click()
      const secret = await page.evaluate(() => navigator.clipboard.readText())
      await page.keyboard.press('Escape')
      await dialog(page)
        .getByText(`curl -s -H 'Authorization: Bearer ${secret}' ${base()}/api/v1/me`)
        .waitFor()
      assert.equal((await call(secret, 'GET', '/me')).status, 200)
      await button(page, 'I’ve copied it').click()
      await item(page, 'CRM sync').getByText('by Robin').waitFor()
      assert.ok(!(await page.content()).includes(secret))

      await button(page, 'Revoke CRM sync').click()
      await dialog(page).getByRole('button', { name: 'Revoke' }).click()
      await item(page, 'CRM sync').getByText('Revoked', { exact: true }).waitFor()
      await dialog(page).waitFor({ state: 'detached' })
      assert.equal((await call(secret, 'GET', '/me')).status, 401)
      await page.reload()
      await item(page, 'CRM sync').getByText('Revoked', { exact: true }).waitFor()
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ))

test('a token is created with limits, which the list shows, and rotated', () =>
  visit('/settings/tokens', async (page) => {
    await button(page, 'New token').click()
    await page.getByLabel('Name', { exact: true }).fill('Help center')
    await page.getByLabel('Access', { exact: true }).selectOption({ label: 'Custom' })
    for (const label of ['Edit knowledge', 'Send messages'])
      await page.getByRole('checkbox', { name: label, exact: true }).check()
    await page.getByText('Limits (optional)').click()
    await page.getByRole('checkbox', { name: 'Email', exact: true }).check()
    await page.getByLabel('Expires after', { exact: true }).fill('2099-05-31')
    const addresses = page.getByLabel('Allowed addresses', { exact: true })
    await addresses.fill('the office')
    await button(page, 'Create token').click()
    await dialog(page).getByText('neither an address nor a network').waitFor()
    await addresses.fill('10.0.0.0/8, 127.0.0.1')
    await button(page, 'Create token').click()
    await button(page, 'I’ve copied it').click()
    const shown = item(page, 'Help center')
    await shown
      .getByText(/Send messages, .*Edit knowledge.* · only Email · from 10\.0\.0\.0\/8, 127/)
      .waitFor()
    await shown.getByText(/expires .*2099/).waitFor()
    const prefix = await shown.getByText('foyer_').textContent()
    await button(page, 'Rotate Help center').click()
    await dialog(page).getByRole('button', { name: 'Rotate token' }).click()
    await button(page, 'I’ve copied it').click()
    await shown.getByText('old secret works until').waitFor()
    assert.notEqual(await shown.getByText('foyer_').textContent(), prefix)
  }))

test('the audit log shows who did what, by action and by person', () =>
  visit('/settings/audit-log', async (page) => {
    const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('row')
    await rows.filter({ hasText: 'Rotated an API token: Help center' }).getByText('Robin').waitFor()
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Revoked an API token' })
    await rows.filter({ hasText: 'Revoked an API token: CRM sync' }).waitFor()
    await rows.filter({ hasText: 'Rotated' }).waitFor({ state: 'detached' })
    await page.getByLabel('Who', { exact: true }).selectOption({ label: 'Operator' })
    await page.getByText('No matching entries').waitFor()
  }))

test('members are added with a custom role, edited and removed; the last admin and the AI agent cannot be removed', () =>
  visit('/settings/roles', async (page) => {
    await button(page, 'New role').click()
    await page.getByLabel('Name', { exact: true }).fill('Night shift')
    await page.getByRole('checkbox', { name: /^Assign conversations/ }).check()
    await button(page, 'Create role').click()
    await item(page, 'Night shift').getByText('See all conversations, Assign conversations').waitFor()
    await until(
      () => button(page, 'New role').evaluate((it) => it === document.activeElement),
      'the focus back where it was',
    )

    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await button(page, 'Add member').click()
    await page.getByLabel('Email', { exact: true }).fill(jane.email)
    await button(page, 'Add').click()
    await page.getByText('already belongs to a member').waitFor()
    await until(isFocused(page, 'Email'), 'the focus on the email that is taken')
    await page.getByLabel('Email', { exact: true }).fill('nils@example.com')
    await page.getByLabel('Display name (optional)').fill('Nils')
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Night shift' })
    await button(page, 'Add').click()
    await item(page, 'Nils').getByText('Night shift').waitFor()
    await item(page, 'Nils').getByText('hasn’t signed in yet').waitFor()

    await choose(page, 'Actions for Jane', 'Edit name or role')
    await page.getByLabel('Display name', { exact: true }).fill('Jane Doe')
    await page.getByLabel('Role', { exact: true }).selectOption('admin')
    await button(page, 'Save').click()
    await item(page, 'Jane Doe').getByText('Admin', { exact: true }).waitFor()
    await choose(page, 'Actions for Jane Doe', 'Edit name or role')
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Night shift' })
    await button(page, 'Save').click()
    await item(page, 'Jane Doe').getByText('Night shift').waitFor()
    const { body } = await call(workspace.token, 'GET', '/agents')
    assert.deepEqual(
      body.agents.map(({ nickname, role }: Record<string, string>) => [nickname, role]),
      [
        ['Robin', 'admin'],
        ['Jane Doe', 'agent'],
        ['Nils', 'agent'],
      ],
    )

    await choose(page, 'Actions for Robin', 'Edit name or role')
    await page.getByText('This is your own account.').waitFor()
    await page.getByLabel('Role', { exact: true }).selectOption({ label: 'Night shift' })
    await button(page, 'Save').click()
    await page.getByText('would leave the workspace without an admin').waitFor()
    await button(page, 'Cancel').click()
    await button(page, 'Actions for Robin').click()
    const stays = page.getByRole('menuitem', { name: 'You can’t remove the last admin' })
    assert.equal(await stays.getAttribute('aria-disabled'), 'true')
    const isInMenu = () => page.evaluate(() => document.activeElement?.closest('[role=menu]') !== null)
    await until(isInMenu, 'the focus in the menu')
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })

    await choose(page, 'Actions for Nils', 'Remove from workspace')
    await dialog(page).getByRole('button', { name: 'Remove' }).click()
    await item(page, 'Nils').waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'AI agent', exact: true }).click()
    await page.getByRole('switch', { name: /^AI agent/ }).check()
    await page.getByText('AI agent turned on').waitFor()
    await page.getByLabel('Name').fill('Juno')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('switch', { name: /^Reply to customers/ }).uncheck()
    await page.getByText('AI agent stopped').waitFor()
    await page.getByRole('switch', { name: /^Reply to customers/ }).check()
    await page.getByText('The AI agent replies again').waitFor()
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await item(page, 'Built in').waitFor()
    assert.equal(await item(page, 'Built in').getByRole('button').count(), 0)

    // Its members fall back to the default role; the dialog says so first.
    await page.getByRole('link', { name: 'Roles', exact: true }).click()
    await choose(page, 'Actions for Night shift', 'Delete')
    await dialog(page)
      .getByText(/1 member will get the role “.+” immediately/)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await item(page, 'Night shift').waitFor({ state: 'detached' })
  }))

test('each channel has its own form, which shows errors at their fields and never shows a stored secret', () =>
  visit(
    '/settings/channels',
    async (page) => {
      await page.getByText('No channels yet').waitFor()
      await page.getByRole('link', { name: 'Add channel' }).click()
      await page.getByRole('link', { name: /^Web chat/ }).click()
      const sites = page.getByLabel('Allowed sites (optional)')
      await sites.fill('https://shop.example/pots')
      await button(page, 'Add channel').click()
      await page.getByText('Must be an origin without a path').waitFor()
      await sites.fill('https://shop.example\nhttps://www.shop.example')
      await button(page, 'Add channel').click()
      await button(page, 'Copy: Script tag').click()
      const tag = await page.evaluate(() => navigator.clipboard.readText())
      const [, src, id] = /^<script async src="(.+)" data-channel="(.+)"><\/script>$/.exec(tag) ?? []
      assert.equal(src, 'http://foyer.test/widget.js')
      await page.getByRole('link', { name: 'Open channel' }).click()
      await page.waitForURL(`**/settings/channels/${id}`)
      assert.equal(await sites.inputValue(), 'https://shop.example\nhttps://www.shop.example')

      await page.goto(`${base()}/settings/channels/add/whatsapp`)
      const fill = async (values: Record<string, string>) => {
        for (const [label, value] of Object.entries(values))
          await page.getByLabel(label, { exact: true }).fill(value)
      }
      await fill({
        'Phone number': '0171 none',
        'Phone number ID': '106540352242922',
        'WhatsApp Business Account ID': '102290129340398',
        'Access token': 'token-of-the-number',
        'App secret': 'secret-of-the-app',
        'Messages per second (optional)': '5000',
      })
      await button(page, 'Generate: Verify token').click()
      const verifyToken = await page.getByLabel('Verify token', { exact: true }).inputValue()
      assert.match(verifyToken, /^[\w-]{32}$/)
      await button(page, 'Add channel').click()
      await page.getByText('Must be a phone number in E.164').waitFor()
      await page.getByText('Must be a whole number from 1 to 1000').waitFor()
      const number = page.getByLabel('Phone number', { exact: true })
      assert.match((await number.getAttribute('aria-describedby')) ?? '', /problem/)
      await until(isFocused(page, 'Phone number'), 'the focus on the first field that is wrong')
      // Nothing at that address answers, which is said before the number is added.
      await page.getByText('Custom API address').click()
      await page.getByLabel('API address', { exact: true }).fill('http://127.0.0.1:9')
      await fill({ 'Phone number': '+1 555 078 3881', 'Messages per second (optional)': '' })
      await button(page, 'Add channel').click()
      await page.getByText('The channel wasn’t added because the test failed.').waitFor()
      await button(page, 'Try again').waitFor()
      await button(page, 'Add anyway').click()
      await page.locator('code', { hasText: '/webhooks/whatsapp/' }).waitFor()
      await page.locator('code', { hasText: verifyToken }).waitFor()

      // When editing, values are shown, secrets are not, and a secret that isn't replaced stays.
      await page.getByRole('link', { name: 'Open channel' }).click()
      await button(page, 'Replace: Access token').click()
      await until(isFocused(page, 'Access token'), 'the focus where the new token goes')
      await fill({
        'Access token': 'another-token',
        'Messages per second (optional)': '20',
        'Name (optional)': 'Shop',
      })
      await button(page, 'Save').click()
      await button(page, 'Replace: Access token').waitFor()
      await page.getByRole('heading', { name: 'Shop' }).waitFor()
      assert.equal(await page.getByLabel('Messages per second (optional)').inputValue(), '20')
      assert.doesNotMatch(await page.content(), /another-token|secret-of-the-app/)

      // A duplicate number is refused with a message that names it; a mailbox without a password has its own section.
      await page.goto(`${base()}/settings/channels/add/email`)
      await fill({ 'Email address': 'help@kiln.example', 'Outgoing mail (SMTP)': 'smtp://127.0.0.1:9' })
      await page.getByText('Sign in with OAuth').click()
      await fill({ 'Token URL': 'https://sign-in.example/token', 'Client ID': 'foyer' })
      await button(page, 'Add channel').click()
      await until(isFocused(page, 'Refresh token'), 'the focus on the token that is missing')
      await fill({ 'Refresh token': 'refresh' })
      await button(page, 'Add channel').click()
      await button(page, 'Add anyway').click()
      await page.getByText('Mailbox added.').waitFor()
      await button(page, 'Check').click()
      await page.locator('.checks__line', { hasText: 'Outgoing mail' }).waitFor()
      await page.getByRole('link', { name: 'Open channel' }).click()
      await button(page, 'Remove: Client ID').click()
      await button(page, 'Save').click()
      await page.getByText('Is required.').waitFor()
      await page.getByRole('link', { name: 'Channels', exact: true }).first().click()
      await until(async () => (await page.locator('.item').count()) === 3, 'the three channels')

      // What failed its test is shown as failing, also in the inbox, until it is removed.
      await item(page, 'Shop').getByText('Failing').waitFor()
      await page.goto(`${base()}/inbox/open`)
      await page.getByText('2 channels aren’t working').click()
      await item(page, 'Shop').getByRole('link').click()
      await page.getByText(/^Failing since/).waitFor()
      await button(page, 'Remove…').click()
      await dialog(page).getByText('It has no conversations.').waitFor()
      await assertAccessible(page, 'the dialog that removes a channel')
      await dialog(page).getByRole('button', { name: 'Remove channel' }).click()
      await page.waitForURL('**/settings/channels')
      await until(async () => (await page.locator('.item').count()) === 2, 'the number to be gone')
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  ))

test('agents who may manage tags see the tags page, their saved replies and no other settings', async () => {
  const mira = await make.agent(workspace.id, { nickname: 'Mira', role: 'agent' })
  await visit('/settings/tags', async (page) => {
    await button(page, 'New tag').click()
    await page.getByLabel('Name', { exact: true }).fill('VIP')
    await page.getByRole('radio', { name: 'Teal' }).check()
    await button(page, 'Create tag').click()
    await item(page, 'VIP').getByText('#14857f').waitFor()
    await button(page, 'New tag').click()
    await page.getByLabel('Name', { exact: true }).fill('vip')
    await page.getByLabel('Custom color, e.g. #2f80ed').fill('red')
    await button(page, 'Create tag').click()
    await page.getByText('Must be a color such as #2f80ed.').waitFor()
    await page.getByLabel('Custom color, e.g. #2f80ed').fill('#AA3366')
    await button(page, 'Create tag').click()
    await page.getByText('Is the name of another tag.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Wholesale')
    await button(page, 'Create tag').click()
    await item(page, 'Wholesale').getByText('#aa3366').waitFor()
    await button(page, 'Delete VIP').click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await item(page, 'VIP').waitFor({ state: 'detached' })
    await page.goto(`${base()}/settings/roles`)
    await choose(page, 'Actions for Agent', 'Edit')
    await page.getByRole('checkbox', { name: /^Manage tags/ }).check()
    await button(page, 'Save').click()
    await item(page, 'Agent')
      .getByText(/Manage tags/)
      .waitFor()
  })
  const work = async (page: Page) => {
    await page.waitForURL('**/settings/tags')
    await item(page, 'Wholesale').waitFor()
    assert.deepEqual(await page.locator('.side-pages__link').allInnerTexts(), ['Tags', 'Saved replies'])
    await page.goto(`${base()}/settings/tokens`)
    await page.getByText('Only admins can change this').waitFor()
  }
  await visit('/settings', work, { person: mira })
})

test('the settings have no serious accessibility violation, in light and dark, wide and narrow', async () => {
  const pages = [
    'workspace',
    'members',
    'roles',
    'channels',
    'channels/add',
    'channels/add/email',
    'tags',
    'tokens',
  ]
  for (const [colorScheme, width] of [
    ['light', 390],
    ['dark', 1280],
  ] as const)
    await visit(
      '/settings/ai-agent',
      async (page) => {
        const { channels } = (await page.evaluate(
          (w) => fetch(`/console/api/workspaces/${w}/channels`).then((answer) => answer.json()),
          workspace.id,
        )) as { channels: { id: string }[] }
        for (const path of [...pages, `channels/${channels[1]?.id}`, 'ai-agent']) {
          await page.goto(`${base()}/settings/${path}`)
          await page.getByRole('heading', { level: 2 }).first().waitFor()
          await page.locator('.skeleton').first().waitFor({ state: 'detached' })
          await assertAccessible(page, `${path} at ${width} px`)
        }
      },
      { colorScheme, viewport: { width, height: 844 } },
    )
})

test('how long a channel keeps conversations is saved after its effect was shown', () => {
  const old = new Date(Date.now() - 100 * 24 * 3_600_000)
  return visit('/settings/channels', async (page) => {
    const channelAccountId = await make.channelAccount(workspace.id, 'web')
    const conversation = await make.conversation(workspace.id, {
      channelAccountId,
      status: 'closed',
      at: old,
    })
    await make.message(workspace.id, conversation, { at: old })
    await page.goto(`${base()}/settings/channels/${channelAccountId}`)
    await page.getByLabel('Delete closed ones after (days)', { exact: true }).fill('90')
    await button(page, 'Review').click()
    await dialog(page).getByText('Nothing is closed.').waitFor()
    await dialog(page).getByText('To delete today: 1 conversation with 1 message').waitFor()
    await assertAccessible(page, 'the review of what is deleted')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await page.reload()
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[name=deleteAfterDays]')?.value === '90',
    )
    assert.equal(await page.getByLabel('Close open ones after (days)', { exact: true }).inputValue(), '')
  })
})
