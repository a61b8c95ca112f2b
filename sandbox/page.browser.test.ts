// The page in a real browser: what someone who tries Foyer without a phone can do.
import assert from 'node:assert/strict'
import { after, before, test as nodeTest } from 'node:test'
import axe from 'axe-core'
import nodemailer from 'nodemailer'
import type { Browser, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { build, launchBrowser, skipBrowser as skip } from '../test/browser.ts'
import { until } from '../test/until.ts'
import { DEFAULT_NUMBER } from './samples.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const WAIT_MAX_MS = 15_000
const PHONE = { width: 390, height: 844 }
const ANNE = '4915123456789'
/** The people, in the order of the samples. */
const [ANNE_ROW, MARCUS_ROW] = ['[data-person="p1"]', '[data-person="p2"]']
let browser: Browser

before(async () => {
  if (skip) return
  build()
  browser = await launchBrowser()
})
after(() => browser?.close())

type Visit = { sandbox: Sandbox; page: Page; send: (message: Record<string, unknown>) => Promise<number> }

const visit = (
  name: string,
  work: (visit: Visit) => Promise<void>,
  viewport = { width: 1440, height: 900 },
) =>
  nodeTest(name, { skip }, async () => {
    const sandbox = await startSandbox({
      customers: true,
      smtpPort: 0,
      statusDelays: { sentMs: 0, deliveredMs: 0, readMs: 0 },
    })
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
    context.setDefaultTimeout(WAIT_MAX_MS)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    const send = async (message: Record<string, unknown>): Promise<number> => {
      const response = await fetch(`${sandbox.url}/v25.0/${DEFAULT_NUMBER.id}/messages`, {
        method: 'POST',
        headers: { authorization: 'Bearer sandbox-access-token' },
        body: JSON.stringify({ messaging_product: 'whatsapp', to: ANNE, ...message }),
      })
      return response.status
    }
    try {
      // Without the trailing slash, as people type it.
      await page.goto(`${sandbox.url}/sandbox`)
      await page.locator(ANNE_ROW).click()
      await page.locator('.dock [data-app="whatsapp"]').click()
      await work({ sandbox, page, send })
      assert.deepEqual(faults, [])
    } finally {
      await context.close()
      await sandbox.stop()
    }
  })

const write = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.getByLabel('Message', { exact: true }).press('Enter')
  await page.locator('.message.mine', { hasText: text }).waitFor()
}
const rows = (page: Page) => page.locator('.message')

visit(
  'a message from the phone reaches the business, and the reply arrives live with ticks',
  async ({ page, send, sandbox }) => {
    await write(page, 'Where is my order?')
    assert.equal(sandbox.control.thread(ANNE)[0]!.content.text, 'Where is my order?')
    assert.equal(await send({ text: { body: 'On its *way*. <img src=x onerror=alert(1)>' } }), 200)
    const answer = page.locator('.message.theirs[data-status="read"]')
    await answer.waitFor()
    assert.equal(await answer.locator('strong').textContent(), 'way')
    assert.equal(await answer.locator('img').count(), 0)
    await answer.getByLabel('read').waitFor()
  },
)

visit(
  'a template is shown with its values, and tapping its button replies and opens the reply window',
  async ({ page, send, sandbox }) => {
    const picture = sandbox.control.write('16505551234', { type: 'image' })!.content.mediaId
    const text = (text: string) => ({ type: 'text', text })
    await send({
      type: 'template',
      template: {
        name: 'delivery_update',
        language: { code: 'en_US' },
        components: [
          { type: 'header', parameters: [{ type: 'image', image: { id: picture } }] },
          { type: 'body', parameters: [text('Änne'), text('566701'), text('tomorrow')] },
        ],
      },
    })
    const template = page.locator('[data-type="template"]')
    await template.getByText('Good news, Änne: order 566701 is on its way and arrives tomorrow.').waitFor()
    await template.locator('.picture img').waitFor()
    await page.getByText('hasn’t written yet').waitFor()
    await template.getByRole('button', { name: 'Leave with neighbour' }).click()
    await page.locator('.message.mine', { hasText: 'Leave with neighbour' }).waitFor()
    await page.getByText('The reply window is open').waitFor()
    assert.equal(sandbox.control.thread(ANNE).at(-1)!.type, 'button')
  },
)

