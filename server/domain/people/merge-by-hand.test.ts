// Two contacts that the team takes for one person: everything moves, and an undo gives everything back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { makeMember, signIn } from '../../../test/console.ts'
import { countOwn } from '../../../test/statements.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { findIdentity } from '../ai/identity/queries.ts'
import { requestErasure } from '../erasures/request-erasure.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { mergeContacts } from './merge-contacts.ts'

const app = await startApp()
const { call, ctxOf, db, make, clock } = app
const workspace = await make.workspace()
const w = workspace.id
const admin = await signIn(app, w, (await make.agent(w, { role: 'admin' })).id)
const site = await make.channelAccount(w, 'web')
const bot = await make.channelAccount(w, 'telegram')
const otherBot = await make.channelAccount(w, 'telegram')

const from = (contactId: string, other: string, take?: string[]) =>
  admin.call('POST', `/contacts/${contactId}/merges`, { contactId: other, take })
const undo = (contactId: string, mergeId: string) =>
  admin.call('POST', `/contacts/${contactId}/merges/${mergeId}/undo`)
const profile = async (id: string) => (await call(workspace.token, 'GET', `/contacts/${id}`)).body.contact

let count = 0
/** Somebody who wrote on the website and by Telegram. `visitor` is what tells their browser. */
const makePerson = async (name: string) => {
  const key = `${name.toLowerCase()}-${++count}`
  const write = (channel: 'web' | 'telegram', body: string, account = bot) =>
    receiveMessage(ctxOf(w), {
      channel,
      channelAccountId: channel === 'web' ? site : account,
      from: {
        identity: {
          kind: channel === 'web' ? 'visitor' : 'telegram',
          value: `${key}-${channel}`,
          verified: true,
        },
        name,
      },
      body,
      externalId: null,
      sentAt: clock.now(),
    })
  const { contactId: id, conversationId } = await write('web', `${name} asks`)
  const email = `${key}@example.org`
  await sql`update contacts set email = ${email}, search_text = ${contactSearchTextOf({ name, email, phone: null, username: null })},
    custom_fields = ${JSON.stringify({ plan: name, [key]: true })}::jsonb where id = ${id}`.execute(db)
  const tagId = await make.tag(w, { name: key })
  const groupId = (await make.group(w, { contactIds: [id] })) as unknown
  await sql`insert into contact_tags (workspace_id, contact_id, tag_id) values (${w}, ${id}, ${tagId})`.execute(
    db,
  )
  await call(workspace.token, 'POST', '/notes', { body: `About ${name}`, conversationId })
  return { id, conversationId, email, tagId, groupId, key, write }
}

/** Everything that says whose it is, without what only says when it last changed. */
const everything = async () => {
  const all: Record<string, unknown> = {}
  for (const [table, columns] of Object.entries({
    contacts: `id, name, email, phone, username, country_iso, avatar_url, custom_fields, channels, conversation_count,
      open_count, assigned_agent_id, opted_out_at, search_text, created_at`,
    identities: 'kind, value, contact_id, verified, confirmed, created_at',
    conversations: 'id, contact_id, status, last_message_sender_id',
    contact_tags: 'contact_id, tag_id',
    contact_group_members: 'group_id, contact_id, added_at',
    notes: 'id, contact_id',
    visitor_blocks: 'kind, value, contact_id',
    contact_search: 'contact_id, text',
  }))
    all[table] = (
      await sql`select ${sql.raw(columns)} from ${sql.table(table)} where workspace_id = ${w} order by ${sql.raw(columns)}`.execute(
        db,
      )
    ).rows
  all.messages = (
    await sql`select id, sender_id from messages where workspace_id = ${w} and sender_type = 'customer' order by id`.execute(
      db,
    )
  ).rows
  all.counts = (
    await sql`select kind, key, sum(count)::integer as count from contact_counts where workspace_id = ${w}
      group by kind, key having sum(count) <> 0 order by 1, 2`.execute(db)
  ).rows
  return all
}

