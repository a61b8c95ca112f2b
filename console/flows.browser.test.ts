// The demo as people use it: codes from the sandbox's mailbox, a WhatsApp and a Telegram customer, and an agent who may
// only see their own conversations. Runs against its own server, with nothing mocked in the browser.
import assert from 'node:assert/strict'
import { before, test as nodeTest } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { build, launchBrowser, skipBrowser as skip } from '../test/browser.ts'
import {
  atTheEnd,
  call,
  freePort,
  type Running,
  sandboxKeyOf,
  serve,
  temporaryDirectory,
  until,
} from '../test/e2e/foyer.ts'

const waitMaxMs = 45_000
let foyer: Running
let browser: Browser
let token = ''
let sandboxKey = ''

before(async () => {
  if (skip) return
  build()
  foyer = await serve({ DATA_DIR: temporaryDirectory(), DEMO: 'on', PORT: String(await freePort()) })
  token = await until('the token', () => /foyer_[\w-]{43}/.exec(foyer.output())?.[0])
  sandboxKey = await sandboxKeyOf(foyer)
  browser = await launchBrowser()
  atTheEnd(() => browser.close())
})

const test = (name: string, work: () => Promise<void>) => nodeTest(name, { skip }, work)

const ok = async (secret: string | null, method: string, path: string, body?: unknown, headers = {}) => {
  const answer = await call(foyer.url, secret, method, path, body, headers)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
/** The sandbox's controls, for providers and customers. */
const control = (method: string, path: string, body?: unknown) =>
  ok(null, method, `/sandbox/control${path}`, body, { cookie: `foyer_sandbox=${sandboxKey}` })
const api = (method: string, path: string, body?: unknown) => ok(token, method, `/api/v1${path}`, body)

type Person = { id: string; name: string; whatsappId: string }
const personNamed = async (name: string): Promise<Person> =>
  (await control('GET', '/state')).people.find((person: Person) => person.name === name)

/** The newest code in a person's mailbox that is not among `known`. */
const codeFor = async (name: string, known: string[] = []): Promise<string> => {
  const { id } = await personNamed(name)
  return until(`a code for ${name}`, async () => {
    const { mails } = await control('GET', `/people/${id}/mails`)
    const codes = mails.flatMap(({ text }: { text: string }) => /\b\d{6}\b/.exec(text) ?? [])
    return codes.find((code: string) => !known.includes(code))
  })
}

const openPage = async (): Promise<Page> => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  context.setDefaultTimeout(waitMaxMs)
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  return page
}
const problems: string[] = []

const askForCode = async (page: Page, email: string, path = '/inbox/all'): Promise<void> => {
  await page.goto(foyer.url + path)
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
}
const codeField = (page: Page) => page.getByLabel('Six-digit code')
const signIn = async (name: string, email: string): Promise<Page> => {
  const page = await openPage()
  await askForCode(page, email)
  await codeField(page).fill(await codeFor(name))
  await page.waitForURL('**/inbox/all')
  return page
}

const row = (page: Page, name: string) => page.locator('.convo', { hasText: name })
const bubble = (page: Page, text: string) => page.locator('.thread .bubble', { hasText: text })
const composer = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true })
const open = async (page: Page, name: string): Promise<void> => {
  await row(page, name).click()
  await page.locator('.thread .bubble').first().waitFor()
}

let robin: Page

