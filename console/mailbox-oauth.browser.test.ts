// Connecting a mailbox by signing in at its provider, which the sandbox plays; and reconnecting it.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { forgetAccessToken } from '../channels/email/access-token.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { makeMailOauth } from '../server/domain/channel-accounts/mailbox-oauth/provider.ts'
import { findChannelAccount, openSecrets } from '../server/domain/channel-accounts/queries.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button } from '../test/console-visit.ts'
import { freePort } from '../test/e2e/foyer.ts'

const sandbox = await startSandbox({ smtpPort: 0 })
after(() => sandbox.stop())
const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const client = {
  ...{ issuer: `${sandbox.url}/oidc`, clientId: 'foyer', clientSecret: 'sandbox-client-secret' },
  ...{ smtpUrl: sandbox.smtpUrl!, imapUrl: null },
}
const now = (): Date => new Date()
const mailOauth = (['google', 'microsoft'] as const).map((name) =>
  makeMailOauth({ ...client, name }, { publicUrl, now }),
)
const testApp = await startApp({ stream: true, deps: { publicUrl, console: { mailOauth } } })
const { db, make, ctxOf } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const { test, visit } = browseConsole(testApp, workspace.id, robin, port)
sandbox.control.addPerson({ name: 'Kiln support', email: 'support@kiln.example' })

const signInAs = (page: Page, name: RegExp) => page.getByRole('button', { name }).click()

test('a mailbox is connected by signing in, fails when access is withdrawn, and is reconnected', async () => {
  await visit('/settings/channels/add/email', async (page) => {
    await button(page, 'Sign in with Google').waitFor()
    await assertAccessible(page, 'adding a mailbox')
    await button(page, 'Sign in with Microsoft 365').click()
    await signInAs(page, /Kiln support/)
    await page.getByText('Mailbox connected').waitFor()
    await page.getByRole('heading', { name: 'support@kiln.example' }).waitFor()
    assert.doesNotMatch(page.url(), /code=/)

    const { id } = await db
      .selectFrom('channel_accounts')
      .select('id')
      .where('workspace_id', '=', workspace.id)
      .executeTakeFirstOrThrow()
    sandbox.control.revokeOidc()
    const account = await findChannelAccount(ctxOf(workspace.id), id)
    forgetAccessToken(openSecrets(ctxOf(workspace.id).seal, account!) as Record<string, string>)
    await button(page, 'Check').click()
    await page.getByText('Failing since').waitFor()
    await page.getByText('Reconnect the mailbox by signing in again.').waitFor()
    await assertAccessible(page, 'a mailbox to reconnect')
    await button(page, 'Reconnect with Microsoft 365').click()
    await signInAs(page, /Kiln support/)
    await page.getByText('Mailbox connected').waitFor()
    assert.equal(await page.getByText('Failing since').count(), 0)
  })
})

test('who declines is told so, and can try again', async () => {
  await visit('/settings/channels/add/email', async (page) => {
    await button(page, 'Sign in with Google').click()
    await signInAs(page, /Cancel|Decline|Deny/)
    await page.getByText('You didn’t give access to the mailbox.').waitFor()
    await page.getByRole('link', { name: 'Try again' }).click()
    await button(page, 'Sign in with Google').waitFor()
  })
})