test('a merge moves everything, and takes the values that were chosen', async () => {
  const [kept, gone] = [await makePerson('Ann'), await makePerson('Bea')]
  const { status, body, text } = await from(kept.id, gone.id, ['email', 'customFields.plan'])
  assert.equal(status, 200, text)
  assert.deepEqual([body.merge.contactId, body.merge.name, body.merge.email], [gone.id, 'Bea', gone.email])
  const merged = await profile(kept.id)
  assert.deepEqual([merged.name, merged.email, merged.conversationCount], ['Ann', gone.email, 2])
  assert.deepEqual(merged.customFields, { plan: 'Bea', [kept.key]: true, [gone.key]: true })
  assert.deepEqual(merged.tags.map(({ id }: { id: string }) => id).sort(), [kept.tagId, gone.tagId].sort())
  const missing = await call(workspace.token, 'GET', `/contacts/${gone.id}`)
  assert.equal(missing.body.error.code, 'CONTACT_NOT_FOUND')
  assert.equal((await gone.write('web', 'Again')).contactId, kept.id)
  const { rows } = await sql<{ action: string; actor: string }>`select action, actor from audit_log
    where workspace_id = ${w} and target_id = ${kept.id}`.execute(db)
  assert.deepEqual(rows, [{ action: 'contact.merged', actor: `agent:${admin.accountId}` }])
})

test('an undo restores both exactly', async () => {
  const [kept, gone] = [await makePerson('Cyd'), await makePerson('Dot')]
  await db
    .insertInto('visitor_blocks')
    .values({
      workspace_id: w,
      kind: 'contact',
      value: gone.id,
      contact_id: gone.id,
      blocked_by: 'x',
      created_at: clock.now(),
    })
    .execute()
  const before = await everything()
  const { merge } = (await from(kept.id, gone.id, ['name', 'email'])).body
  assert.equal((await profile(kept.id)).name, 'Dot')
  const answer = await undo(kept.id, merge.id)
  assert.deepEqual([answer.status, answer.body], [200, { contactId: gone.id }])
  assert.deepEqual(await everything(), before)
  const again = await undo(kept.id, merge.id)
  assert.deepEqual([again.status, again.body.error.code], [404, 'MERGE_NOT_FOUND'])
})

test('what came since goes with the identity that it came through, and what was changed since stays', async () => {
  const [kept, gone] = [await makePerson('Eve'), await makePerson('Fay')]
  const { contactId: byBot } = await gone.write('telegram', 'Hello')
  const merge = (await from(kept.id, gone.id)).body.merge
  const second = (await from(kept.id, byBot)).body.merge
  const { conversationId } = await gone.write('telegram', 'To the other bot', otherBot)
  const change = { name: 'Eve Lee', customFields: { [gone.key]: 'kept' } }
  await call(workspace.token, 'PATCH', `/contacts/${kept.id}`, change)
  for (const { id } of [merge, second]) assert.equal((await undo(kept.id, id)).status, 200)
  const { body } = await call(workspace.token, 'GET', `/conversations/${conversationId}`)
  assert.equal(body.conversation.contact.id, byBot)
  const eve = await profile(kept.id)
  assert.deepEqual([eve.name, eve.customFields[gone.key], eve.channels], ['Eve Lee', 'kept', ['web']])
  assert.deepEqual(
    [(await profile(byBot)).channels, (await profile(gone.id)).channels],
    [['telegram'], ['web']],
  )
  assert.equal((await gone.write('web', 'Back')).contactId, gone.id)
})

test('merges in a row can be undone in any order', async () => {
  const [a, b, c] = [await makePerson('Gil'), await makePerson('Hal'), await makePerson('Ida')]
  const first = (await from(a.id, b.id)).body.merge
  const second = (await from(c.id, a.id)).body.merge
  assert.equal((await undo(c.id, first.id)).status, 200)
  assert.equal((await undo(c.id, second.id)).status, 200)
  for (const one of [a, b, c])
    assert.deepEqual(
      (
        await sql`select id from conversations where workspace_id = ${w} and contact_id = ${one.id}`.execute(
          db,
        )
      ).rows,
      [{ id: one.conversationId }],
    )
})

