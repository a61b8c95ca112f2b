// The demo with its sandbox, as a person tries it: both sides in the browser or over HTTP, connected by real channels.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { before, test } from 'node:test'
import { build, launchBrowser, skipBrowser as skip } from '../browser.ts'
import {
  call,
  command,
  freePort,
  makeWorkspace,
  type Running,
  sandboxKeyOf,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'

const env = { DATA_DIR: temporaryDirectory(), DEMO: 'on', PORT: String(await freePort()) }
const CONTROL = '/sandbox/control'
let foyer: Running
let secret = ''
let key = ''

before(async () => {
  build()
  foyer = await serve(env)
  secret = await until('the token', () => /foyer_[\w-]{43}/.exec(foyer.output())?.[0])
  key = await sandboxKeyOf(foyer)
})

const control = async (method: string, path: string, body?: unknown) => {
  const answer = await call(foyer.url, null, method, CONTROL + path, body, { cookie: `foyer_sandbox=${key}` })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const api = (method: string, path: string, body?: unknown) =>
  call(foyer.url, secret, method, `/api/v1${path}`, body)
const conversationsOn = async (channel: string) =>
  (await api('GET', `/conversations?channel=${channel}`)).body.conversations
const personNamed = async (name: string) => {
  const { people } = await control('GET', '/state')
  return people.find((person: { name: string }) => person.name === name)
}

test('a customer writes on the page and gets a reply from the API; a day later only a template can be sent', {
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
      await page.locator('.message.mine', { hasText: text }).waitFor()
    }
    const heard = (text: string) =>
      until(`the inbox to hear "${text}"`, async () =>
        (await conversationsOn('whatsapp')).find(
          ({ lastMessage }: { lastMessage: { body: string } }) => lastMessage.body === text,
        ),
      )
    await page.goto(`${foyer.url}/sandbox/?key=${key}`)
    await page.locator(`[data-person="${id}"]`).click()
    await page.locator('.dock [data-app="whatsapp"]').click()
    await write('And is it dishwasher safe?')
    const conversation = await heard('And is it dishwasher safe?')
    const reply = (body: string) => api('POST', `/conversations/${conversation.id}/messages`, { body })
    assert.equal((await reply('It is, all of it.')).status, 200)
    await page.locator('.message.theirs[data-status="read"]', { hasText: 'It is, all of it.' }).waitFor()

    await page.getByRole('button', { name: '+1 day' }).click()
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
    await page.locator('.message.theirs', { hasText: 'Glad to hear it' }).waitFor()
    assert.deepEqual(faults, [])
  } finally {
    await browser.close()
  }
})

test('email, Telegram, Messenger and SMS reach the inbox as from the real providers', async () => {
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
  const own = (await conversationsOn('email')).filter(
    ({ contact }: { contact: { id: string } }) => contact.id === conversation.contact.id,
  )
  assert.equal(own.length, 1)
})

test('without a mail server, a sign-in code arrives in the sandbox', async () => {
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

/** Sends the path unchanged; fetch would normalise it. */
const ask = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; connection: string | undefined }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(foyer.url)
    request({ hostname, port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      const { connection } = response.headers
      response.on('end', () => resolve({ status: response.statusCode!, text, connection }))
    })
      .on('error', reject)
      .end()
  })

test('the sandbox requires its key, on this machine and behind a proxy', async () => {
  const visitors: Record<string, string>[] = [
    {},
    { host: 'localhost' },
    { 'x-forwarded-for': '127.0.0.1' },
    { cookie: 'foyer_sandbox=guess' },
  ]
  const wrongKey = `/sandbox/?key=${encodeURIComponent('é'.repeat(43))}`
  for (const path of ['/sandbox', '/sandbox/', `${CONTROL}/state`, '/sandbox/?key=guess', wrongKey])
    for (const headers of visitors) assert.equal((await ask('GET', path, headers)).status, 403, path)
})

test('a connection is closed after the response only if the client asks for it', async () => {
  for (const [asked, answered] of [
    ['close', 'close'],
    ['keep-alive', 'keep-alive'],
  ] as const)
    for (const path of ['/sandbox/', `${CONTROL}/state`]) {
      const { status, connection } = await ask('GET', path, {
        cookie: `foyer_sandbox=${key}`,
        connection: asked,
      })
      assert.equal(status, 200)
      assert.equal(connection, answered, path)
    }
})

