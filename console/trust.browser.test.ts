// What the console shows about trust, in a real browser: where an email reply goes, what is verified, visitors' claims,
// deliveries that could not be stored, and members' names.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'playwright-core'
import { connectMailbox, deliverMail, MAILBOX } from '../server/inbound/email/testing/mails.ts'
import { insertLeftovers, leftoverOf } from '../server/inbound/leftovers/queries.ts'
import { makePage } from '../server/inbound/web/testing/visitor.ts'
import {
  connect,
  deliver,
  messageOf,
  startGraph,
  webhook,
} from '../server/inbound/whatsapp/testing/provider.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button } from '../test/console-visit.ts'
import { startSmtp } from '../test/smtp.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true, worker: true })
const { call, ctxOf, db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
await make.agent(workspace.id, { nickname: 'Jane' })
const smtp = await startSmtp()
const graph = await startGraph()
const { base, test, visit } = browseConsole(testApp, workspace.id, robin)
let webId = ''
let whatsappId = ''

before(async () => {
  webId = await make.channelAccount(workspace.id, 'web')
  whatsappId = await connect(testApp, workspace.id, { apiUrl: graph.url })
})
after(async () => {
  await smtp.stop()
  await graph.stop()
})

const composer = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true })
const open = async (page: Page, name: string): Promise<void> => {
  await page.locator('.convo', { hasText: name }).first().click()
  await composer(page).waitFor()
}

const suspectMail = [
  'Authentication-Results: mx.northwind.example; dmarc=fail header.from=bank.example',
  'From: Your Bank <service@bank.example>',
  `To: ${MAILBOX}`,
  'Reply-To: collector@elsewhere.example',
  'Subject: Your invoice',
  'Message-ID: <suspect@bank.example>',
  'MIME-Version: 1.0',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Please pay at <a href="https://pay.elsewhere.example/x">www.bank.com</a>.</p>',
  '',
].join('\r\n')

test('an email with a foreign Reply-To is only answered after a choice, and shows what could not be verified', async () => {
  const mailbox = await connectMailbox(testApp, workspace.id, {
    smtpUrl: smtp.url,
    authservId: 'mx.northwind.example',
  })
  assert.equal((await deliverMail(testApp, mailbox, suspectMail)).status, 200)
  await visit('/inbox/open', async (page) => {
    await open(page, 'Your Bank')
    await page.getByText('The sender’s address failed verification.').waitFor()
    const link = page.frameLocator('.mail__frame').locator('a[data-leads-to]')
    assert.equal(await link.getAttribute('data-leads-to'), 'pay.elsewhere.example')
    await page.getByText('This email asks for replies at collector@elsewhere.example').waitFor()

    await composer(page).fill('Which invoice?')
    await page.keyboard.press('ControlOrMeta+Enter')
    const question = page.getByRole('alertdialog', { name: 'Choose where this reply goes' })
    await question.waitFor()
    await assertAccessible(page, 'the question where a reply goes')
    assert.deepEqual(smtp.taken, [])
    await question.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await composer(page).innerText()).trim(), 'Which invoice?')
    await button(page, 'Send').click()
    await question.getByRole('button', { name: 'Send to service@bank.example' }).click()
    await until(() => smtp.mailsTo('service@bank.example').length === 1, 'the reply at the chosen address')
    assert.deepEqual(smtp.mailsTo('collector@elsewhere.example'), [])
  })
})

test('an email address typed by a visitor is shown as unverified, and the visitor can be blocked and unblocked', async () => {
  const { ask, say, session } = makePage(base, webId)
  const { token } = await session({ name: 'Mallory', email: 'owner@example.com' })
  await say(token, 'It is me')
  const isBlocked = async () => (await ask('/messages', { body: 'Again' }, { token })).status === 403
  await visit('/contacts', async (page) => {
    const row = page.locator('tbody tr', { hasText: 'Mallory' })
    await row.getByText('Unverified').waitFor()
    await row.getByRole('link', { name: 'Mallory' }).click()
    await button(page, 'Block visitor').waitFor()
    await page.getByText('Unverified').waitFor()
    await button(page, 'Block visitor').click()
    await page.getByText('This visitor is blocked.').waitFor()
    assert.equal(await isBlocked(), true)

    await page.goto(`${base()}/inbox/open`)
    await open(page, 'Mallory')
    await page.locator('.customer').getByText('Unverified').waitFor()
    await button(page, 'Unblock visitor').click()
    await button(page, 'Block visitor').waitFor()
    assert.equal(await isBlocked(), false)
  })
})

