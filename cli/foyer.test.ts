import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { findChannelAccountAnywhere, openSecrets } from '../server/domain/channel-accounts/queries.ts'
import { newId } from '../server/platform/db/id.ts'
import { makeDb, makePool } from '../server/platform/db/pool.ts'
import { hashSecret } from '../server/platform/hash-secret.ts'
import { makeSeal } from '../server/platform/seal.ts'
import { urlOf } from '../test/database.ts'
import { makeFactory } from '../test/make.ts'
import { PROGRAM } from '../test/program.ts'

const ROOT = resolve(import.meta.dirname, '..')
const SECRET_KEY = 'k'.repeat(43)
const directory = mkdtempSync(join(tmpdir(), 'foyer-cli-'))
// Run by root, the private PostgreSQL is another user's, who must be able to reach its data in here.
chmodSync(directory, 0o755)

const administer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: urlOf('postgres') })
  await client.connect()
  await client.query(statement)
  await client.end()
}

const database = `foyer_test_${randomBytes(6).toString('hex')}`
await administer(`create database ${database}`)
const settings = { DATABASE_URL: urlOf(database), SECRET_KEY, PUBLIC_URL: 'https://inbox.example.com/' }

type Answer = {
  code: number
  stdout: string
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: each command has a document of its own
  json: any
}

/** Runs the command line in a directory that is not the clone's, with no setting but those given. */
const run = (
  args: string[],
  env: Record<string, string> = settings,
  program = PROGRAM,
  input = '',
): Promise<Answer> =>
  new Promise((done) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { cwd: directory, env: { PATH: process.env.PATH, ...env } },
      (error, stdout, stderr) => {
        const code = error ? Number(error.code) : 0
        done({ code, stdout, stderr, json: code === 0 && stdout.startsWith('{') ? JSON.parse(stdout) : null })
      },
    )
    child.stdin?.end(input)
  })

const succeed = async (args: string[], env?: Record<string, string>) => {
  const { code, stdout, stderr, json } = await run(args, env)
  assert.equal(code, 0, stderr)
  assert.equal(stderr, '')
  assert.equal(stdout, `${JSON.stringify(json)}\n`)
  return json
}

const fail = async (code: number, args: string[], env?: Record<string, string>): Promise<string> => {
  const answer = await run(args, env)
  assert.equal(answer.code, code, answer.stderr)
  assert.equal(answer.stdout, '')
  assert.match(answer.stderr, /^[^\n]+\n$/)
  return answer.stderr.trim()
}

const migrated = await succeed(['migrate'])
const pool = makePool({ connectionString: settings.DATABASE_URL, max: 2 })
const db = makeDb(pool)
const { workspace, admin } = await succeed([
  'workspace',
  'create',
  '--name',
  'Northwind Bikes',
  '--admin',
  'Jane@Example.com',
])

after(async () => {
  await pool.end()
  await administer(`drop database ${database} with (force)`)
  rmSync(directory, { recursive: true, force: true })
})

test('a channel can be added in a database that no server has used yet', async () => {
  const name = `foyer_test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name}`)
  try {
    const fresh = { ...settings, DATABASE_URL: urlOf(name) }
    const created = await succeed(
      ['workspace', 'create', '--name', 'Fresh', '--admin', 'sam@example.com'],
      fresh,
    )
    const [channel, flags] = ['whatsapp', kinds.whatsapp!.flags]
    const added = await succeed(
      ['channel', 'add', channel, '--workspace', created.workspace.id, ...flags],
      fresh,
    )
    assert.equal(added.channel.channel, channel)
  } finally {
    await administer(`drop database ${name} with (force)`)
  }
})

test('migrate updates an empty database and lists the migrations it applied', async () => {
  assert.equal(migrated.applied[0], '0001_initial.sql')
  assert.deepEqual(await succeed(['migrate']), { applied: [] })
})

test('a created workspace has its admin and its role for agents', async () => {
  assert.deepEqual(Object.keys(workspace), ['id', 'name'])
  assert.equal(workspace.name, 'Northwind Bikes')
  assert.deepEqual({ ...admin, id: '' }, { id: '', email: 'jane@example.com', nickname: 'jane' })
  const members = await db.selectFrom('memberships').select(['account_id', 'role']).execute()
  assert.deepEqual(members, [{ account_id: admin.id, role: 'admin' }])
  const roles = await db.selectFrom('roles').select(['name', 'permissions', 'is_default']).execute()
  assert.deepEqual(roles, [{ name: 'Agent', permissions: [], is_default: true }])
})

