// The demo with its sandbox, as a person tries it: both sides in the browser or over HTTP, nothing but real channels
// between them.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { build, launchBrowser, skipBrowser as skip } from '../browser.ts'
import { call, freePort, type Running, serve, temporaryDirectory, until } from './foyer.ts'

const env = { DATA_DIR: temporaryDirectory(), DEMO: 'on', PORT: String(await freePort()) }
const CONTROL = '/sandbox/control'
let foyer: Running
let secret = ''

before(async () => {
  build('sandbox/vite.config.ts')
  foyer = await serve(env)
  secret = await until('the token', () => /foyer_[\w-]{43}/.exec(foyer.output())?.[0])
})

const control = async (method: string, path: string, body?: unknown) => {
  const answer = await call(foyer.url, null, method, CONTROL + path, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const api = (method: string, path: string, body?: unknown) =>
  call(foyer.url, secret, method, `/api/v1${path}`, body)
const conversationsOn = async (channel: string) =>
  (await api('GET', `/conversations?channel=${channel}`)).body.conversations
const personNamed = async (name: string) => {
  const { people } = await control('GET', '/people')
  return people.find((person: { name: string }) => person.name === name)
}

test('a customer writes on the page, is answered over the API, and only a template reaches them a day later', {
  skip,
}, async () => {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.setDefaultTimeout(15_000)
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(message))
    const { id, whatsappId } = await personNamed('Joana Prado')
    const write = async (text: string): Promise<void> => {
      await page.getByLabel('Message', { exact: true }).fill(text)
      await page.getByLabel('Message', { exact: true }).press('Enter')
      await page.locator('.row.mine', { hasText: text }).waitFor()
    }
    const heard = (text: string) =>
      until(`the inbox to hear "${text}"`, async () =>
        (await conversationsOn('whatsapp')).find(
          ({ lastMessage }: { lastMessage: { body: string } }) => lastMessage.body === text,
        ),
      )
    await page.goto(`${foyer.url}/sandbox`)
    await page.locator(`[data-person="${id}"]`).click()
    await page.locator('.dock [data-app="whatsapp"]').click()
    await write('And is it dishwasher safe?')
    const conversation = await heard('And is it dishwasher safe?')
    const reply = (body: string) => api('POST', `/conversations/${conversation.id}/messages`, { body })
    assert.equal((await reply('It is, all of it.')).status, 200)
    await page.locator('.row.theirs[data-status="read"]', { hasText: 'It is, all of it.' }).waitFor()

    await page.getByRole('button', { name: 'Let a day pass' }).click()
    await page.getByText('The reply window is closed').waitFor()
    await page.locator('.day', { hasText: 'Yesterday' }).waitFor()
    const late = await reply('One more thing')
    assert.equal(late.body.error.code, 'WHATSAPP_SERVICE_WINDOW_CLOSED')
    const { body } = await api('GET', `/conversations/${conversation.id}/messages`)
    const agoMs = Date.now() - Date.parse(body.messages[0].createdAt)
    assert.ok(agoMs > 23 * 3_600_000, 'the inbox says yesterday, too')

    const sent = await api('POST', '/whatsapp/messages', {
      to: `+${whatsappId}`,
      templateName: 'feedback_request',
      language: 'en_US',
    })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    await page.locator('[data-type="template"]').getByRole('button', { name: 'Great', exact: true }).click()
    await heard('Great')
    assert.equal((await reply('Glad to hear it')).status, 200)
    await page.locator('.row.theirs', { hasText: 'Glad to hear it' }).waitFor()
    assert.deepEqual(faults, [])
  } finally {
    await browser.close()
  }
})

