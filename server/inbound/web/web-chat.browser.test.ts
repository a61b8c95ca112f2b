// The built widget in a real browser, on a shop's page, against the real server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startApp } from '../../../test/app.ts'
import { build, launchBrowser, skipBrowser as skip } from '../../../test/browser.ts'
import { serveShop } from '../../../test/shop-page.ts'
import { findMessage } from '../../domain/conversations/thread-queries.ts'
import { until } from './testing/visitor.ts'

const { app, call, ctxOf, make } = await startApp({ stream: true })
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
let browser: Browser
let base = ''
const shop = await serveShop(() => ({ base, channelId }))
const channelId = await make.channelAccount(workspace.id, 'web', { settings: { allowedOrigins: [shop] } })

before(async () => {
  if (skip) return
  build()
  browser = await launchBrowser()
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => browser?.close())

const reply = async (conversationId: string, body: string): Promise<string> =>
  (await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, { body })).body.message.id

const newestConversation = async () =>
  (await call(workspace.token, 'GET', '/conversations?limit=1')).body.conversations[0]

test("a customer on a shop's page and the API exchange messages, across a dropped connection and a reload", {
  skip,
}, async () => {
  const page = await browser.newPage()
  const bubble = (text: string) => page.locator('#foyer-chat .bubble', { hasText: text })
  const write = async (text: string) => {
    await page.locator('#foyer-chat textarea').fill(text)
    await page.keyboard.press('Enter')
  }
  await page.goto(shop)
  await page.locator('#foyer-chat .launcher').click()
  await write('Is the blue one in stock?')
  await until(async () => (await newestConversation())?.lastMessage?.body === 'Is the blue one in stock?')
  const { id, contact } = await newestConversation()
  assert.equal(contact.name, 'Ann')

  const answer = await reply(id, 'Yes, three left.')
  await bubble('Yes, three left.').waitFor()
  await until(async () => (await findMessage(ctxOf(workspace.id), answer))?.status === 'read')

  app.server.closeAllConnections()
  await reply(id, 'Said during the cut.')
  await bubble('Said during the cut.').waitFor()

  await page.reload()
  await bubble('Said during the cut.').waitFor()
  await write('Great')
  await until(async () => (await newestConversation()).lastMessage.body === 'Great')
  assert.deepEqual(await page.locator('#foyer-chat .bubble').allTextContents(), [
    'Is the blue one in stock?',
    'Yes, three left.',
    'Said during the cut.',
    'Great',
  ])
  await page.close()
})

test("on another site's page the chat does not connect, and nothing is stored", { skip }, async () => {
  const page = await browser.newPage()
  const refusals: string[] = []
  page.on('response', async (response) => {
    if (response.url().endsWith('/session')) refusals.push((await response.json()).error?.code)
  })
  await page.goto(shop.replace('127.0.0.1', 'localhost'))
  await page.locator('#foyer-chat .launcher').click()
  await until(() => refusals.length > 0)
  assert.deepEqual(refusals, ['ORIGIN_NOT_ALLOWED'])
  await page.close()
})