test('a token is shown once when it is created, and revoked by its id', async () => {
  const { token, secret } = await succeed(['token', 'create', '--workspace', workspace.id, '--name', 'CRM'])
  assert.equal(token.name, 'CRM')
  assert.equal(token.prefix, secret.slice(0, 12))
  assert.deepEqual([token.scopes, token.channels, token.expiresAt], [['full'], null, null])
  const row = () =>
    db
      .selectFrom('api_tokens')
      .select(['hash', 'revoked_at'])
      .where('id', '=', token.id)
      .executeTakeFirstOrThrow()
  assert.deepEqual(await row(), { hash: hashSecret(secret), revoked_at: null })
  await succeed(['token', 'revoke', token.id])
  assert.ok((await row()).revoked_at)
})

test('a sign-in link carries a secret of which only the hash is kept, for fifteen minutes', async () => {
  const { url } = await succeed(['sign-in-link', '--email', 'JANE@example.com'])
  const [, secret] = /^https:\/\/inbox\.example\.com\/sign-in#([A-Za-z0-9_-]{43})$/.exec(url) ?? []
  assert.ok(secret)
  const row = await db
    .selectFrom('sign_in_secrets')
    .selectAll()
    .where('hash', '=', hashSecret(secret))
    .executeTakeFirstOrThrow()
  assert.equal(row.account_id, admin.id)
  assert.deepEqual([row.used_at, row.made_by], [null, 'operator'])
  assert.equal(Date.parse(row.expires_at) - Date.parse(row.created_at), 15 * 60_000)
})

test('the passkeys of a person are reset, and their sign-ins end', async () => {
  const at = new Date()
  await db
    .insertInto('passkeys')
    .values({
      account_id: admin.id,
      id: newId(),
      credential_id: 'credential',
      public_key: Buffer.of(1),
      counter: 0,
      transports: [],
      name: 'Laptop',
      created_at: at,
    })
    .execute()
  const session = { hash: hashSecret('session'), account_id: admin.id, created_at: at, seen_at: at }
  await db.insertInto('sessions').values(session).execute()
  assert.deepEqual(await succeed(['passkeys', 'reset', '--email', 'jane@example.com']), {
    removed: 1,
    signInsEnded: 1,
  })
  for (const table of ['passkeys', 'sessions'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [])
})

const credentials = {
  'access-token': 'EAAG-access',
  'app-secret': 'app-secret-1',
  'verify-token': 'verify-1',
}
const flagsOf = (flags: Record<string, string>) =>
  Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])

const kinds: Record<string, { flags: string[]; address: string | null; settings: object; secrets: object }> =
  {
    whatsapp: {
      flags: flagsOf({
        'phone-number': '+1 (555) 010-0199',
        'phone-number-id': '1098',
        'business-account-id': '2087',
        ...credentials,
        'api-url': 'http://127.0.0.1:9000/graph/',
      }),
      address: '+15550100199',
      settings: {
        phoneNumberId: '1098',
        businessAccountId: '2087',
        apiUrl: 'http://127.0.0.1:9000/graph',
        messagesPerSecond: 80,
      },
      secrets: { accessToken: 'EAAG-access', appSecret: 'app-secret-1', verifyToken: 'verify-1' },
    },
    email: {
      flags: flagsOf({
        address: 'Support@Example.com',
        'smtp-url': 'smtp://user:p%40ss@127.0.0.1:2525',
        'inbound-secret': 'inbound-1',
      }),
      address: 'support@example.com',
      settings: {},
      secrets: { smtpUrl: 'smtp://user:p%40ss@127.0.0.1:2525', inboundSecret: 'inbound-1' },
    },
    web: {
      flags: flagsOf({ name: 'Shop' }).concat([
        '--allowed-origin',
        'https://Shop.example.com',
        '--allowed-origin',
        'http://localhost:3000/',
      ]),
      address: null,
      settings: { allowedOrigins: ['https://shop.example.com', 'http://localhost:3000'] },
      secrets: {},
    },
    telegram: {
      flags: flagsOf({ 'bot-token': '12:AB', 'webhook-secret': 'hook-1' }),
      address: null,
      settings: { apiUrl: null },
      secrets: { botToken: '12:AB', webhookSecret: 'hook-1' },
    },
    facebook: {
      flags: flagsOf({ 'page-id': '77', ...credentials }),
      address: '77',
      settings: { pageId: '77', apiUrl: null },
      secrets: { accessToken: 'EAAG-access', appSecret: 'app-secret-1', verifyToken: 'verify-1' },
    },
    sms: {
      flags: flagsOf({ 'phone-number': '+15550100177', 'account-sid': 'AC1', 'auth-token': 'auth-1' }),
      address: '+15550100177',
      settings: { accountSid: 'AC1', apiUrl: null },
      secrets: { authToken: 'auth-1' },
    },
  }

