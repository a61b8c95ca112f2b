// What is known of a customer, in a real browser: what nobody verified, two contacts that are one, and a list from a file.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, field, LOOKS } from '../test/console-visit.ts'

const app = await startApp()
const { call, ctxOf, make, clock } = app
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const { test, visit } = browseConsole(app, workspace.id, robin)

const EMAIL = 'layla.haddad@example.org'
let visitorId = ''
let conversationId = ''

before(async () => {
  const site = await make.channelAccount(workspace.id, 'web')
  await call(workspace.token, 'POST', '/contacts/upsert', {
    match: { email: EMAIL, phone: '+4915112340001' },
    set: { name: 'ليلى حداد', customFields: { plan: 'pro', city: 'بيروت' } },
  })
  const received = await receiveMessage(ctxOf(workspace.id), {
    channel: 'web',
    channelAccountId: site,
    from: { identity: { kind: 'visitor', value: 'v1', verified: true }, name: 'Layla', email: EMAIL },
    body: 'Where is my order?',
    externalId: null,
    sentAt: clock.now(),
  })
  visitorId = received.contactId
  conversationId = received.conversationId
  await call(workspace.token, 'PATCH', `/contacts/${visitorId}`, { customFields: { plan: 'trial' } })
})

const panel = (page: Page) => page.locator('.customer__inside')
const profile = async (id: string) => (await call(workspace.token, 'GET', `/contacts/${id}`)).body.contact

test('an address that a visitor typed is marked, says why to the pointer, the keyboard and a finger, and offers a merge that can be undone', () =>
  visit(`/inbox/all/${conversationId}`, async (page) => {
    const mark = panel(page).getByRole('button', { name: /^Unverified/ })
    await mark.hover()
    await page.locator('.tooltip', { hasText: 'typed this address' }).waitFor()
    await page.mouse.move(0, 0)
    await mark.focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    await page.locator('.tooltip', { hasText: 'typed this address' }).waitFor()
    await mark.click()
    await page.getByRole('dialog', { name: 'Unverified' }).getByText('typed this address').waitFor()
    await page.keyboard.press('Escape')

    await panel(page).getByText('has the same email.').waitFor()
    await button(page, 'Compare and merge').click()
    const dialog = page.getByRole('dialog', { name: 'Merge contacts' })
    await dialog.getByText('Only merge if you’re sure').waitFor({ state: 'detached' })
    await button(page, 'Swap').click()
    await dialog.getByText('Only merge if you’re sure').waitFor()
    await dialog.getByRole('radio', { name: 'trial' }).check()
    for (const { colorScheme, width } of LOOKS) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await assertAccessible(page, `merging at ${width}`)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    await button(page, 'Merge contacts').click()
    await page.getByText('Contacts merged').waitFor()
    await panel(page).getByRole('heading', { name: 'ليلى حداد' }).waitFor()
    assert.equal((await call(workspace.token, 'GET', `/contacts/${visitorId}`)).status, 404)
    await button(page, 'Undo').click()
    await page.getByText('Merge undone').waitFor()
    await panel(page).getByRole('heading', { name: 'Layla' }).waitFor()
    assert.equal((await profile(visitorId)).customFields.plan, 'trial')
  }))

test('email and number are changed where they are shown, and an address that somebody has says whose it is', () =>
  visit(`/contacts/${visitorId}`, async (page) => {
    await button(page, 'Edit phone').click()
    await field(page, 'Phone').fill('+49 1511 2340001')
    await page.keyboard.press('Enter')
    await page.getByText('already has this number.').waitFor()
    await page.getByText('ليلى حداد').first().waitFor()
    await field(page, 'Phone').fill('nonsense')
    await page.keyboard.press('Enter')
    await page.getByText('must be a phone number with a country code').waitFor()
    await field(page, 'Phone').fill('+49 1511 2340009')
    await page.keyboard.press('Enter')
    await page.getByText('+4915112340009').first().waitFor()
    await button(page, 'Merge with…').click()
    await page.getByRole('combobox', { name: 'Search contacts' }).fill('+4915112340001')
    await page.getByRole('option', { name: /ليلى/ }).click()
    await page.getByRole('dialog', { name: 'Merge contacts' }).waitFor()
  }))

test('a file of another program becomes contacts, with a preview, and what is refused comes back with its reason', () =>
  visit('/contacts', async (page) => {
    await button(page, 'Import').click()
    const choosing = page.waitForEvent('filechooser')
    await button(page, 'Choose a file').click()
    const rows = [
      'Vorname;Nachname;E-Mail;Tarif',
      'Jürgen;Groß;juergen@example.org;"Pro; yearly"',
      `Layla;;${EMAIL};free`,
      '=1+1;;nobody;x',
    ]
    const buffer = Buffer.from(rows.join('\r\n'), 'latin1')
    await (await choosing).setFiles({ name: 'kunden.csv', mimeType: 'text/csv', buffer })
    const dialog = page.getByRole('dialog', { name: 'Import contacts' })
    await dialog.getByRole('cell', { name: 'Jürgen Groß' }).waitFor()
    await dialog.getByText('Already a contact').waitFor()
    await dialog.getByText('The email is not an email address').waitFor()
    await field(page, 'Field for Tarif').fill('plan')
    await dialog.getByRole('cell', { name: 'Pro; yearly' }).waitFor()
    for (const { colorScheme, width } of LOOKS) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await assertAccessible(page, `importing at ${width}`)
    }
    await button(page, 'Import 3 rows').click()
    await dialog.getByText('Import completed').waitFor()
    const saving = page.waitForEvent('download')
    await button(page, 'Download refused rows').click()
    const saved = await saving
    assert.equal(saved.suggestedFilename(), 'refused-kunden.csv')
    const text = readFileSync(await saved.path(), 'utf8')
    assert.equal(
      text,
      '\ufeff"Reason","Vorname","Nachname","E-Mail","Tarif"\r\n' +
        "The email is not an email address,'=1+1,,nobody,x\r\n",
    )
    const { body } = await call(workspace.token, 'GET', '/contacts/lookup?email=juergen%40example.org')
    assert.deepEqual([body.contact.name, body.contact.customFields], ['Jürgen Groß', { plan: 'Pro; yearly' }])
  }))