test('deliveries that could not be stored are announced, retried and dismissed', async () => {
  const kept = (waId: string, from: object | null) =>
    JSON.stringify({
      type: 'message',
      source: { field: 'messages', businessAccountId: null, phoneNumberId: null, displayPhone: null },
      sentAt: new Date().toISOString(),
      externalId: `wamid.${waId}`,
      from,
      content: {
        ...{ kind: 'text', body: 'Kept for later', media: null, location: null, contacts: [], choice: null },
        ...{ order: null, failure: null, raw: null },
      },
      ...{ quote: null, referral: null, groupId: null },
    })
  const sender = { userId: null, parentUserId: null, waId: '16505550001', phone: '+16505550001' }
  const error = new Error('The disk was full')
  await insertLeftovers(ctxOf(workspace.id), [
    leftoverOf(whatsappId, 'failed', kept('1', { ...sender, name: 'Ines Kept', username: null }), {
      replay: 'item',
      error,
    }),
    leftoverOf(whatsappId, 'field', '{"field":"flows"}'),
  ])
  // Not retried automatically before the page does.
  await db.updateTable('webhook_leftovers').set({ next_try_at: null }).execute()
  await visit('/settings/channels', async (page) => {
    await page.getByText('2 deliveries need attention').waitFor()
    await page.locator('a[href="/settings/channels/deliveries"]').click()
    const item = (text: string) => page.locator('.item', { hasText: text })
    await item('The disk was full').waitFor()
    await assertAccessible(page, 'deliveries')
    await item('The disk was full').getByRole('button', { name: 'Retry' }).click()
    await item('The disk was full').waitFor({ state: 'detached' })
    await item('Not understood').getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('Nothing needs attention').waitFor()
    await page.goto(`${base()}/inbox/open`)
    await open(page, 'Ines Kept')
    await page.locator('.thread .bubble', { hasText: 'Kept for later' }).waitFor()
  })
})

test('a reply quotes the message it answers, unless the quote is removed', async () => {
  const sofia = { waId: '16505550002', name: 'Sofia Marchetti' }
  for (const [id, body] of Object.entries({ blue: 'Is the blue one in stock?', red: 'And the red one?' }))
    await deliver(testApp, whatsappId, webhook(messageOf(sofia, body, { id: `wamid.${id}` })))
  // WhatsApp's API takes a message's text so.
  const sent = (body: string) =>
    graph.sent().find(({ text }) => (text as { body: string } | undefined)?.body === body)
  await visit('/inbox/open', async (page) => {
    await open(page, 'Sofia Marchetti')
    const asked = page.locator('.message', { hasText: 'Is the blue one' })
    const quote = page.locator('.composer').getByText('Is the blue one in stock?')
    await asked.hover()
    await asked.getByRole('button', { name: 'Reply to this' }).click()
    await quote.waitFor()
    await assertAccessible(page, 'a reply with a quote')
    await button(page, 'Remove quote').click()
    await quote.waitFor({ state: 'detached' })
    await composer(page).fill('Let me check')
    await page.keyboard.press('Enter')
    await until(() => sent('Let me check') !== undefined, 'the reply without a quote')
    assert.equal(sent('Let me check')?.context, undefined)

    await asked.hover()
    await asked.getByRole('button', { name: 'Reply to this' }).click()
    await page.keyboard.type('It is')
    await page.keyboard.press('Enter')
    await until(() => sent('It is') !== undefined, 'the reply with a quote')
    assert.deepEqual(sent('It is')?.context, { message_id: 'wamid.blue' })
    await quote.waitFor({ state: 'detached' })
    await page.locator('.message--ours .quote', { hasText: 'Is the blue one' }).waitFor()
  })
})

test('people change their own display name, and a misleading name is refused at the field', () =>
  visit('/inbox/open', async (page) => {
    await page.getByRole('button', { name: /Workspace and account/ }).click()
    await page.getByRole('menuitem', { name: 'Edit display name…' }).click()
    const field = page.getByLabel('Display name', { exact: true })
    for (const [name, problem] of [
      ['Jаne', 'Looks like Jane, who is already a member.'],
      ['System', 'Looks like a reserved name.'],
      ['jane', 'That display name is taken.'],
    ] as const) {
      await field.fill(name)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('alert').filter({ hasText: problem }).waitFor()
    }
    await assertAccessible(page, 'the display name')
    await field.fill('Robin Hollow')
    await page.keyboard.press('Enter')
    await page.locator('.rail__person', { hasText: 'Robin Hollow' }).waitFor()
    const { agents } = (await call(workspace.token, 'GET', '/agents')).body
    assert.ok(agents.some(({ nickname }: { nickname: string }) => nickname === 'Robin Hollow'))
  }))
