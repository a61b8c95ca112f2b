import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { makeTeam } from '../../test/make-team.ts'
import { startSmtp } from '../../test/smtp.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import { recordChannelProblem } from '../domain/channel-accounts/record-channel-problem.ts'
import { removeTeam } from '../domain/teams/teams.ts'
import { json, startProvider } from '../inbound/items/testing/provider.ts'
import { startGraph } from '../inbound/whatsapp/testing/provider.ts'

const NOBODY = 'c000000000000000000000000'
const app = await startApp()
const { clock, ctxOf, db, make, seal } = app
const graph = await startGraph()
const smtp = await startSmtp()
after(() => Promise.all([graph.stop(), smtp.stop()]))

const fresh = async () => {
  const workspace = await make.workspace()
  const admin = await make.agent(workspace.id, { role: 'admin' })
  const { call } = await signIn(app, workspace.id, admin.id)
  const secretsOf = async (id: string) => {
    const account = await findChannelAccount(ctxOf(workspace.id), id)
    return openSecrets(seal, account!) as Record<string, string>
  }
  return { workspace, call, secretsOf }
}
const other = await fresh()
const fieldsOf = (body: { error: { details: { field: string }[] } }) =>
  body.error.details.map(({ field }) => field)

const whatsapp = {
  channel: 'whatsapp',
  phoneNumber: '+1 555 078 3881',
  phoneNumberId: '1065',
  businessAccountId: '1022',
  accessToken: 'EAA-secret',
  appSecret: 'app-secret',
  verifyToken: 'verify-secret',
  apiUrl: graph.url,
}
const email = {
  channel: 'email',
  address: 'Help@example.com',
  smtpUrl: `smtp://127.0.0.1:${smtp.port}`,
  inboundSecret: 'in-secret',
}
const telegram = { channel: 'telegram', botToken: '77:secret', webhookSecret: 'hook-secret' }
const facebook = {
  channel: 'facebook',
  pageId: '501',
  accessToken: 'page-secret',
  appSecret: 'app-secret',
  verifyToken: 'verify-secret',
}
const sms = { channel: 'sms', phoneNumber: '+15550783882', accountSid: 'AC1', authToken: 'sms-secret' }
const web = { channel: 'web', name: 'Shop', allowedOrigins: ['https://shop.example'] }

test('each kind of channel is connected with its own fields, and no response contains a secret', async () => {
  const { call } = await fresh()
  const answers: string[] = []
  for (const [input, expected] of [
    [
      whatsapp,
      { name: '+15550783881', address: '+15550783881', secrets: ['accessToken', 'appSecret', 'verifyToken'] },
    ],
    [email, { name: 'help@example.com', address: 'help@example.com', secrets: ['inboundSecret', 'smtpUrl'] }],
    [
      { ...telegram, name: 'Our bot' },
      { name: 'Our bot', address: null, secrets: ['botToken', 'webhookSecret'] },
    ],
    [facebook, { name: 'Page 501', address: '501', secrets: ['accessToken', 'appSecret', 'verifyToken'] }],
    [sms, { name: '+15550783882', address: '+15550783882', secrets: ['authToken'] }],
    [web, { name: 'Shop', address: null, secrets: [] }],
  ] as const) {
    const { body, status, text } = await call('POST', '/channels', input)
    assert.equal(status, 200, text)
    const { channel } = body
    assert.deepEqual(
      { name: channel.name, address: channel.address, secrets: channel.secretsSet },
      expected as object,
    )
    const path = input.channel === 'web' ? 'widget' : `webhooks/${input.channel}`
    assert.equal(channel.webhookUrl, `http://foyer.test/${path}/${channel.id}`)
    assert.equal(channel.problem, null)
    answers.push(text)
  }
  const list = await call('GET', '/channels')
  assert.equal(list.body.channels.length, 6)
  assert.deepEqual(list.body.channels[5].settings, { allowedOrigins: ['https://shop.example'] })
  assert.equal(list.body.channels[0].settings.messagesPerSecond, 80)
  for (const text of [...answers, list.text]) assert.doesNotMatch(text, /-secret|77:|smtp:/)
  assert.deepEqual((await other.call('GET', '/channels')).body, { channels: [] })
})