visit('the next message fails once, for the selected reason', async ({ page, send }) => {
  await write(page, 'Hello')
  await page.getByLabel('Failure').selectOption({ label: 'Rejected: something went wrong (131000)' })
  await page.getByRole('button', { name: 'Fail next message' }).click()
  await page.locator('.faults li').waitFor()
  assert.equal(await send({ text: { body: 'One' } }), 500)
  await page.locator('.faults li').waitFor({ state: 'detached' })
  await page.getByLabel('Failure').selectOption({ label: 'Not delivered: not on WhatsApp (131026)' })
  await page.getByRole('button', { name: 'Fail next message' }).click()
  await page.locator('.faults li').waitFor()
  assert.equal(await send({ text: { body: 'Two' } }), 200)
  await page.getByText('Not delivered: Message undeliverable (131026)').waitFor()
})

visit('after a day the reply window closes, and writing reopens it', async ({ page, send }) => {
  await write(page, 'Hello')
  await page.getByRole('button', { name: '+1 day' }).click()
  await page.getByText('The reply window is closed').waitFor()
  await send({ text: { body: 'Too late' } })
  await page.getByText('Not delivered: Re-engagement message (131047)').waitFor()
  await write(page, 'I am back')
  await page.getByText('The reply window is open').waitFor()
  assert.deepEqual(await page.locator('.day').allTextContents(), ['Yesterday', 'Today'])
})

visit(
  'images and locations are sent, each customer has their own thread, and customers can be added',
  async ({ page, send, sandbox }) => {
    const attach = async (name: string): Promise<void> => {
      await page.getByLabel('Attach').click()
      await page.getByRole('button', { name }).click()
    }
    await attach('Sample image')
    await page.locator('.message.mine .picture img').waitFor()
    await attach('Location')
    await page.locator('.message.mine .place').waitFor()
    assert.deepEqual(
      sandbox.control.thread(ANNE).map(({ type }) => type),
      ['image', 'location'],
    )

    await page.locator(MARCUS_ROW).click()
    await page.locator('.dock [data-app="whatsapp"]').click()
    await page.locator('.messages .empty').waitFor()
    await send({ text: { body: 'For Änne' } })
    await page.locator(`${ANNE_ROW} .count`).waitFor()
    assert.equal(await rows(page).count(), 0)

    await page.getByLabel('New customer', { exact: true }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Robin')
    await page.getByLabel('Username', { exact: true }).fill('robin.b')
    await page.getByRole('button', { name: 'Add customer' }).click()
    await page.locator('.dock [data-app="whatsapp"]').click()
    await page.getByText('WhatsApp on Robin’s phone').waitFor()
    await write(page, 'I have no number')
    assert.equal(sandbox.control.customers().find(({ username }) => username === 'robin.b')!.waId, null)
  },
)

visit(
  'at phone width, chats, thread and tools are separate screens',
  async ({ page }) => {
    await write(page, 'Small')
    assert.equal(await page.locator('.people').isVisible(), false)
    const width = await page.locator('html').evaluate((html) => html.scrollWidth)
    assert.equal(width, PHONE.width)
    await page.getByLabel('Tools', { exact: true }).first().click()
    await page.getByRole('button', { name: '+1 day' }).click()
    await page.getByLabel('Close tools').last().click()
    await page.getByLabel('All customers').click()
    await page.locator(ANNE_ROW, { hasText: 'You: Small' }).waitFor()
  },
  PHONE,
)

const openApp = async (page: Page, app: string): Promise<void> => {
  await page.locator(`.dock [data-app="${app}"]`).click()
  await page.locator(`.phone[data-app="${app}"]`).waitFor()
}
const assertAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(axe.source)
  const serious = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    return violations.flatMap(({ id, impact, nodes }) =>
      impact === 'serious' || impact === 'critical' ? [`${id}: ${nodes[0]?.target}`] : [],
    )
  })
  assert.deepEqual(serious, [])
}