test('what was claimed of either stays a claim, and gives nobody anything', async () => {
  const visitor = await makePerson('Jan')
  const owner = await make.contact(w, { name: 'Jo', email: null })
  const { merge } = (await from(owner.id, visitor.id)).body
  const { email, emailVerified } = await profile(owner.id)
  assert.deepEqual([email, emailVerified], [visitor.email, false])
  const found = await call(
    workspace.token,
    'GET',
    `/contacts/lookup?email=${encodeURIComponent(visitor.email)}`,
  )
  assert.equal(found.status, 404)
  assert.equal(await findIdentity(ctxOf(w), visitor.conversationId), 'claimed')
  assert.equal((await undo(owner.id, merge.id)).status, 200)
})

test('a message that arrives meanwhile is at the survivor, and merges at the same moment lose nothing', async () => {
  const people = await Promise.all(['Kim', 'Lou', 'Max', 'Ned'].map(makePerson))
  const pairs = people.flatMap((one) =>
    people.filter((other) => other !== one).map((other) => [one, other] as const),
  )
  const [answers, messages] = await Promise.all([
    Promise.all(pairs.map(([one, other]) => from(one.id, other.id))),
    Promise.all(people.map(({ write }) => write('web', 'Meanwhile'))),
  ])
  assert.ok(
    answers.every(({ status }) => status === 200 || status === 404),
    answers.map(({ text }) => text).join(),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 3)
  const ids = people.map(({ id }) => id)
  const { rows: left } = await sql<{ id: string; total: number; open: number }>`
    select id, conversation_count as total, open_count as open from contacts where id = any(${ids}::text[])`.execute(
    db,
  )
  assert.equal(left.length, 1)
  assert.deepEqual([left[0]!.total, left[0]!.open], [4, 1])
  const { rows: whose } = await sql`select distinct contact_id as id from conversations
    where id = any(${[...people, ...messages].map(({ conversationId }) => conversationId)}::text[])`.execute(
    db,
  )
  assert.deepEqual(whose, [{ id: left[0]!.id }])
})

test('what is locked during a merge is found afterwards', async () => {
  const [kept, gone] = [await makePerson('Oda'), await makePerson('Pia')]
  const isMerged = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const merging = inTransaction(ctxOf(w), async (ctx) => {
    await mergeContacts(ctx, kept.id, gone.id)
    isMerged.resolve()
    await mayCommit.promise
  })
  await isMerged.promise
  const waiting = [
    call(workspace.token, 'POST', `/conversations/${gone.conversationId}/reopen`),
    gone.write('web', 'Hello?').then(({ contactId }) => ({ status: contactId === kept.id ? 200 : 0 })),
  ]
  await waitForBlocked(2)
  mayCommit.resolve()
  await merging
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200)
})

const waitForBlocked = async (wanted: number): Promise<void> => {
  for (const until = Date.now() + 10_000; Date.now() < until; ) {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if (rows[0]!.count >= wanted) return
  }
  assert.fail('nothing waits')
}

test('a merge and its undo take as many statements for much as for little', async () => {
  const measure = async (extra: number) => {
    const [kept, gone] = [await makePerson('Quin'), await makePerson('Rae')]
    for (let n = 0; n < extra; n++) {
      const email = await make.conversation(w, { contactId: gone.id, channel: 'email' })
      await make.message(w, email)
      await call(workspace.token, 'POST', '/notes', { body: 'More', conversationId: email.id })
    }
    const before = app.database.statements.length
    const { merge } = (await from(kept.id, gone.id)).body
    const merged = app.database.statements.length
    await undo(kept.id, merge.id)
    return [
      countOwn(app.database.statements.slice(before, merged)),
      countOwn(app.database.statements.slice(merged)),
    ]
  }
  await measure(0)
  assert.deepEqual(await measure(5), await measure(0))
})