for (const [kind, expected] of Object.entries(kinds))
  test(`a ${kind} channel is added with its secrets sealed, and says where it is reached`, async () => {
    const { channel } = await succeed([
      'channel',
      'add',
      kind,
      '--workspace',
      workspace.id,
      ...expected.flags,
    ])
    const path = kind === 'web' ? '/widget/' : `/webhooks/${kind}/`
    assert.deepEqual(channel, {
      id: channel.id,
      channel: kind,
      webhookUrl: `https://inbox.example.com${path}${channel.id}`,
    })
    const account = await findChannelAccountAnywhere(db, kind as 'web', channel.id)
    assert.ok(account)
    assert.equal(account.workspaceId, workspace.id)
    assert.equal(account.address, expected.address)
    assert.deepEqual(account.settings, expected.settings)
    assert.deepEqual(openSecrets(makeSeal(SECRET_KEY), account), expected.secrets)
    for (const value of Object.values(expected.secrets)) assert.ok(!account.secrets?.includes(value))
    assert.equal(await findChannelAccountAnywhere(db, kind === 'web' ? 'sms' : 'web', channel.id), undefined)
  })

test('a channel is removed, and its conversations only with the right word', async () => {
  const { channel } = await succeed(['channel', 'add', 'web', '--workspace', workspace.id])
  const remove = ['channel', 'remove', '--workspace', workspace.id, '--channel', channel.id]
  const { stderr, code } = await run([...remove, '--conversations', 'all'])
  assert.deepEqual([code, /keep or delete/.test(stderr)], [2, true])
  assert.deepEqual(await succeed(remove), { channel: { id: channel.id }, notice: null })
  assert.equal(await findChannelAccountAnywhere(db, 'web', channel.id), undefined)
})

test('the AI agent is switched on and off', async () => {
  const role = async () =>
    (
      await db
        .selectFrom('memberships')
        .select(['removed_at'])
        .where('role', '=', 'ai')
        .where('workspace_id', '=', workspace.id)
        .executeTakeFirst()
    )?.removed_at
  const { ai } = await succeed(['ai', 'enable', '--workspace', workspace.id])
  assert.equal(ai.isEnabled, true)
  assert.equal(await role(), null)
  const flags = ['--workspace', workspace.id]
  const stopped = await succeed(['ai', 'stop', ...flags])
  assert.deepEqual(stopped, { workspaces: [workspace.id], isStopped: true })
  const everywhere = await succeed(['ai', 'start'])
  assert.ok(everywhere.workspaces.includes(workspace.id))
  assert.deepEqual(await db.selectFrom('ai_settings').select('is_stopped as is').distinct().execute(), [
    { is: false },
  ])
  assert.match(await fail(1, ['ai', 'stop', '--workspace', 'nowhere']), /^--workspace /)
  assert.equal((await succeed(['ai', 'disable', '--workspace', workspace.id])).ai.isEnabled, false)
  assert.ok(await role())
})

