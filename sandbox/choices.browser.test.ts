// Buttons, lists, keyboards and quick replies on the phones, in a real browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { build, launchBrowser, skipBrowser as skip } from '../test/browser.ts'
import { until } from '../test/until.ts'
import type { App } from './entry.ts'
import { DEFAULT_NUMBER } from './samples.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const ANNE = '4915123456789'
let browser: Browser

before(async () => {
  if (skip) return
  build()
  browser = await launchBrowser()
})
after(() => browser?.close())

type Visit = {
  page: Page
  post: (path: string, body: object, token: string) => Promise<void>
  last: () => ReturnType<Sandbox['control']['chat']>[number]
}

/** The first person's phone with the app open, in which they have said hello. */
const onPhone = (name: string, app: App, work: (visit: Visit) => Promise<void>, width = 1440) =>
  test(name, { skip }, async () => {
    const sandbox = await startSandbox({
      customers: true,
      connections: {
        telegram: { botToken: '7:token', webhookUrl: 'http://127.0.0.1:9/' },
        messenger: { pageId: '77', accessToken: 'page' },
      },
    })
    const { control } = sandbox
    const person = control.people()[0]!
    const context = await browser.newContext({ viewport: { width, height: 844 }, reducedMotion: 'reduce' })
    try {
      if (app === 'whatsapp') control.write(ANNE, { type: 'text', text: 'Hello' })
      else control.writeChat(person.id, app, { type: 'text', text: 'Hello' })
      const page = await context.newPage()
      await page.goto(`${sandbox.url}/sandbox`)
      await page.locator('[data-person="p1"]').click()
      await page.locator(`.dock [data-app="${app}"]`).click()
      const recipient = { chat_id: person.telegramId, recipient: { id: person.psid }, to: ANNE }
      await work({
        page,
        post: async (path, body, token) => {
          const answer = await fetch(`${sandbox.url}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
            body: JSON.stringify({ messaging_product: 'whatsapp', ...recipient, ...body }),
          })
          assert.equal(answer.status, 200, await answer.text())
        },
        last: () => (app === 'whatsapp' ? control.thread(ANNE) : control.chat(person.id, app)).at(-1)!,
      })
    } finally {
      await context.close()
      await sandbox.stop()
    }
  })

const checkAccess = async (page: Page): Promise<void> => {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
  assert.deepEqual(violations, [])
}

const WHATSAPP = [`/v25.0/${DEFAULT_NUMBER.id}/messages`, 'sandbox-access-token'] as const

for (const width of [1440, 390])
  onPhone(
    `WhatsApp’s list opens over the chat, and the row that is sent is a reply (${width} px)`,
    'whatsapp',
    async ({ page, post, last }) => {
      const rows = [
        { id: 's', title: 'Small', description: 'Up to 175 cm' },
        { id: 'm', title: 'Medium' },
        ...Array.from({ length: 8 }, (_, at) => ({ id: `x${at}`, title: `Special size ${at}` })),
      ]
      const action = { button: 'Choose a size', sections: [{ rows }] }
      const interactive = { type: 'list', body: { text: 'Which size?' }, action }
      await post(WHATSAPP[0], { type: 'interactive', interactive }, WHATSAPP[1])
      await page.getByRole('button', { name: 'Choose a size' }).click()
      const sheet = page.getByRole('dialog', { name: 'Choose a size' })
      assert.equal(await sheet.getByRole('button', { name: 'Send' }).isDisabled(), true)
      await checkAccess(page)
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
      assert.equal((await page.locator(':focus').textContent())?.trim(), 'Choose a size')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowDown')
      await sheet.getByRole('button', { name: 'Send' }).click()
      await page.locator('.message.mine', { hasText: 'Medium' }).waitFor()
      assert.deepEqual([last().type, last().content.text], ['interactive', 'Medium'])
    },
    width,
  )

onPhone('WhatsApp’s reply buttons send their title', 'whatsapp', async ({ page, post, last }) => {
  const buttons = ['My order', 'Opening hours'].map((title) => ({
    type: 'reply',
    reply: { id: title, title },
  }))
  const interactive = { type: 'button', body: { text: 'How can we help?' }, action: { buttons } }
  await post(WHATSAPP[0], { type: 'interactive', interactive }, WHATSAPP[1])
  await page.getByRole('button', { name: 'Opening hours' }).click()
  await page.locator('.message.mine', { hasText: 'Opening hours' }).waitFor()
  assert.equal(last().type, 'interactive')
})

onPhone(
  'a button of Telegram’s keyboard has a spinner until it is answered',
  'telegram',
  async ({ page, post, last }) => {
    const row = ['1', '2', '3'].map((text) => ({ text, callback_data: text }))
    await post(
      '/bot7:token/sendMessage',
      { text: 'How was it?', reply_markup: { inline_keyboard: [row] } },
      '',
    )
    const button = page.getByRole('button', { name: '2', exact: true })
    await button.click()
    await page.locator('.keyboard [aria-busy="true"]', { hasText: '2' }).waitFor()
    assert.equal(last().content.tapped, '2')
    await checkAccess(page)
  },
)

onPhone(
  'Messenger’s quick replies disappear with the tap',
  'messenger',
  async ({ page, post, last }) => {
    const replies = ['My order', 'Opening hours'].map((title) => ({
      content_type: 'text',
      title,
      payload: title,
    }))
    await post(
      '/v25.0/me/messages',
      { message: { text: 'How can we help?', quick_replies: replies } },
      'page',
    )
    await checkAccess(page)
    await page.getByRole('button', { name: 'My order' }).click()
    await page.locator('.message.mine', { hasText: 'My order' }).waitFor()
    await page.getByRole('button', { name: 'Opening hours' }).waitFor({ state: 'detached' })
    await until(() => last().content.text === 'My order', 'the reply')
  },
  390,
)