test('every invalid field is named, for a new channel and for a change', async () => {
  const { call } = await fresh()
  for (const [input, fields] of [
    [{ channel: 'carrier pigeon' }, ['channel']],
    [{ channel: 'telegram' }, ['botToken', 'webhookSecret']],
    [
      { ...whatsapp, phoneNumber: 'none', messagesPerSecond: 1001, apiUrl: 'ftp://x' },
      ['phoneNumber', 'apiUrl', 'messagesPerSecond'],
    ],
    [{ ...email, address: 'nobody', imapUrl: 'http://x' }, ['address', 'imapUrl']],
    [{ ...web, name: ' ', allowedOrigins: ['https://a.example/path'] }, ['allowedOrigins', 'name']],
    [{ ...web, allowedOrigins: Array.from({ length: 102 }, () => 'https://a.example') }, ['allowedOrigins']],
    [{ ...sms, authToken: { nested: true } }, ['authToken']],
    [{ ...telegram, botToken: '' }, ['botToken']],
  ] as const) {
    const answer = await call('POST', '/channels', input)
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(fieldsOf(answer.body).sort(), [...fields].sort())
  }
  assert.deepEqual((await call('GET', '/channels')).body, { channels: [] })
  const { body } = await call('POST', '/channels', whatsapp)
  const changed = await call('PATCH', `/channels/${body.channel.id}`, {
    accessToken: ' ',
    messagesPerSecond: 0,
    appSecret: null,
  })
  assert.deepEqual(fieldsOf(changed.body).sort(), ['accessToken', 'appSecret', 'messagesPerSecond'])
})

test('a displayed URL contains no user name or password', async () => {
  const { call } = await fresh()
  const { body } = await call('POST', '/channels', telegram)
  const said = 'must not contain a user name or password'
  for (const apiUrl of [
    'https://jane:pw@api.example',
    'https://jane@api.example',
    'http://:pw@api.example/x',
  ])
    for (const answer of [
      await call('POST', '/channels', { ...whatsapp, apiUrl }),
      await call('POST', '/channels', { ...facebook, apiUrl }),
      await call('POST', '/channels', { ...sms, apiUrl }),
      await call('PATCH', `/channels/${body.channel.id}`, { ...telegram, apiUrl }),
    ]) {
      assert.equal(answer.status, 400, answer.text)
      assert.deepEqual(answer.body.error.details, [{ field: 'apiUrl', message: said }])
    }
  const oauth = {
    oauthTokenUrl: 'https://jane:pw@a.example/token',
    oauthClientId: 'a',
    oauthRefreshToken: 'b',
  }
  const { body: refused } = await call('POST', '/channels', { ...email, ...oauth })
  assert.deepEqual(refused.error.details, [{ field: 'oauthTokenUrl', message: said }])
  for (const origin of ['https://jane@shop.example', 'https://:pw@shop.example'])
    assert.deepEqual(fieldsOf((await call('POST', '/channels', { ...web, allowedOrigins: [origin] })).body), [
      'allowedOrigins',
    ])
})