test('a model is connected with a key that is on no command line, and disconnected', async () => {
  const flags = ['--workspace', workspace.id]
  const set = [
    ...['ai', 'provider', 'set', ...flags, '--kind', 'messages', '--model', 'm'],
    ...['--base-url', 'http://127.0.0.1:11434', '--input-price', '2.50', '--output-price', '10'],
  ]
  assert.match(await fail(1, set), /^--base-url must begin with https/)
  const env = { ...settings, OUTBOUND_ALLOW: '127.0.0.1:11434' }
  const key = async (): Promise<string | null> => {
    const row = await db.selectFrom('ai_providers').select('key').executeTakeFirstOrThrow()
    return (
      row.key &&
      makeSeal(SECRET_KEY).open(row.key, { workspaceId: workspace.id, id: 'http://127.0.0.1:11434' })
    )
  }
  const { provider } = await succeed(set, { ...env, FOYER_MODEL_KEY: 'sk-from-environment' })
  assert.deepEqual(provider.prices, { input: 2_500_000, cached: 2_500_000, output: 10_000_000 })
  assert.equal(await key(), 'sk-from-environment')
  await succeed(set, env)
  assert.equal(await key(), 'sk-from-environment')
  const piped = await run([...set, '--key-stdin'], env, PROGRAM, 'sk-from-a-pipe\n')
  assert.equal(piped.code, 0, piped.stderr)
  assert.equal(await key(), 'sk-from-a-pipe')
  assert.ok(!piped.stdout.includes('sk-from'))
  await succeed([...set, '--no-key'], env)
  assert.equal(await key(), null)
  assert.match(await fail(2, [...set, '--no-key', '--key-stdin']), /exclude each other/)
  assert.match(await fail(2, [...set, '--key-stdin']), /no key on standard input/)
  assert.match(await fail(2, [...set, '--cached-price', 'cheap']), /^--cached-price must be a price/)
  // Without the exception, no request is made.
  const checked = await succeed(['ai', 'provider', 'check', ...flags])
  assert.equal(checked.provider.check.isUsable, false)
  assert.deepEqual(await succeed(['ai', 'provider', 'remove', ...flags]), { success: true })
  assert.match(await fail(1, ['ai', 'provider', 'remove', ...flags]), /^No model is connected/)
})

test('a tag is created in the workspace', async () => {
  const flags = ['--workspace', workspace.id, '--name', 'VIP', '--color', '#2F80ED']
  const { tag } = await succeed(['tag', 'create', ...flags])
  assert.deepEqual(tag, { id: tag.id, name: 'VIP', color: '#2f80ed' })
  assert.match(await fail(1, ['tag', 'create', ...flags]), /^--name /)
})

test('leftovers are listed, and stored by a replay once nothing is in the way', async () => {
  const flags = ['--workspace', workspace.id]
  const { channel } = await succeed([
    ...[
      'channel',
      'add',
      'whatsapp',
      ...flags,
      '--phone-number',
      '+15550783999',
      '--phone-number-id',
      '1065403',
    ],
    ...['--business-account-id', '1022', '--access-token', 'EAA', '--app-secret', 's', '--verify-token', 'v'],
  ])
  const raw = JSON.stringify({
    type: 'message',
    source: { field: 'messages', businessAccountId: null, phoneNumberId: '1065403', displayPhone: null },
    sentAt: '2026-01-01T00:00:00.000Z',
    externalId: 'wamid.kept',
    from: {
      userId: null,
      parentUserId: null,
      waId: '16505551234',
      phone: '+16505551234',
      name: 'Ines',
      username: null,
    },
    content: {
      ...{ kind: 'text', body: 'Kept', media: null, location: null, contacts: [], choice: null, order: null },
      ...{ failure: null, raw: null },
    },
    ...{ quote: null, referral: null, groupId: null },
  })
  await db
    .insertInto('webhook_leftovers')
    .values(
      [
        { raw, reason: 'failed', replay: 'item' as const },
        { raw: 'nothing', reason: 'field', replay: null },
      ].map((row, index) => ({
        ...row,
        workspace_id: workspace.id,
        channel_account_id: channel.id,
        hash: Buffer.alloc(32, index),
        created_at: new Date(),
      })),
    )
    .execute()
  const { leftovers, total } = await succeed(['leftovers', 'list', ...flags])
  assert.deepEqual([leftovers.length, total], [2, 2])
  assert.deepEqual(await succeed(['leftovers', 'replay', ...flags]), { stored: 1, failed: 0 })
  assert.deepEqual(await succeed(['leftovers', 'replay', ...flags]), { stored: 0, failed: 0 })
  const { body } = await db
    .selectFrom('messages')
    .select('body')
    .where('external_id', '=', 'wamid.kept')
    .executeTakeFirstOrThrow()
  assert.equal(body, 'Kept')
})

