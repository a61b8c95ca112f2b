import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { newId } from '../../platform/db/id.ts'
import { countOpenedConversations, touchActivity } from '../contacts/counters.ts'
import { countryOf, toE164 } from '../contacts/phone.ts'
import { mergeContacts } from './merge-contacts.ts'
import { type ResolveContactInput, resolveContact } from './resolve-contact.ts'

const { ctxOf, db, make } = await startApp()
const workspace = await make.workspace()
const ctx = ctxOf(workspace.id)

const byEmail = (value: string, name: string | null = null): ResolveContactInput => ({
  identity: { kind: 'email', value, verified: true },
  name,
})

const contactsOf = (workspaceId: string) =>
  db.selectFrom('contacts').selectAll().where('workspace_id', '=', workspaceId).execute()

const countsOf = async (workspaceId: string) => {
  const rows = await db
    .selectFrom('contact_counts')
    .select(['kind', 'key', sql<number>`sum(count)::integer`.as('count')])
    .where('workspace_id', '=', workspaceId)
    .groupBy(['kind', 'key'])
    .orderBy('kind')
    .orderBy('key')
    .execute()
  return Object.fromEntries(rows.map(({ kind, key, count }) => [key ? `${kind} ${key}` : kind, count]))
}

test('twenty calls for one unknown person at once make one contact', async () => {
  const own = await make.workspace()
  const calls = Array.from({ length: 20 }, () =>
    resolveContact(ctxOf(own.id), byEmail('same@example.org', 'Same Person')),
  )
  const resolved = await Promise.all(calls)
  assert.equal(new Set(resolved.map(({ id }) => id)).size, 1)
  assert.equal(resolved.filter(({ created }) => created).length, 1)
  assert.equal((await contactsOf(own.id)).length, 1)
  assert.deepEqual(await countsOf(own.id), { total: 1 })
})

test('twenty people at once are counted as twenty', async () => {
  const own = await make.workspace()
  const calls = Array.from({ length: 20 }, (_, n) =>
    resolveContact(ctxOf(own.id), {
      identity: { kind: 'phone', value: `+49301234${String(n).padStart(2, '0')}`, verified: true },
      name: null,
    }),
  )
  await Promise.all(calls)
  assert.deepEqual(await countsOf(own.id), { total: 20, 'country DE': 20 })
})

test('an email finds its contact without regard to case, and changes nothing about them', async () => {
  const first = await resolveContact(ctx, byEmail('Ann@Example.org', 'Ann'))
  const second = await resolveContact(ctx, byEmail(' aNN@example.ORG', 'Somebody else'))
  assert.equal(first.created, true)
  assert.deepEqual(second, { ...first, created: false })
  assert.equal(second.email, 'ann@example.org')
})

test('the name falls back to the email, then the phone, then the identity', async () => {
  assert.equal((await resolveContact(ctx, byEmail('nameless@example.org'))).name, 'nameless@example.org')
  const phone = await resolveContact(ctx, {
    identity: { kind: 'whatsapp_id', value: '4930123456', verified: true },
    name: '  ',
  })
  assert.deepEqual([phone.name, phone.phone], ['+4930123456', '+4930123456'])
  const chat = await resolveContact(ctx, {
    identity: { kind: 'telegram', value: '77', verified: true },
    name: null,
  })
  assert.equal(chat.name, '77')
})

test('a name keeps its first 120 code points', async () => {
  const { name } = await resolveContact(ctx, byEmail('long@example.org', '🙂'.repeat(121)))
  assert.equal(name, '🙂'.repeat(120))
})

test('an email claimed by a visitor finds no contact and takes it from none', async () => {
  const owner = await resolveContact(ctx, byEmail('owner@example.org', 'Owner'))
  const claim = (visitor: string, email: string) =>
    resolveContact(ctx, {
      identity: { kind: 'visitor', value: visitor, verified: true },
      name: 'Visitor',
      email,
    })
  const pretender = await claim('v1', 'owner@example.org')
  assert.notEqual(pretender.id, owner.id)
  assert.equal((await resolveContact(ctx, byEmail('owner@example.org'))).id, owner.id)

  const honest = await claim('v2', 'New@example.org')
  const rightful = await resolveContact(ctx, byEmail('new@example.org'))
  assert.deepEqual([rightful.created, rightful.id === honest.id], [true, false])
  assert.equal((await claim('v2', 'another@example.org')).id, honest.id)
})

test('two workspaces have a contact each for one email', async () => {
  const other = await make.workspace()
  const here = await resolveContact(ctx, byEmail('both@example.org'))
  const there = await resolveContact(ctxOf(other.id), byEmail('both@example.org'))
  assert.equal(there.created, true)
  assert.notEqual(here.id, there.id)
})

test('a failed transaction leaves no contact behind', async () => {
  const own = await make.workspace()
  await assert.rejects(
    inTransaction(ctxOf(own.id), async (ctx) => {
      await resolveContact(ctx, byEmail('gone@example.org'))
      throw new Error('stop')
    }),
    /stop/,
  )
  assert.deepEqual(await contactsOf(own.id), [])
  assert.deepEqual(await countsOf(own.id), {})
})