test('an omitted secret stays, a given one replaces it, and null removes an optional one', async () => {
  const { workspace, call, secretsOf } = await fresh()
  const { body } = await call('POST', '/channels', { ...email, imapUrl: 'imaps://me:old@mail.example' })
  const { id } = body.channel
  const path = `/channels/${id}`
  await db
    .updateTable('channel_accounts')
    .set({ settings: JSON.stringify({ written: 'by others' }) })
    .where('workspace_id', '=', workspace.id)
    .where('id', '=', id)
    .execute()
  const renamed = await call('PATCH', path, { name: 'Support' })
  assert.deepEqual([renamed.body.channel.name, renamed.body.channel.address], ['Support', 'help@example.com'])
  assert.deepEqual(renamed.body.channel.settings.written, 'by others')
  const before = await secretsOf(id)
  assert.equal(before.imapUrl, 'imaps://me:old@mail.example')
  const changed = await call('PATCH', path, { imapUrl: 'imaps://me:new@mail.example', inboundSecret: null })
  assert.equal(changed.body.channel.name, 'Support')
  assert.deepEqual(changed.body.channel.secretsSet, ['imapUrl', 'smtpUrl'])
  assert.deepEqual(await secretsOf(id), { smtpUrl: email.smtpUrl, imapUrl: 'imaps://me:new@mail.example' })
  assert.equal((await call('PATCH', path, {})).status, 200)
})

test('pace, allowed origins and the API’s address are changed by themselves', async () => {
  const { call } = await fresh()
  const number = (await call('POST', '/channels', whatsapp)).body.channel
  const { settings, secretsSet } = (
    await call('PATCH', `/channels/${number.id}`, { messagesPerSecond: 250, apiUrl: null })
  ).body.channel
  assert.deepEqual([settings.messagesPerSecond, settings.apiUrl, secretsSet.length], [250, null, 3])
  const site = (await call('POST', '/channels', web)).body.channel
  const origins = async (allowedOrigins: string[] | null) =>
    (await call('PATCH', `/channels/${site.id}`, { allowedOrigins })).body.channel.settings.allowedOrigins
  assert.deepEqual(await origins(['https://a.example', 'HTTPS://A.example:443/']), ['https://a.example'])
  assert.deepEqual((await call('PATCH', `/channels/${site.id}`, { name: 'Web' })).body.channel.settings, {
    allowedOrigins: ['https://a.example'],
  })
  assert.deepEqual(await origins([]), [])
})

test('a new host requires its secrets again in the same change; without them nothing changes', async () => {
  const { call, secretsOf } = await fresh()
  const elsewhere = { apiUrl: 'https://elsewhere.example' }
  const kinds: [fields: Record<string, string>, change: Record<string, string>, again: string[]][] = [
    [{ ...whatsapp, phoneNumberId: '1067', phoneNumber: '+15550783890' }, elsewhere, ['accessToken']],
    [{ ...facebook, pageId: '507' }, elsewhere, ['accessToken']],
    [{ ...telegram, botToken: '79:secret' }, elsewhere, ['botToken', 'webhookSecret']],
    [{ ...sms, phoneNumber: '+15550783891' }, elsewhere, ['authToken']],
  ]
  const oauth = {
    oauthTokenUrl: 'https://id.example/token',
    oauthClientId: 'client',
    oauthClientSecret: 'client-secret',
    oauthRefreshToken: 'refresh-secret',
  }
  const mailbox = { ...email, address: 'again@example.com', imapUrl: 'imaps://me@mail.example', ...oauth }
  kinds.push([mailbox, { smtpUrl: 'smtps://elsewhere.example' }, ['oauthRefreshToken']])
  for (const [fields, change, again] of kinds) {
    const added = await call('POST', '/channels', fields)
    const { id } = added.body.channel
    const before = await secretsOf(id)
    const refused = await call('PATCH', `/channels/${id}`, change)
    assert.equal(refused.status, 400, String(fields.channel))
    assert.deepEqual(fieldsOf(refused.body).sort(), again)
    assert.match(
      refused.body.error.details[0].message,
      /^must be entered again because \w+ changed to another host/,
    )
    assert.deepEqual(await secretsOf(id), before)
    const secrets = Object.fromEntries(again.map((name) => [name, before[name] as string]))
    assert.equal((await call('PATCH', `/channels/${id}`, { ...change, ...secrets })).status, 200)
    // The same host needs nothing; another port or no encryption is another one.
    if (change.apiUrl) {
      assert.equal((await call('PATCH', `/channels/${id}`, { apiUrl: `${change.apiUrl}/v2` })).status, 200)
      for (const apiUrl of ['https://elsewhere.example:8443', 'http://elsewhere.example'])
        assert.equal((await call('PATCH', `/channels/${id}`, { apiUrl })).status, 400)
    } else
      for (const [field, url, wanted] of [
        ['imapUrl', 'imaps://me@elsewhere.example', ['oauthRefreshToken']],
        ['oauthTokenUrl', 'https://elsewhere.example', ['oauthClientSecret', 'oauthRefreshToken']],
      ] as const)
        assert.deepEqual(
          fieldsOf((await call('PATCH', `/channels/${id}`, { [field]: url })).body).sort(),
          wanted,
        )
  }
})