test('an emailed code signs in, typed or pasted, and a wrong one is refused', async () => {
  const page = await openPage()
  await askForCode(page, 'robin@demo.invalid')
  const code = await codeFor('Robin')
  await codeField(page).pressSequentially(code === '111111' ? '222222' : '111111')
  await page.locator('.sign-in [role=alert], .sign-in .banner--danger').waitFor()
  await codeField(page).pressSequentially(code)
  // Entering the code submits the form.
  await page.waitForURL('**/inbox/all')
  await row(page, 'Marcus Webb').waitFor()
  await page.context().close()

  // The link of another site must not decide where the sign-in leads.
  robin = await openPage()
  await askForCode(robin, 'robin@demo.invalid', '/sign-in?to=https://elsewhere.example/')
  const second = await codeFor('Robin', [code])
  await codeField(robin).evaluate(
    (field, text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', text)
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    `Your code: ${second.slice(0, 3)} ${second.slice(3)}\n`,
  )
  await robin.waitForURL('**/inbox/open')
  await robin.goto(`${foyer.url}/inbox/all`)
})

test('a template reaches a WhatsApp customer after the reply window closed, and their answer reopens it', async () => {
  const joana = await personNamed('Joana Prado')
  const whatsapp = `/customers/${joana.whatsappId}`
  await control('POST', `${whatsapp}/messages`, { type: 'text', text: 'Is it in stock?' })
  await open(robin, 'Joana Prado')
  await bubble(robin, 'Is it in stock?').waitFor()
  await robin.getByText('left to reply').waitFor()

  await control('POST', '/advance', { hours: 24 })
  await robin.reload()
  await robin.getByText('The 24-hour reply window is closed').waitFor()
  assert.equal(await composer(robin).count(), 0)
  await robin.keyboard.press('t')
  await robin.getByRole('combobox', { name: 'Templates' }).fill('order_conf')
  await robin.keyboard.press('Enter')
  const dialog = robin.getByRole('dialog', { name: 'order_confirmation' })
  // The first field has focus, and Enter shows which values are missing.
  await dialog.waitFor()
  await robin.keyboard.type('Jo')
  assert.equal(await dialog.getByRole('textbox').first().inputValue(), 'Jo')
  await robin.keyboard.press('Enter')
  await dialog.getByText('Required.').first().waitFor()
  const fields = dialog.getByRole('textbox')
  const values = ['Joana', '1207', 'Monday', '1207', '1207']
  for (let index = 0; index < (await fields.count()); index++) await fields.nth(index).fill(values[index]!)
  await dialog.getByText('Thank you, Joana! Your order 1207 is confirmed').waitFor()
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const sent = robin.locator('.message--ours', { hasText: 'Thank you, Joana!' })
  await sent.locator('.delivery', { hasText: 'Delivered' }).waitFor()
  await control('POST', `${whatsapp}/read`, {})
  await sent.locator('.delivery', { hasText: 'Read' }).waitFor()

  await control('POST', `${whatsapp}/messages`, { type: 'text', text: 'Wonderful' })
  await bubble(robin, 'Wonderful').waitFor()
  await robin.getByText('left to reply').waitFor()
  await composer(robin).fill('See you on Monday')
  await robin.keyboard.press('Enter')
  await robin.locator('.message--ours', { hasText: 'See you on Monday' }).getByText('Delivered').waitFor()
})

test('a rejected WhatsApp message shows the reason, and retrying sends it once', async () => {
  const { whatsappId } = await personNamed('Joana Prado')
  await control('POST', '/faults', {
    kind: 'error',
    code: 131026,
    to: whatsappId,
    operation: 'send',
    times: 1,
  })
  await composer(robin).fill('Shall I wrap it?')
  await robin.keyboard.press('Enter')
  const failure = robin.locator('.failure')
  await failure.waitFor()
  assert.match((await failure.textContent()) ?? '', /Not delivered\. \S.{10,}/)
  await row(robin, 'Joana Prado').getByRole('img', { name: 'Failed' }).waitFor()
  await failure.getByRole('button', { name: 'Try again' }).click()
  await failure.waitFor({ state: 'detached' })
  await robin.locator('.message--ours', { hasText: 'Shall I wrap it?' }).getByText('Delivered').waitFor()
  const { messages } = await control('GET', `/customers/${whatsappId}/messages`)
  const texts = messages.map(({ content }: { content: { text?: string } }) => content.text)
  assert.equal(texts.filter((text: string) => text === 'Shall I wrap it?').length, 1)
  assert.equal(await bubble(robin, 'Shall I wrap it?').count(), 1)
})

test('a reply reaches a Telegram customer, and a conversation marked as unread stays unread', async () => {
  const lena = await personNamed('Lena')
  // In the search field, Enter opens the first result.
  await robin.keyboard.press('Escape')
  await robin.keyboard.press('/')
  await robin.keyboard.type('seconds back')
  await robin.waitForURL('**/inbox/**q=seconds*')
  await row(robin, 'Joana Prado').waitFor({ state: 'detached' })
  await robin.keyboard.press('Enter')
  await robin.locator('.convo:focus').waitFor()
  await robin.keyboard.press('Enter')
  await robin.locator('.thread .bubble', { hasText: 'seconds back' }).waitFor()
  // Changing the search keeps the open conversation open.
  await robin.getByRole('searchbox', { name: 'Search conversations' }).fill('')
  await row(robin, 'Joana Prado').waitFor()
  // Tabs share drafts and outbox: what one tab sends must not be sent again by the other.
  const second = await robin.context().newPage()
  await second.goto(robin.url())
  await composer(second).waitFor()
  await composer(robin).fill('We do, bring it along')
  await until(
    'the draft in both',
    async () => (await composer(second).inputValue()) === 'We do, bring it along',
  )
  await composer(robin).press('Enter')
  await until('the draft gone from both', async () => (await composer(second).inputValue()) === '')
  await second.close()
  await robin.locator('.message--ours', { hasText: 'We do, bring it along' }).getByText('Sent').waitFor()
  const { messages } = await control('GET', `/people/${lena.id}/chats/telegram`)
  assert.equal(messages.at(-1).content.text, 'We do, bring it along')
  await control('POST', `/people/${lena.id}/chats/telegram`, { type: 'text', text: 'On my way' })
  await bubble(robin, 'On my way').waitFor()
  await robin.keyboard.press('Escape')
  await robin.keyboard.press('u')
  await row(robin, 'Lena').getByText('1 unread').waitFor()
  await open(robin, 'Lena')
  await row(robin, 'Lena').getByText('1 unread').waitFor({ state: 'detached' })
})

test('a member with the default role sees only their own conversations, live', async () => {
  await control('POST', '/people', { name: 'Mia', email: 'mia@demo.invalid' })
  const { agent } = await api('POST', '/agents', { email: 'mia@demo.invalid', nickname: 'Mia' })
  const { conversations } = await api('GET', '/conversations?limit=100')
  const idOf = (name: string): string =>
    conversations.find(({ contact }: { contact: { name: string } }) => contact.name === name).id
  const mia = await signIn('Mia', 'mia@demo.invalid')
  await mia.getByText('No conversations yet').waitFor()
  const places = await mia.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()
  for (const hidden of ['Groups', 'Broadcasts'])
    assert.ok(!places.some((place) => place.includes(hidden)), `${hidden} in ${places.join()}`)
  await mia.goto(`${foyer.url}/inbox/all/${idOf('Tom Becker')}`)
  await mia.getByText('Conversation not found').waitFor()

  // Once assigned, it appears and can be replied to; other agents' conversations stay hidden.
  await mia.goto(`${foyer.url}/inbox/all`)
  await mia.getByText('No conversations yet').waitFor()
  await api('POST', `/conversations/${idOf('Aoife Byrne')}/assign`, { agentId: agent.id })
  await open(mia, 'Aoife Byrne')
  await composer(mia).fill('We do logos, too')
  await mia.keyboard.press('Enter')
  await mia.locator('.message--ours', { hasText: 'We do logos, too' }).waitFor()
  await api('POST', `/conversations/${idOf('Tom Becker')}/messages`, { body: 'We do ship to Austria' })
  assert.equal(await mia.locator('.convo').count(), 1)
  await mia.goto(`${foyer.url}/contacts`)
  await mia.getByText('Aoife Byrne').first().waitFor()
  assert.equal(await mia.getByText('Tom Becker').count(), 0)

  // Once unassigned, it disappears from the list and, if open, from the screen.
  await mia.goto(`${foyer.url}/inbox/all/${idOf('Aoife Byrne')}`)
  await bubble(mia, 'We do logos, too').waitFor()
  const { workspaces } = await mia.evaluate(async () => (await fetch('/console/api/session')).json())
  assert.deepEqual(workspaces[0].permissions, [])
  await api('POST', `/conversations/${idOf('Aoife Byrne')}/assign`, { agentId: await adminId() })
  await mia.getByText('Conversation not found').waitFor()
  await row(mia, 'Aoife Byrne').waitFor({ state: 'detached' })

  // Once removed as a member, they see a message and nothing else of the workspace.
  await api('DELETE', `/agents/${agent.id}`)
  await mia.getByText('You’re not in a workspace').waitFor()
  assert.equal(await mia.locator('.convo').count(), 0)
  await mia.context().close()
})

const adminId = async (): Promise<string> =>
  (await api('GET', '/agents')).agents.find(({ role }: { role: string }) => role === 'admin').id

test('no page reported an error during these tests', async () => {
  assert.deepEqual(problems, [])
})