test('a contact group is created with its members, and a foreign contact is named', async () => {
  const { id: member } = await makeFactory(db, () => new Date()).contact(workspace.id)
  const foreign = newId()
  const flags = ['--workspace', workspace.id, '--name', 'Regulars', '--contact', member]
  const { group } = await succeed(['group', 'create', ...flags, '--description', 'Every week'])
  assert.equal(group.description, 'Every week')
  assert.deepEqual(
    group.members.map(({ id }: { id: string }) => id),
    [member],
  )
  assert.equal(
    await fail(1, ['group', 'create', ...flags, '--contact', foreign]),
    `--contact ${foreign} is not a contact of this workspace`,
  )
})

test('workspaces, members, tokens, channels, tags and groups are listed with their ids, and no secret', async () => {
  const other = await makeFactory(db, () => new Date()).workspace({ name: 'Someone else’s' })
  const { token, secret } = await succeed([
    'token',
    'create',
    '--workspace',
    workspace.id,
    '--name',
    'Listed',
  ])
  const { channel } = await succeed([
    'channel',
    'add',
    'web',
    '--workspace',
    workspace.id,
    '--name',
    'Listed',
  ])
  const [{ workspaces }, ...lists] = await Promise.all([
    succeed(['workspace', 'list']),
    ...['member', 'token', 'channel', 'tag', 'group'].map((noun) =>
      succeed([noun, 'list', '--workspace', workspace.id]),
    ),
  ])
  const ids = workspaces.map(({ id }: { id: string }) => id)
  assert.ok(ids.includes(workspace.id) && ids.includes(other.id))
  const [{ members }, { tokens }, { channels }, { tags }, { groups }] = lists
  assert.ok(members.some(({ id }: { id: string }) => id === admin.id))
  assert.ok(tokens.some(({ id }: { id: string }) => id === token.id))
  assert.ok(channels.some(({ id }: { id: string }) => id === channel.id))
  assert.ok(Array.isArray(tags) && Array.isArray(groups))
  const text = JSON.stringify(lists)
  assert.ok(!text.includes(secret.slice(12)) && !text.includes(other.tokenId))
})

test('help lists the commands, and openapi prints the document, without a database', async () => {
  for (const args of [['help'], ['token', 'create', '--help']]) {
    const { code, stdout, stderr } = await run(args, {})
    assert.equal(code, 0)
    assert.equal(stderr, '')
    assert.match(stdout, /foyer token create --workspace ID --name NAME/)
  }
  assert.equal((await succeed(['openapi'], {})).openapi, '3.1.0')
})

test('invalid usage prints one line with the correct usage and exits with 2', async () => {
  const cases: [string[], RegExp][] = [
    [[], /foyer help/],
    [['tokens'], /Unknown command "foyer tokens".*foyer help/],
    [['token'], /foyer token create, foyer token rotate, foyer token revoke/],
    [['channel', 'add', 'fax', '--workspace', 'x'], /foyer channel add whatsapp/],
    [['workspace', 'create', '--name', 'X'], /^Missing --admin\. Usage: foyer workspace create --name NAME/],
    [['workspace', 'create', '--name', 'X', '--admin'], /^--admin needs a value/],
    [['token', 'create', '--nmae', 'X'], /^Unknown flag --nmae for "foyer token create"/],
    [['token', 'create', '--name', '-x'], /--name=VALUE/],
    [['token', 'revoke'], /^Missing ID/],
    [['token', 'revoke', 'a', 'b'], /^Unexpected argument "b"/],
    [['serve', '--role', 'all-of-it'], /^--role must be one of all, api, worker/],
  ]
  for (const [args, message] of cases) assert.match(await fail(2, args), message)
})