test('mail, Telegram, Messenger and SMS reach the inbox, each as its provider would bring it', async () => {
  const { id } = await personNamed('Marcus Webb')
  for (const app of ['telegram', 'messenger', 'sms'])
    await control('POST', `/people/${id}/chats/${app}`, { type: 'text', text: `Hello by ${app}` })
  await control('POST', `/people/${id}/mails`, { kind: 'mail', subject: 'Shipping', text: 'Hello by mail' })
  for (const [channel, app] of [
    ['telegram', 'telegram'],
    ['facebook', 'messenger'],
    ['sms', 'sms'],
    ['email', 'mail'],
  ])
    await until(`the inbox to hear ${app}`, async () =>
      (await conversationsOn(channel!)).some(
        ({ lastMessage }: { lastMessage: { body: string } }) => lastMessage.body === `Hello by ${app}`,
      ),
    )
  const [conversation] = await conversationsOn('email')
  await api('POST', `/conversations/${conversation.id}/messages`, { body: 'Hello back' })
  const answer = await until('the answer in the mailbox', async () => {
    const { mails } = await control('GET', `/people/${id}/mails`)
    return mails.find(({ direction }: { direction: string }) => direction === 'received')
  })
  assert.equal(answer.subject, 'Re: Shipping')
  await control('POST', `/people/${id}/mails`, { kind: 'mail', replyTo: answer.id, text: 'Thank you' })
  await until('the quote to be told from the answer', async () => {
    const [latest] = (await api('GET', `/conversations/${conversation.id}/messages`)).body.messages
    return latest.body === 'Thank you'
  })
  assert.equal((await conversationsOn('email')).length, 1)
})

test('a sign-in code lands in the sandbox, where no mail server is set up', async () => {
  const { status } = await call(
    foyer.url,
    null,
    'POST',
    '/console/api/sign-in/code',
    { email: 'robin@demo.invalid' },
    { 'x-foyer-console': '1' },
  )
  assert.equal(status, 200)
  const { id } = await personNamed('Robin')
  await until('the code', async () => {
    const { mails } = await control('GET', `/people/${id}/mails`)
    return mails.some(({ text }: { text: string }) => /\b\d{6}\b/.test(text))
  })
})

test('only people on this machine reach it, no other site steers it, and its keys stay with Foyer', async () => {
  const { request } = await import('node:http')
  const ask = (method: string, path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      request(foyer.url + path, { method, headers }, (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
        .on('error', reject)
        .end()
    })
  const state = `${CONTROL}/state`
  assert.equal(await ask('GET', state, {}), 200)
  assert.equal(await ask('GET', state, { host: 'attacker.example' }), 403)
  assert.equal(await ask('GET', '/sandbox/', { host: 'attacker.example' }), 403)
  assert.equal(await ask('GET', state, { 'x-forwarded-for': '203.0.113.7' }), 403)
  assert.equal(await ask('GET', '/sandbox/?key=guess', { host: 'inbox.example' }), 403)
  assert.equal(await ask('POST', `${CONTROL}/advance`, { 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(await ask('POST', `${CONTROL}/advance`, { origin: 'https://attacker.example' }), 403)
  for (const path of ['/settings', '/connections'])
    assert.equal(await ask('PATCH', CONTROL + path, {}), 403, path)
  assert.equal(await ask('GET', '/sandbox/v25.0/me', {}), 404)
  assert.doesNotMatch(JSON.stringify(await control('GET', '/settings')), /EAA/)
})

test('after a crash the same customers are there with what was said, and go on where they were', async () => {
  await foyer.kill()
  foyer = await serve(env)
  const { id, whatsappId, apps } = await personNamed('Joana Prado')
  assert.equal(apps.whatsapp.last.content.text, 'Glad to hear it')
  const { messages } = await control('GET', `/customers/${whatsappId}/messages`)
  assert.equal(new Set(messages.map((message: { id: string }) => message.id)).size, messages.length)
  await control('POST', `/customers/${whatsappId}/messages`, { type: 'text', text: 'Still there?' })
  const conversation = await until('the inbox to hear', async () =>
    (await conversationsOn('whatsapp')).find(
      ({ lastMessage }: { lastMessage: { body: string } }) => lastMessage.body === 'Still there?',
    ),
  )
  await api('POST', `/conversations/${conversation.id}/messages`, { body: 'We are' })
  await until(
    'the phone to show it',
    async () => (await personNamed('Joana Prado')).apps.whatsapp.last.content.text === 'We are',
  )
  assert.equal((await personNamed('Joana Prado')).id, id)
  assert.equal((await foyer.stop()).code, 0)
})