visit(
  'an email is shown without its scripts, can be replied to with a quote, bounced, and rejected on demand',
  async ({ page, sandbox }) => {
    const transport = nodemailer.createTransport({ url: sandbox.smtpUrl! })
    const mail = { from: '"Shop" <support@demo.invalid>', to: 'anne.koehler@example.com' }
    try {
      await openApp(page, 'mail')
      await transport.sendMail({
        ...mail,
        subject: 'Two new bowls',
        messageId: '<bowls@demo.invalid>',
        text: 'They leave today.',
        html: '<p>They leave <b>today</b>.</p><script>parent.document.body.remove()</script>',
      })
      await page.locator('.mails .unread', { hasText: 'Two new bowls' }).click()
      await page.frameLocator('.letter iframe').locator('b', { hasText: 'today' }).waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Reply', exact: true }).click()
      await page.getByRole('textbox', { name: 'Message' }).fill('Thank you!')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.locator('.mails button', { hasText: 'Re: Two new bowls' }).waitFor()
      await page.locator('.mails button', { hasText: 'They leave today' }).click()
      await page.getByRole('button', { name: 'Bounce' }).click()
      await page.locator('.mails button', { hasText: 'Undelivered Mail' }).waitFor()
      const [, answer] = sandbox.control.mails('p1')
      assert.deepEqual(sandbox.control.mail(answer!.id).references, ['<bowls@demo.invalid>'])

      await page.getByLabel('Failure').selectOption({ label: 'Rejected: no such mailbox (550)' })
      await page.getByRole('button', { name: 'Fail next message' }).click()
      await page.locator('.faults li').waitFor()
      await assert.rejects(transport.sendMail({ ...mail, subject: 'No' }), /550/)
      await page.locator('.faults li').waitFor({ state: 'detached' })
    } finally {
      transport.close()
    }
  },
)

visit('Telegram, Messenger and SMS show messages, replies, ticks and failures', async ({ page, sandbox }) => {
  const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${sandbox.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: body instanceof URLSearchParams ? body.toString() : JSON.stringify(body),
    })
  const person = sandbox.control.person('p1')

  await openApp(page, 'telegram')
  await write(page, 'Is it back?')
  await call('/bot110201543:sandbox/sendMessage', { chat_id: person.telegramId, text: 'It is' })
  await page.locator('.message.theirs', { hasText: 'It is' }).waitFor()
  await page.locator('.message.mine').hover()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Message', { exact: true }).fill('Is the teapot back?')
  await page.getByLabel('Message', { exact: true }).press('Enter')
  await page.locator('.message.mine', { hasText: 'Is the teapot back?' }).waitFor()
  assert.equal(sandbox.control.chat('p1', 'telegram').length, 2)

  await openApp(page, 'messenger')
  await write(page, 'Hello')
  const answer = { recipient: { id: person.psid }, message: { text: 'Hello Änne' } }
  const token = { authorization: 'Bearer sandbox-page-token' }
  assert.equal((await call('/v25.0/me/messages', answer, token)).status, 200)
  await page.locator('.message.theirs[data-status="read"]', { hasText: 'Hello Änne' }).waitFor()

  await openApp(page, 'sms')
  await write(page, 'Late?')
  await page.getByLabel('Failure').selectOption({ label: 'Not delivered: filtered by the carrier (30007)' })
  await page.getByRole('button', { name: 'Fail next message' }).click()
  await page.locator('.faults li').waitFor()
  const sid = `AC${'0'.repeat(32)}`
  await call(
    `/2010-04-01/Accounts/${sid}/Messages.json`,
    new URLSearchParams({ To: '+4915123456789', Body: 'Tomorrow' }),
    {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${sid}:sandbox-auth-token`)}`,
    },
  )
  await page.getByText('Not delivered: Message filtered by the carrier (30007)').waitFor()
  await assertAccessible(page)
})

const END_TURN = {
  type: 'function',
  function: {
    name: 'end_turn',
    description: 'Ends your turn.',
    parameters: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['reply', 'ask'] },
        text: { type: 'string' },
        sources: { type: 'array', items: { type: 'string' } },
        isCertain: { type: 'boolean' },
      },
      required: ['action', 'text'],
    },
  },
}
type Completed = {
  choices: { message: { tool_calls?: { function: { arguments: string } }[] } }[]
}
const askModel = async ({ url }: Sandbox, model = 'sandbox-facts') => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: 'You answer customers of a shop.' },
        { role: 'user', content: 'How long can I <b>return</b> something?' },
      ],
      tools: [END_TURN],
    }),
  })
  return { status: response.status, body: (await response.json()) as Completed }
}
const callIn = ({ choices }: Completed) => JSON.parse(choices[0]!.message.tool_calls![0]!.function.arguments)