test('a failed command prints the reason in one line and exits with 1', async () => {
  const unreachable = { ...settings, DATABASE_URL: 'postgres://foyer:hunter2@127.0.0.1:1/foyer' }
  const cases: [string[], RegExp, Record<string, string>?][] = [
    [
      ['workspace', 'create', '--name', ' ', '--admin', 'x'],
      /^--name must not be empty; --admin must be an email/,
    ],
    [['workspace', 'create', '--name', 'X', '--admin', 'ai@agents.invalid'], /AI agent/],
    [
      ['token', 'create', '--workspace', newId(), '--name', 'X'],
      /^--workspace is not the id of a workspace$/,
    ],
    [['token', 'revoke', newId()], /^There is no token/],
    [['sign-in-link', '--email', 'nobody@example.com'], /^--email does not belong to a member/],
    [['passkeys', 'reset', '--email', 'nobody@example.com'], /^--email does not belong to any account/],
    [
      [
        'channel',
        'add',
        'sms',
        '--workspace',
        workspace.id,
        '--phone-number',
        '0155',
        '--account-sid',
        'A',
      ].concat('--auth-token=-x', '--api-url=ftp://x'),
      /^--phone-number must be a phone number in E\.164.*; --api-url must be a URL/,
    ],
    [
      ['channel', 'add', 'web', '--workspace', workspace.id, '--allowed-origin', 'https://a.example/shop'],
      /^--allowed-origin must be an origin/,
    ],
    [['migrate'], /PORT must be a port number/, { ...settings, PORT: 'x' }],
    [['migrate'], /SECRET_KEY is required/, { DATABASE_URL: settings.DATABASE_URL }],
    [['migrate'], /^The database.*cannot be reached/, unreachable],
  ]
  for (const [args, message, env] of cases) {
    const line = await fail(1, args, env)
    assert.match(line, message)
    assert.ok(!line.includes('hunter2'))
  }
})

test('.env beside package.json provides settings that the environment does not', async () => {
  const clone = join(directory, 'clone')
  for (const part of ['dist/program', 'migrations', 'package.json'])
    cpSync(join(ROOT, part), join(clone, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  writeFileSync(
    join(clone, '.env'),
    `DATABASE_URL=${settings.DATABASE_URL}\nSECRET_KEY=${SECRET_KEY}\nPUBLIC_URL=https://from-file.example\n`,
  )
  const program = join(clone, 'dist/program/foyer.js')
  const link = ['sign-in-link', '--email', 'jane@example.com']
  assert.match((await run(link, {}, program)).json.url, /^https:\/\/from-file\.example\//)
  const env = { PUBLIC_URL: 'https://from-environment.example' }
  assert.match((await run(link, env, program)).json.url, /^https:\/\/from-environment\.example\//)
})

test('without DATABASE_URL commands share the private database, and a key is made for it', async () => {
  const dataDir = join(directory, 'data')
  const env = { DATA_DIR: dataDir }
  const created = await Promise.all(
    ['One', 'Two'].map((name) =>
      succeed(['workspace', 'create', '--name', name, '--admin', 'jane@example.com'], env),
    ),
  )
  assert.equal(created[0].admin.id, created[1].admin.id)
  const { channel } = await succeed(
    ['channel', 'add', 'telegram', '--workspace', created[0].workspace.id, ...kinds.telegram!.flags],
    env,
  )
  assert.equal(channel.webhookUrl, `http://127.0.0.1:8080/webhooks/telegram/${channel.id}`)
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
})

test('a token is created with limits and rotated from the command line', async () => {
  const limits = [
    '--scope',
    'contacts:write',
    '--channel',
    'email',
    '--channel',
    'web',
    '--expires',
    '2099-01-31',
  ]
  const { token } = await succeed(
    ['token', 'create', '--workspace', workspace.id, '--name', 'Sync'].concat(
      limits,
      '--allow-address',
      '10.0.0.0/8',
    ),
  )
  assert.deepEqual(token.scopes, ['contacts:read', 'contacts:write'])
  assert.deepEqual(token.channels, ['web', 'email'])
  assert.equal(token.expiresAt, '2099-01-31T00:00:00.000Z')
  assert.deepEqual(token.allowedAddresses, ['10.0.0.0/8'])
  const rotated = await succeed(['token', 'rotate', token.id, '--overlap', '48'])
  assert.notEqual(rotated.token.prefix, token.prefix)
  assert.ok(rotated.token.previousSecretUntil)
})
