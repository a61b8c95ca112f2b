// Passkeys in a browser, with its own virtual authenticator: from adding one to signing in with it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { makeMailer } from '../server/platform/mail.ts'
import { startApp } from '../test/app.ts'
import { startSession } from '../test/console.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'
import { freePort } from '../test/e2e/foyer.ts'
import { startSmtp } from '../test/smtp.ts'
import { until } from '../test/until.ts'

const waitMaxMs = 45_000
const MINUTE_MS = 60_000

const smtp = await startSmtp()
const port = await freePort()
const origin = `http://localhost:${port}`
const mail = makeMailer(smtp.url, origin)
const testApp = await startApp({
  worker: true,
  mail,
  deps: { publicUrl: origin, console: { sendsMail: true } },
})
const { clock, make } = testApp
const { now: databaseNow } = clock
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', email: 'robin@kiln.example' })
const { browser, test } = browseConsole(testApp, workspace.id, robin, port)
after(async () => {
  await mail.close()
  await smtp.stop()
})

const DARK_PHONE = { colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const

type Device = { cdp: CDPSession; authenticatorId: string }

const idOf = ({ authenticatorId }: Device) => ({ authenticatorId })

/** As if it were synced: one device then has the other's passkey, and its counter. */
const copyPasskey = async (from: Device, to: Device): Promise<void> => {
  const { credentials } = await from.cdp.send('WebAuthn.getCredentials', idOf(from))
  await to.cdp.send('WebAuthn.clearCredentials', idOf(to))
  await to.cdp.send('WebAuthn.addCredential', { ...idOf(to), credential: credentials[0]! })
}

/** Touches and verifies by itself. */
const plugIn = async (page: Page): Promise<Device> => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

const open = async (
  work: (page: Page, device: Device) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> => {
  const context = await browser().newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...options,
  })
  context.setDefaultTimeout(waitMaxMs)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  try {
    await work(page, await plugIn(page))
    assert.deepEqual(problems, [])
  } finally {
    await context.close()
  }
}

const openSignedIn = async (page: Page, at = origin): Promise<void> => {
  const value = await startSession(testApp, robin.id)
  await page.context().addCookies([{ name: 'foyer_session', value, url: at }])
  await page.goto(`${at}/contacts`)
}
const openPasskeys = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Workspace and account' }).click()
  await page.getByRole('menuitem', { name: 'Passkeys…' }).click()
  await page.getByRole('dialog', { name: 'Passkeys' }).waitFor()
}
/** Up to where the second factor is asked for. */
const signInByCode = async (page: Page): Promise<void> => {
  const codes = () => smtp.mailsTo(robin.email).filter(({ text }) => /^Subject: \d{6} is/m.test(text))
  const { length: before } = codes()
  await page.goto(`${origin}/sign-in?to=/contacts`)
  await field(page, 'Email').fill(robin.email)
  await field(page, 'Email').press('Enter')
  await page.locator('input[autocomplete="one-time-code"]:focus').waitFor()
  await until(() => codes().length > before, 'the mail with the code')
  await field(page, 'Six-digit code').fill(/^Subject: (\d{6})/m.exec(codes().at(-1)!.text)![1]!)
  await page.getByRole('heading', { name: 'Use your passkey' }).waitFor()
}
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

test('a passkey is added, signs in on a new browser, is replaced by a code, and is removed', () =>
  open(async (page, laptop) => {
    await openSignedIn(page)
    await openPasskeys(page)
    await page.getByText('No passkeys yet').waitFor()
    await assertAccessible(page, 'no passkeys')
    await button(page, 'Add passkey').click()
    await field(page, 'Name').fill('Work laptop')
    await button(page, 'Continue').click()
    const codesDialog = dialog(page, 'Save your recovery codes')
    await codesDialog.waitFor()
    await assertAccessible(page, 'recovery codes')
    const codes = (await codesDialog.locator('code').innerText()).split('\n')
    assert.equal(codes.length, 10)
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()])
    assert.ok(readFileSync(await download.path(), 'utf8').includes(codes.join('\n')))
    await button(page, 'I’ve saved them').click()
    await page.getByText('10 left').waitFor()
    await assertAccessible(page, 'passkeys')
    // The same device again.
    await button(page, 'Add passkey').click()
    await button(page, 'Continue').click()
    await dialog(page, 'Add passkey').getByText('already has a passkey here').waitFor()
    await button(page, 'Cancel').click()

    await open(async (other, phone) => {
      await signInByCode(other)
      await assertAccessible(other, 'passkey asked for')
      // It isn't on this device yet.
      await button(other, 'Use passkey').click()
      await other.getByRole('alert').getByText('Try again').waitFor()
      await copyPasskey(laptop, phone)
      await button(other, 'Use passkey').click()
      await other.waitForURL('**/contacts')
      await other.getByRole('button', { name: 'Workspace and account' }).click()
      await other.getByRole('menuitem', { name: 'Your sign-ins…' }).click()
      await other.getByText('with a code and a passkey').waitFor()
      await copyPasskey(phone, laptop)

      await other.context().clearCookies()
      await signInByCode(other)
      await button(other, 'Use a recovery code').click()
      await field(other, 'Recovery code').fill('wrong')
      await other.keyboard.press('Enter')
      await other.getByRole('alert').waitFor()
      await assertAccessible(other, 'a refused recovery code')
      await field(other, 'Recovery code').fill(codes[0]!.toUpperCase())
      await other.keyboard.press('Enter')
      await other.waitForURL('**/contacts')
      await openPasskeys(other)
      await other.getByText('9 left').waitFor()
      await assertAccessible(other, 'passkeys on a phone')
    }, DARK_PHONE)

    clock.now = () => new Date(databaseNow().getTime() + 11 * MINUTE_MS)
    await button(page, 'Remove Work laptop').click()
    await dialog(page, 'Confirm that it’s you').waitFor()
    await assertAccessible(page, 'confirming')
    await button(page, 'Use passkey').click()
    await button(page, 'Remove passkey').click()
    await page.getByText('No passkeys yet').waitFor()
    clock.now = databaseNow
  }))

test('without a passkey a new code confirms it, and another address leads to the right one', () =>
  open(async (page) => {
    await openSignedIn(page)
    clock.now = () => new Date(databaseNow().getTime() + 11 * MINUTE_MS)
    await openPasskeys(page)
    await button(page, 'Add passkey').click()
    await dialog(page, 'Confirm that it’s you').waitFor()
    const { length: before } = smtp.mailsTo(robin.email)
    await button(page, 'Email me a code').click()
    await until(() => smtp.mailsTo(robin.email).length > before, 'the mail with the code')
    const code = /^Subject: (\d{6})/m.exec(smtp.mailsTo(robin.email).at(-1)!.text)![1]!
    await field(page, 'Six-digit code').fill(code)
    await assertAccessible(page, 'confirming with a code')
    await page.keyboard.press('Enter')
    await dialog(page, 'Add passkey').waitFor()
    clock.now = databaseNow

    await openSignedIn(page, `http://127.0.0.1:${port}`)
    await openPasskeys(page)
    await page.getByText(`Your passkeys only work at ${origin}.`).waitFor()
    assert.ok(await button(page, 'Add passkey').isDisabled())
  }))