test("only signed-in members of the demo get the sandbox's URL", async () => {
  const about = await ask('GET', '/console/api/about')
  assert.deepEqual(JSON.parse(about.text), { isDemo: true, sendsMail: true, provider: null })
  const { url } = await command(env, 'sign-in-link', '--email', 'robin@demo.invalid')
  const signIn = async (link: string) =>
    (
      await call(
        foyer.url,
        null,
        'POST',
        '/console/api/sign-in',
        { secret: link.split('#')[1] },
        { 'x-foyer-console': '1' },
      )
    ).body
  assert.equal((await signIn(url)).sandboxUrl, `${foyer.url}/sandbox/?key=${key}`)
  await command(env, 'workspace', 'create', '--name', 'Elsewhere', '--admin', 'kim@elsewhere.example')
  const other = await command(env, 'sign-in-link', '--email', 'kim@elsewhere.example')
  assert.equal((await signIn(other.url)).sandboxUrl, null)
})

test('other sites can’t control it, and only the page’s own requests are forwarded, however the path is written', async () => {
  const cookie = `foyer_sandbox=${key}`
  const own = (method: string, path: string, headers: Record<string, string> = {}) =>
    ask(method, path, { cookie, ...headers })
  assert.equal((await own('GET', `${CONTROL}/state`)).status, 200)
  assert.equal((await own('POST', `${CONTROL}/advance`, { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await own('POST', `${CONTROL}/advance`, { origin: 'https://attacker.example' })).status, 403)
  for (const [method, path] of [
    ['GET', '/control/settings'],
    ['PATCH', '/control/settings'],
    ['PATCH', '/control/connections'],
    ['POST', '/control/numbers'],
    ['GET', '/control/sent'],
    ['GET', '/control/people'],
    ['POST', '/control/customers'],
    ['POST', '/control/webhooks'],
    ['GET', '/v25.0/me'],
  ] as const) {
    const rest = path.slice(1)
    for (const written of [
      path,
      `/.${path}`,
      `/x/..${path}`,
      `/%2e${path}`,
      `/x/%2E%2e${path}`,
      `/${rest.replace('/', '/./')}`,
      `/${rest.replace('/', '//')}`,
      `/${rest.replace('/', '%2F')}`,
      `/${rest.replace('/', '\\')}`,
      `/${rest.replace('e', '%65')}`,
      `${path}#`,
      `${path}%23`,
      `${path}/`,
      `${path};x`,
      `//127.0.0.1${path}`,
      `/control/state/..${path}`,
      `/control/people/..%2f..${path}`,
    ]) {
      const { status } = await own(method, `/sandbox${written}`)
      assert.equal(status, 404, `${method} /sandbox${written}`)
    }
  }
})

test("without SMTP_URL the sandbox gets the codes of the demo's own people only", async () => {
  const robin = await personNamed('Robin')
  const askForCode = async (email: string) => {
    const answer = await call(
      foyer.url,
      null,
      'POST',
      '/console/api/sign-in/code',
      { email },
      { 'x-foyer-console': '1' },
    )
    return { status: answer.status, body: answer.body }
  }
  const real = await makeWorkspace(env, 'Northwind Bikes')
  await call(foyer.url, real.secret, 'POST', '/api/v1/agents', { email: 'jane@northwind.example' })
  const { person: jane } = await control('POST', '/people', { name: 'Jane', email: 'jane@northwind.example' })
  const unknown = await askForCode('nobody@northwind.example')
  assert.deepEqual(await askForCode('jane@northwind.example'), unknown)
  await until('the log to say so', () => foyer.output().includes('a sign-in code was not sent'))

  // A demo user who joins a real workspace could expose that workspace.
  await call(foyer.url, real.secret, 'POST', '/api/v1/agents', { email: robin.email })
  const { mails: before } = await control('GET', `/people/${robin.id}/mails`)
  assert.deepEqual(await askForCode(robin.email), unknown)
  await api('POST', '/agents', { email: 'pat@demo.invalid' })
  const { person: pat } = await control('POST', '/people', { name: 'Pat', email: 'pat@demo.invalid' })
  await askForCode('pat@demo.invalid')
  await until('the code of a person of the demo', async () =>
    (await control('GET', `/people/${pat.id}/mails`)).mails.some(({ subject }: { subject: string }) =>
      /\d{6}/.test(subject),
    ),
  )
  assert.deepEqual((await control('GET', `/people/${jane.id}/mails`)).mails, [])
  assert.deepEqual((await control('GET', `/people/${robin.id}/mails`)).mails, before)
  assert.equal(foyer.output().split('a sign-in code was not sent').length, 2, 'said once')
})

test('after a crash the customers and their conversations are still there and continue', async () => {
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