test('the same number, mailbox, page or bot is connected once in a workspace, also by two at the same moment', async () => {
  const { call } = await fresh()
  for (const [input, again, field] of [
    [whatsapp, { phoneNumberId: '9999' }, 'phoneNumber'],
    [email, { address: 'help@EXAMPLE.com' }, 'address'],
    [telegram, { botToken: '77:another' }, 'botToken'],
    [facebook, {}, 'pageId'],
    [sms, {}, 'phoneNumber'],
  ] as const) {
    const both = await Promise.all([call('POST', '/channels', input), call('POST', '/channels', input)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
    const refused = await call('POST', '/channels', { ...input, ...again })
    assert.deepEqual(fieldsOf(refused.body), [field])
    assert.equal((await other.call('POST', '/channels', input)).status, 200)
  }
  const byId = await call('POST', '/channels', { ...whatsapp, phoneNumber: '+15550000000' })
  assert.deepEqual(fieldsOf(byId.body), ['phoneNumberId'])
  const second = await call('POST', '/channels', { ...sms, phoneNumber: '+15550783883' })
  const moved = await call('PATCH', `/channels/${second.body.channel.id}`, { phoneNumber: sms.phoneNumber })
  assert.deepEqual(fieldsOf(moved.body), ['phoneNumber'])
  for (const _ of [1, 2]) assert.equal((await call('POST', '/channels', web)).status, 200)
})

test('the number can be corrected until the first conversation, credentials at any time', async () => {
  const { workspace, call } = await fresh()
  const { id } = (await call('POST', '/channels', whatsapp)).body.channel
  const path = `/channels/${id}`
  const righted = await call('PATCH', path, { phoneNumber: '+15550783889' })
  assert.deepEqual(
    [righted.body.channel.name, righted.body.channel.address],
    ['+15550783889', '+15550783889'],
  )
  await make.conversation(workspace.id, { channel: 'whatsapp', channelAccountId: id })
  const late = await call('PATCH', path, { phoneNumber: '+15550783881', phoneNumberId: '1' })
  assert.deepEqual(fieldsOf(late.body), ['phoneNumber', 'phoneNumberId'])
  assert.equal(
    (await call('PATCH', path, { phoneNumber: '+1 555 078 3889', accessToken: 'new' })).status,
    200,
  )
})

test('a problem is shown with the time since when, which stays while its code does', async () => {
  const { workspace, call } = await fresh()
  const { id } = (await call('POST', '/channels', telegram)).body.channel
  const shown = async () => (await call('GET', '/channels')).body.channels[0].problem
  const at = new Date('2026-11-21T10:00:00Z')
  const note = (minutes: number, code: string, message: string) => {
    const ctx = { ...ctxOf(workspace.id), now: () => new Date(at.getTime() + minutes * 60_000) }
    return recordChannelProblem(ctx, id, { code, message })
  }
  await note(0, 'CREDENTIALS', 'The sign-in is refused.')
  await note(1, 'CREDENTIALS', 'The sign-in is refused: expired.')
  assert.deepEqual(await shown(), {
    code: 'CREDENTIALS',
    message: 'The sign-in is refused: expired.',
    advice: 'Enter the credentials again below, then test the connection.',
    since: '2026-11-21T10:00:00.000Z',
  })
  await note(2, 'LOCKED', 'x'.repeat(1000))
  assert.equal((await shown()).since, '2026-11-21T10:02:00.000Z')
  assert.equal((await shown()).message.length, 300)
  await recordChannelProblem(ctxOf(other.workspace.id), id, null)
  assert.notEqual(await shown(), null)
  await recordChannelProblem(ctxOf(workspace.id), id, null)
  assert.equal(await shown(), null)
})

test('credentials that can no longer be decrypted are a channel problem until they are entered again', async () => {
  const { workspace, call } = await fresh()
  const { id } = (await call('POST', '/channels', telegram)).body.channel
  await db
    .updateTable('channel_accounts')
    .set({ secrets: Buffer.from('not what this server sealed, by far') })
    .where('workspace_id', '=', workspace.id)
    .where('id', '=', id)
    .execute()
  const [channel] = (await call('GET', '/channels')).body.channels
  assert.deepEqual([channel.problem.code, channel.secretsSet], ['SECRETS_SEALED', []])
  const { body } = await call('POST', `/channels/${id}/check`)
  assert.deepEqual([body.ok, body.checks[0].name], [false, 'Credentials'])
  const half = await call('PATCH', `/channels/${id}`, { botToken: '77:new' })
  assert.deepEqual(fieldsOf(half.body), ['webhookSecret'])
  const anew = await call('PATCH', `/channels/${id}`, { botToken: '77:new', webhookSecret: 'hook' })
  assert.deepEqual([anew.status, anew.body.channel?.problem], [200, null])
})

test('a check reports what the provider rejects, and clears the problem if nothing is wrong', async () => {
  const { workspace, call } = await fresh()
  const { id } = (await call('POST', '/channels', whatsapp)).body.channel
  const answer = (status: number, body: object) => {
    graph.answer = (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const check = async () => (await call('POST', `/channels/${id}/check`)).body
  const problem = { code: '190', message: 'The token has expired.' }
  await recordChannelProblem({ ...ctxOf(workspace.id), now: () => clock.now() }, id, problem)
  answer(401, { error: { message: 'no', code: 190 } })
  const refused = await check()
  assert.deepEqual([refused.ok, refused.checks.length, refused.checks[0].ok], [false, 1, false])
  answer(200, { data: [{ id: '1', display_phone_number: '+1 555-078-3881' }] })
  assert.match((await check()).checks[1].message, /no number with this phone number ID/)
  answer(200, { data: [{ id: '1065', display_phone_number: '+1 555-000-0000' }] })
  assert.match((await check()).checks[1].message, /belongs to \+15550000000/)
  answer(200, { data: [{ id: '1065', display_phone_number: '+1 555-078-3881', status: 'BANNED' }] })
  assert.match((await check()).checks[1].message, /banned/)
  assert.equal((await call('GET', '/channels')).body.channels[0].problem.code, '190')
  answer(200, { data: [{ id: '1065', display_phone_number: '+1 555-078-3881', verified_name: 'Northwind' }] })
  const fine = await check()
  assert.deepEqual([fine.ok, fine.checks[1].message], [true, 'Connected as Northwind.'])
  assert.equal((await call('GET', '/channels')).body.channels[0].problem, null)
  assert.ok(!JSON.stringify([refused, fine]).includes('secret'))
})

test('a check of a mailbox covers sending and receiving; web chat needs no provider', async () => {
  const { call } = await fresh()
  const { id } = (await call('POST', '/channels', email)).body.channel
  const check = async (id: string) => (await call('POST', `/channels/${id}/check`)).body
  assert.deepEqual(await check(id), {
    ok: true,
    checks: [
      { name: 'Outgoing mail', ok: true, message: 'Signed in to the mail server.' },
      {
        name: 'Incoming mail',
        ok: true,
        message: 'Your mail server should POST mail to the webhook address with the inbound secret.',
      },
    ],
  })
  await call('PATCH', `/channels/${id}`, {
    smtpUrl: 'smtp://127.0.0.1:9',
    imapUrl: 'imap://me:secret@127.0.0.1:9',
  })
  const { ok, checks } = await check(id)
  assert.equal(ok, false)
  assert.deepEqual(
    checks.map(({ ok }: { ok: boolean }) => ok),
    [false, false],
  )
  assert.ok(!JSON.stringify(checks).includes('secret'))
  const site = (await call('POST', '/channels', web)).body.channel
  assert.equal((await check(site.id)).ok, true)
})

test('the webhook of a bot is set up, and a rejection is reported', async () => {
  const { call } = await fresh()
  const told: Record<string, unknown>[] = []
  const provider = await startProvider((request, response) => {
    const method = request.url.split('/').at(-1)
    if (method === 'setWebhook') told.push(JSON.parse(request.text))
    const { url } = (told.at(-1) ?? {}) as { url?: string }
    if (method === 'setWebhook' && told.length === 1)
      return json(response, { ok: false, error_code: 400, description: 'Bad Request: bad webhook' }, 400)
    json(response, { ok: true, result: method === 'getMe' ? { username: 'kiln_bot' } : { url } })
  })
  const bot = { ...telegram, apiUrl: provider.url }
  const { id, webhookUrl } = (await call('POST', '/channels', bot)).body.channel
  const register = async (id: string) => call('POST', `/channels/${id}/webhook`)
  const refused = (await register(id)).body
  assert.equal(refused.ok, false)
  assert.match(refused.checks[0].message, /bad webhook/)
  assert.deepEqual((await register(id)).body.checks, [
    { name: 'Bot token', ok: true, message: 'Connected to the bot @kiln_bot.' },
    { name: 'Webhook', ok: true, message: 'The bot’s webhook points here.' },
  ])
  assert.deepEqual([told[1]?.url, told[1]?.secret_token], [webhookUrl, 'hook-secret'])
  const site = (await call('POST', '/channels', web)).body.channel
  assert.equal((await register(site.id)).body.ok, false)
})

test('a channel has the team that an admin chose, until the team is removed', async () => {
  const { workspace, call } = await fresh()
  const { id } = (await call('POST', '/channels', web)).body.channel
  const teamId = await makeTeam(app, workspace.id)
  const teamOf = async () => (await call('GET', '/channels')).body.channels[0].teamId
  assert.equal(await teamOf(), null)
  const set = (teamId: string | null) => call('PUT', `/channels/${id}/team`, { teamId })
  assert.equal((await set(teamId)).body.channel.teamId, teamId)
  for (const unknown of [NOBODY, await makeTeam(app, other.workspace.id)])
    assert.equal((await set(unknown)).body.error.code, 'INVALID_TEAM')
  // Other changes keep it.
  await call('PATCH', `/channels/${id}`, { name: 'Store' })
  assert.equal(await teamOf(), teamId)
  assert.equal((await set(null)).body.channel.teamId, null)
  await set(teamId)
  const { entries } = (await call('GET', '/audit-log?action=channel.updated')).body
  assert.deepEqual(entries[0].changes, { team: { from: null, to: 'Support' } })
  await removeTeam(ctxOf(workspace.id), teamId)
  assert.equal(await teamOf(), null)
  assert.equal((await set(teamId)).body.error.code, 'INVALID_TEAM')
})

test('a channel of another workspace is not found and stays unchanged', async () => {
  const { call } = await fresh()
  const foreign = (await other.call('POST', '/channels', web)).body.channel
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'Ours' }],
    ['POST', '/check', undefined],
    ['POST', '/webhook', undefined],
    ['PUT', '/team', { teamId: null }],
  ] as const) {
    const answer = await call(method, `/channels/${foreign.id}${path}`, body)
    assert.equal(answer.status, 404)
    assert.equal(answer.text, (await call(method, `/channels/${NOBODY}${path}`, body)).text)
  }
  const { channels } = (await other.call('GET', '/channels')).body
  assert.deepEqual(
    channels.find(({ id }: { id: string }) => id === foreign.id),
    foreign,
  )
})