test('erasing a contact erases what undoing its merges would bring back', async () => {
  const [kept, gone] = [await makePerson('Sue'), await makePerson('Tom')]
  const { merge } = (await from(kept.id, gone.id)).body
  await requestErasure(ctxOf(w), { contactId: kept.id, mode: 'erase' })
  assert.equal((await undo(kept.id, merge.id)).status, 404)
  const { rows } = await sql`select from contact_merges where gone_id = ${gone.id}`.execute(db)
  assert.deepEqual(rows, [])
  const refused = await from((await makePerson('Uma')).id, kept.id)
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONTACT_BEING_DELETED'])
})

test('a merge is undone for 30 days', async () => {
  const [kept, gone] = [await makePerson('Val'), await makePerson('Wes')]
  const { merge } = (await from(kept.id, gone.id)).body
  const { merges } = (await admin.call('GET', `/contacts/${kept.id}/merges`)).body
  assert.deepEqual(merges, [merge])
  await sql`update contact_merges set created_at = created_at - interval '31 days' where id = ${merge.id}`.execute(
    db,
  )
  assert.deepEqual((await admin.call('GET', `/contacts/${kept.id}/merges`)).body.merges, [])
  assert.equal((await undo(kept.id, merge.id)).body.error.code, 'MERGE_NOT_FOUND')
})

test('nobody merges or undoes what they can’t see', async () => {
  const [kept, gone] = [await makePerson('Xan'), await makePerson('Yan')]
  const agent = await signIn(app, w, (await makeMember(app, w, ['manage_contacts'])).id)
  const own = await makePerson('Zoe')
  await sql`update conversations set agent_id = ${agent.accountId} where id = ${own.conversationId}`.execute(
    db,
  )
  const theirs = await make.workspace()
  const foreign = await make.contact(theirs.id)
  const { merge } = (await from(kept.id, gone.id)).body
  const merging = (id: string, contactId: string) =>
    agent.call('POST', `/contacts/${id}/merges`, { contactId })
  const refusals = [
    await merging(own.id, kept.id),
    await merging(kept.id, own.id),
    await merging(own.id, foreign.id),
    await agent.call('POST', `/contacts/${kept.id}/merges/${merge.id}/undo`),
    await from(kept.id, foreign.id),
    await from(foreign.id, kept.id),
  ]
  const nothing = await agent.call('POST', `/contacts/${own.id}/merges`, { contactId: 'nobody' })
  assert.deepEqual([nothing.status, nothing.body.error.code], [404, 'CONTACT_NOT_FOUND'])
  for (const refused of refusals) assert.equal(refused.text, nothing.text)
  assert.equal((await from(kept.id, kept.id)).body.error.code, 'VALIDATION_ERROR')
})

test('the team’s email and number identify a contact, and say who has them already', async () => {
  const visitor = await makePerson('Ada')
  const set = (id: string, body: object, caller = admin) =>
    caller.call('PATCH', `/contacts/${id}/addresses`, body)
  const { status, body } = await set(visitor.id, {
    email: visitor.email.toUpperCase(),
    phone: '+39 312 765 4321',
  })
  assert.equal(status, 200)
  assert.deepEqual(
    [body.contact.email, body.contact.emailVerified, body.contact.phone, body.contact.countryIso],
    [visitor.email, true, '+393127654321', 'IT'],
  )
  const other = await makePerson('Bob')
  const taken = await set(other.id, { email: visitor.email, phone: '+393127654321' })
  assert.deepEqual(taken.body.error.details, [
    { field: 'email', message: `belongs to contact ${visitor.id}` },
    { field: 'phone', message: `belongs to contact ${visitor.id}` },
  ])
  const agent = await signIn(app, w, (await makeMember(app, w, ['manage_contacts'])).id)
  await sql`update conversations set agent_id = ${agent.accountId} where id = ${other.conversationId}`.execute(
    db,
  )
  const hidden = await set(other.id, { email: visitor.email }, agent)
  assert.equal(hidden.status, 409)
  assert.ok(!hidden.text.includes(visitor.id))
  assert.equal((await set(visitor.id, { email: null, phone: null })).body.contact.email, null)
  assert.equal((await set(other.id, { email: visitor.email })).body.contact.emailVerified, true)
  assert.equal((await set(other.id, { phone: 'x' })).body.error.code, 'VALIDATION_ERROR')
})