for (const viewport of [{ width: 1440, height: 900 }, PHONE])
  visit(
    `a person is the model: they read a request and answer it with a tool, at ${viewport.width} pixels`,
    async ({ page, sandbox }) => {
      if (viewport.width < 900) await page.getByRole('button', { name: 'All customers' }).click()
      await page.getByRole('button', { name: /Language model/ }).click()
      await page.getByText('No requests yet').waitFor()
      if (viewport.width < 900) await page.getByRole('button', { name: 'Tools' }).click()
      await page.getByLabel('Who answers').selectOption({ label: 'You' })
      await until(async () => sandbox.control.model().brain === 'sandbox-person', 'the choice')
      if (viewport.width < 900) await page.keyboard.press('Escape')
      const asked = askModel(sandbox)
      await page.getByText('How long can I <b>return</b> something?').waitFor()
      await page.getByText('Tools (1)').click()
      await page.getByText('Ends your turn.').waitFor()
      const form = page.getByRole('form', { name: 'Your answer' })
      await form.getByLabel('action').selectOption('reply')
      await form.getByLabel('text', { exact: true }).fill('30 days, I think.')
      await form.getByLabel('sources (optional)').fill('s1\ns2')
      await form.getByRole('button', { name: 'Answer' }).click()
      const { body } = await asked
      assert.deepEqual(callIn(body), { action: 'reply', text: '30 days, I think.', sources: ['s1', 's2'] })
      await page.getByText(/· You$/).waitFor()
      const problems = await page.evaluate(
        `${axe.source}; axe.run(document, {runOnly: ['wcag2a', 'wcag2aa']})`,
      )
      assert.deepEqual(
        (problems as { violations: { id: string }[] }).violations.map(({ id }) => id),
        [],
      )
    },
    viewport,
  )

visit('another brain and a failure are chosen for the model', async ({ page, sandbox }) => {
  await page.getByRole('button', { name: /Language model/ }).click()
  await page.getByLabel('Failure').selectOption({ label: 'Too many requests (429)' })
  await page.getByRole('button', { name: 'Fail next request' }).click()
  await page.locator('.faults li').waitFor()
  assert.equal((await askModel(sandbox)).status, 429)
  await page.locator('.faults li').waitFor({ state: 'detached' })
  await page.getByLabel('Who answers').selectOption({ label: 'Talker: never calls a tool' })
  await until(async () => sandbox.control.model().brain === 'sandbox-talker', 'the choice')
  const { body } = await askModel(sandbox)
  assert.equal(body.choices[0]!.message.tool_calls, undefined)
  await page.getByText(/· Talker/).waitFor()
})

const HOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

visit(
  'webhooks are received, checked with the pasted secret, and failed on demand, on a phone’s screen',
  async ({ page, sandbox }) => {
    const send = async () => {
      const body = JSON.stringify({
        type: 'message.created',
        sequence: 7,
        previous: null,
        conversationId: 'c1',
      })
      const at = new Date()
      const { status } = await fetch(`${sandbox.url}/receiver`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'e7',
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': new Webhook(HOOK_SECRET).sign('e7', at, body),
        },
        body,
      })
      return status
    }
    await page.getByRole('button', { name: 'All customers' }).click()
    await page.getByRole('button', { name: /Webhook receiver/ }).click()
    await page.getByText(`${sandbox.url}/receiver`).first().waitFor()
    assert.equal(await send(), 200)
    const entry = page.locator('.receiver__entry')
    await entry.getByText('Not checked').waitFor()
    await page.getByRole('button', { name: 'Tools' }).click()
    await page.getByLabel('Signing secret').fill(HOOK_SECRET)
    await page.getByRole('button', { name: 'Check signatures' }).click()
    await page.getByText('Secret set').waitFor()
    await page.getByRole('button', { name: 'Fail', exact: true }).click()
    await page.locator('.faults li').waitFor()
    assert.equal(await send(), 500)
    await page.locator('.faults li').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await entry.getByText('Responded 500').waitFor()
    assert.equal(await entry.getByText('Valid signature').count(), 2)
    await entry.first().getByText('Headers and body').click()
    await entry.first().getByText('"sequence": 7').waitFor()
    const problems = await page.evaluate(`${axe.source}; axe.run(document, {runOnly: ['wcag2a', 'wcag2aa']})`)
    assert.deepEqual(
      (problems as { violations: { id: string }[] }).violations.map(({ id }) => id),
      [],
    )
  },
  PHONE,
)
