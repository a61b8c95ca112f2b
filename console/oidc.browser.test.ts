// Signing in through an identity provider, in a browser; the sandbox is the provider.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { startSandbox } from '../sandbox/sandbox.ts'
import {
  makeOidcProvider,
  OIDC_CALLBACK_PATH,
  type OidcProvider,
} from '../server/domain/accounts/oidc/provider.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'

const waitMaxMs = 45_000

const sandbox = await startSandbox()
after(() => sandbox.stop())
const settings = {
  issuer: `${sandbox.url}/oidc`,
  clientId: 'foyer',
  clientSecret: 'sandbox-client-secret',
  name: 'Kiln ID',
  allowedDomains: [],
  trustsEmails: false,
}
/** Its redirect address is only known once the server listens. */
const provider: { made?: OidcProvider } = {}
const made = (): OidcProvider => {
  provider.made ??= makeOidcProvider(
    { ...settings, isOnly: false },
    { publicUrl: base(), now: () => testApp.clock.now() },
  )
  return provider.made
}
const oidc: OidcProvider = {
  ...settings,
  isOnly: false,
  authorizationUrl: (keys) => made().authorizationUrl(keys),
  identify: (parameters, keys) => made().identify(parameters, keys),
}

const testApp = await startApp({ stream: true, deps: { console: { sendsMail: true, oidc } } })
const { make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, {
  nickname: 'Robin',
  role: 'admin',
  email: 'robin@kiln.example',
})
sandbox.control.addPerson({ name: 'Robin', email: robin.email })
sandbox.control.addPerson({ name: 'Sam', email: 'sam@kiln.example' })
const { base, browser, test } = browseConsole(testApp, workspace.id, robin)

const open = async (path: string, work: (page: Page) => Promise<void>): Promise<void> => {
  const context = await browser().newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  context.setDefaultTimeout(waitMaxMs)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Uncaught/.test(message.text())) problems.push(message.text())
  })
  try {
    await page.goto(base() + path)
    await work(page)
    assert.deepEqual(problems, [])
  } finally {
    await context.close()
  }
}

const chooseAtProvider = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('heading', { name: 'Sandbox sign-in' }).waitFor()
  await page.getByRole('button', { name }).click()
}

test('a person signs in with the provider by keyboard, out, and in again', () =>
  open('/settings/members', async (page) => {
    await button(page, 'Continue with Kiln ID').waitFor()
    await field(page, 'Email').waitFor()
    await assertAccessible(page, 'sign-in with a provider')
    await button(page, 'Continue with Kiln ID').focus()
    await page.keyboard.press('Enter')
    await chooseAtProvider(page, 'Robin')
    await page.waitForURL('**/settings/members')
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    assert.ok(page.url().startsWith(base()))

    await page.getByRole('button', { name: 'Workspace and account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await button(page, 'Continue with Kiln ID').click()
    await chooseAtProvider(page, 'Robin')
    await page.waitForURL('**/inbox/**')
    // A reload of the callback, from the history, changes nothing.
    await page.goto(base() + OIDC_CALLBACK_PATH)
    await page.waitForURL('**/inbox/**')
  }))

test('whoever isn’t let in reads why, and can try again or use a code', () =>
  open('/sign-in?to=/contacts', async (page) => {
    await button(page, 'Continue with Kiln ID').click()
    await page.getByRole('heading', { name: 'Sandbox sign-in' }).waitFor()
    await page.goBack()
    await button(page, 'Continue with Kiln ID').click()
    await chooseAtProvider(page, 'Sam')
    await page.getByRole('alert').filter({ hasText: 'Ask an admin to add it' }).waitFor()
    await button(page, 'Continue with Kiln ID').click()
    await chooseAtProvider(page, 'Cancel')
    await page.getByRole('alert').filter({ hasText: 'You canceled' }).waitFor()
    await assertAccessible(page, 'a canceled sign-in')
    sandbox.control.addOidcFault({ kind: 'server-error', at: 'token' })
    await button(page, 'Continue with Kiln ID').click()
    await chooseAtProvider(page, 'Robin')
    await page.getByRole('alert').filter({ hasText: 'isn’t responding' }).waitFor()
    await field(page, 'Email').fill(robin.email)
    await button(page, 'Email me a code').click()
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
  }))

test('where codes are turned off, the provider’s button is the only way', async () => {
  oidc.isOnly = true
  await open('/sign-in', async (page) => {
    await button(page, 'Continue with Kiln ID').waitFor()
    assert.equal(await field(page, 'Email').count(), 0)
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Continue with Kiln ID')
    await assertAccessible(page, 'sign-in with a provider only')
    provider.made = undefined
    sandbox.control.addOidcFault({ kind: 'drop', at: 'discovery' })
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'Try again in a few minutes' }).waitFor()
    await button(page, 'Continue with Kiln ID').click()
    await chooseAtProvider(page, 'Robin')
    await page.waitForURL('**/inbox/**')
  })
  oidc.isOnly = false
})