test('the first conversation on a channel counts in the facet, and channels keep their order', async () => {
  const own = await make.workspace()
  const { id } = await resolveContact(ctxOf(own.id), byEmail('busy@example.org'))
  const opened = () => ({ contactId: id, conversationId: newId(), at: new Date() })
  for (const channel of ['email', 'web', 'email', 'whatsapp'] as const)
    await inTransaction(ctxOf(own.id), (ctx) => countOpenedConversations(ctx, channel, [opened()]))
  await inTransaction(ctxOf(own.id), (ctx) =>
    touchActivity(ctx, { ...opened(), agentId: null, openDelta: 1 }),
  )
  const [contact] = await contactsOf(own.id)
  assert.deepEqual(contact?.channels, ['web', 'whatsapp', 'email'])
  assert.equal(contact?.conversation_count, 4)
  assert.equal(contact?.open_count, 5)
  assert.deepEqual(await countsOf(own.id), {
    'channel email': 1,
    'channel web': 1,
    'channel whatsapp': 1,
    total: 1,
  })
})

test('a channel opened ten times at once counts once', async () => {
  const own = await make.workspace()
  const { id } = await resolveContact(ctxOf(own.id), byEmail('burst@example.org'))
  const opened = { contactId: id, conversationId: newId(), at: new Date() }
  await Promise.all(
    Array.from({ length: 10 }, () =>
      inTransaction(ctxOf(own.id), async (ctx) => {
        await resolveContact(ctx, byEmail('burst@example.org'))
        await countOpenedConversations(ctx, 'web', [opened])
      }),
    ),
  )
  assert.deepEqual(await countsOf(own.id), { 'channel web': 1, total: 1 })
  assert.equal((await contactsOf(own.id))[0]?.open_count, 10)
})

test('a phone gets its country, where several share a code the largest of them', () => {
  const countries = {
    '+4930123456': 'DE',
    '+12015550123': 'US',
    '+14165550123': 'CA',
    '+15550783881': 'US',
    '+447700900123': 'GB',
    '+77012345678': 'KZ',
    '+76123456789': 'RU',
    '+554188887777': 'BR',
    '+80012345678': null,
  }
  for (const [phone, country] of Object.entries(countries)) assert.equal(countryOf(phone), country, phone)
  assert.equal(countryOf(null, 'BR.13491208655302741918'), 'BR')
  assert.equal(countryOf(null, 'nonsense'), null)
})

test('numbers are stored in E.164 however they are written', () => {
  for (const text of ['+49 30 123456', '4930123456', ' +49 (30) 12-34-56 '])
    assert.equal(toE164(text), '+4930123456', text)
  for (const text of ['', 'hello', '12', '+', 'call +4930123456 now', '0301234567', '1'.repeat(60)])
    assert.equal(toE164(text), null, text)
  const startedMs = performance.now()
  for (const part of ['1', '(', ' ', '+', '1-', '1 x', '\u00ad'])
    assert.equal(toE164(`+49${part.repeat(1e5)}`), null)
  assert.ok(performance.now() - startedMs < 100, 'no text takes long')
})

test('a contact is created while a batch that has created others is still open', async () => {
  const own = await make.workspace()
  const create = (name: string) => resolveContact(ctxOf(own.id), byEmail(`${name}@example.org`))
  await Promise.all(['a', 'b'].map(create))
  const begun = Promise.withResolvers<void>()
  const isOver = Promise.withResolvers<void>()
  const batch = inTransaction(ctxOf(own.id), async (ctx) => {
    await resolveContact(ctx, byEmail('batch@example.org'))
    begun.resolve()
    await isOver.promise
  })
  await begun.promise
  // By chance alone, one in eight would wait for it.
  for (let time = 0; time < 40; time++)
    await inTransaction(ctxOf(own.id), async (ctx) => {
      await sql`set local lock_timeout = '1s'`.execute(ctx.db)
      const { id } = await resolveContact(ctx, byEmail(`during-${time}@example.org`))
      await countOpenedConversations(ctx, 'web', [{ contactId: id, conversationId: newId(), at: new Date() }])
    })
  isOver.resolve()
  await batch
  assert.deepEqual(await countsOf(own.id), { 'channel web': 40, total: 43 })
})

test('a merge keeps every detail that only the deleted contact has, whatever columns there are', async () => {
  const kept = await make.contact(workspace.id, { email: null })
  const gone = await make.contact(workspace.id, { email: null })
  // Computed from conversations, of which these have none.
  const computed = ['latest_conversation_id', 'assigned_agent_id', 'last_activity_at']
  const { rows } = await sql<{ name: string; type: string }>`
    select column_name as name, udt_name as type from information_schema.columns
    where table_name = 'contacts' and is_nullable = 'YES' and not column_name = any(${computed})`.execute(db)
  for (const { name, type } of rows) {
    const value =
      name === 'country_iso' ? 'IT' : /^text|^id$/.test(type) ? `its ${name}` : '2026-11-01T08:00:00Z'
    await sql`update contacts set ${sql.ref(name)} = ${value} where id = ${gone.id}`.execute(db)
  }
  await mergeContacts(ctx, kept.id, gone.id)
  const merged = (await contactsOf(workspace.id)).find(({ id }) => id === kept.id)
  assert.ok(merged)
  assert.deepEqual(
    Object.keys(merged)
      .filter((name) => merged[name as keyof typeof merged] === null)
      .sort(),
    computed.sort(),
  )
})
