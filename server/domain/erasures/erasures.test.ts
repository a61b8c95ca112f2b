// Erasing a person leaves nothing that says who they were or what was said: every table of the database is looked at.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { makeErasure } from '../../../test/make-erasure.ts'
import { newId } from '../../platform/db/id.ts'
import { fileKey, MissingFileError } from '../../platform/files/store.ts'
import { createToken } from '../tokens/tokens.ts'
import { withoutErased } from './erased-identities.ts'
import { deleteOldIdentities } from './queries.ts'
import { runErasure } from './run-erasure.ts'

const app = await startApp()
const { call, ctxOf, db, make } = app
const mine = await make.workspace({ name: 'Acme' })
const theirs = await make.workspace({ name: 'Other' })

const EMAIL = 'zebulon.quimby@example.com'
const PHONE = '+351911222333'
const HANDLE = 'zebquimby77'
const NAME = 'Zebulon Quimby'
const WORDS = `Marmalade for ${NAME}, ${EMAIL}, ${PHONE}, ${HANDLE}`
/** What must not be found; the digits also without the plus. */
const SECRETS = ['zebulon', 'quimby', 'marmalade', '911222333', HANDLE]

type Column = { name: string; type: string; isNullable: boolean; hasDefault: boolean }

const columnsOf = async (table: string): Promise<Column[]> => {
  const { rows } = await sql<Column>`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as "isNullable",
      a.atthasdef or a.attidentity <> '' or a.attgenerated <> '' as "hasDefault"
    from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped`.execute(
    db,
  )
  return rows
}

const FILLINGS: Record<string, unknown> = {
  text: 'x',
  id: 'c00000000000000000000nobody'.slice(0, 25),
  jsonb: '{}',
  json: '{}',
  integer: 1,
  bigint: 1,
  smallint: 1,
  boolean: false,
  bytea: Buffer.from('x'),
  'text[]': [],
  real: 1,
}

/** Inserts a row; whatever else the table requires is filled in. */
const put = async (table: string, given: Record<string, unknown>): Promise<string> => {
  const row: Record<string, unknown> = { ...given }
  for (const { name, type, isNullable, hasDefault } of await columnsOf(table)) {
    if (name in row || (name !== 'workspace_id' && (isNullable || hasDefault))) continue
    if (name === 'workspace_id') row[name] = mine.id
    else if (name === 'id') row[name] = type === 'bigint' ? 1 : newId()
    else row[name] = type in FILLINGS ? FILLINGS[type] : new Date()
  }
  await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((key) => sql.ref(key)))})
    values (${sql.join(Object.values(row))})`.execute(db)
  return String(row.id)
}

const tables = async (): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') order by 1`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}

/** The tables in which one of the secrets is, as text or as bytes, in rows of a workspace. */
const tracesIn = async (workspaceId: string): Promise<string[]> => {
  const found: string[] = []
  for (const table of await tables()) {
    const isOwned = (await columnsOf(table)).some(({ name }) => name === 'workspace_id')
    const { rows } = await sql<{ line: string }>`select t::text as line from ${sql.raw(table)} t ${
      isOwned ? sql`where workspace_id = ${workspaceId}` : sql``
    }`.execute(db)
    const text = rows.map(({ line }) => line.toLowerCase()).join('\n')
    for (const secret of SECRETS)
      if (text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')))
        found.push(`${table}: ${secret}`)
  }
  return found
}

/** A person with a row in every table that has a place for one. */
const makePerson = async () => {
  const w = mine.id
  const accountId = await make.channelAccount(w, 'telegram')
  const contact = await make.contact(w, { name: NAME, email: EMAIL })
  const c = contact.id
  await db
    .updateTable('contacts')
    .set({
      phone: PHONE,
      username: HANDLE,
      custom_fields: JSON.stringify({ note: WORDS }),
      search_text: WORDS,
    })
    .where('id', '=', c)
    .execute()
  const identities = [
    { kind: 'email', value: EMAIL },
    { kind: 'phone', value: PHONE },
    { kind: 'whatsapp_id', value: PHONE.slice(1) },
    { kind: 'telegram', value: HANDLE },
  ] as const
  for (const one of identities)
    await sql`insert into identities (workspace_id, kind, value, contact_id, created_at)
      values (${w}, ${one.kind}, ${one.value}, ${c}, now()) on conflict do nothing`.execute(db)
  const conversation = await make.conversation(w, {
    contactId: c,
    channel: 'telegram',
    channelAccountId: accountId,
  })
  const v = conversation.id
  await db
    .updateTable('conversations')
    .set({ subject: WORDS, last_message_body: WORDS })
    .where('id', '=', v)
    .execute()
  const message = await make.message(w, conversation, { body: WORDS })
  const m = message.id
  await db
    .updateTable('messages')
    .set({ metadata: JSON.stringify({ note: WORDS }), reply_quote: WORDS, external_id: WORDS })
    .where('id', '=', m)
    .execute()
  const attachmentId = newId()
  const key = fileKey(w, attachmentId)
  await ctxOf(w).files.put(key, Buffer.from(WORDS), { mimeType: 'text/plain' })
  const file = { type: 'file', state: 'stored', mime_type: 'text/plain', size: 9 }
  await put('attachments', { ...file, id: attachmentId, message_id: m, storage_key: key, name: WORDS })
  const avatarId = newId()
  await put('attachments', { ...file, id: avatarId, contact_id: c, name: WORDS })
  await put('email_contents', { message_id: m, text: WORDS, html: WORDS })
  await put('email_hidden_texts', { message_id: m, conversation_id: v, text: WORDS })
  await put('email_aliases', { message_id: m, channel_account_id: accountId, email_id: EMAIL })
  await put('email_threads', { conversation_id: v, address: EMAIL, subject: WORDS })
  await put('deliveries', {
    ...{ message_id: m, conversation_id: v, channel_account_id: accountId },
    error_message: WORDS,
    template: JSON.stringify([WORDS]),
  })
  await put('sent_reactions', {
    ...{ message_id: m, conversation_id: v, channel_account_id: accountId },
    error_message: WORDS,
  })
  await put('notes', { contact_id: c, conversation_id: v, body: WORDS })
  await put('notes', { contact_id: c, body: WORDS })
  await put('failed_messages', { conversation_id: v, message_id: m })
  await put('conversation_reads', { conversation_id: v, account_id: (await make.agent(w)).id, read_seq: 1 })
  await put('conversation_tags', { conversation_id: v, tag_id: await make.tag(w, { name: newId() }) })
  await put('conversation_grams', { conversation_id: v, gram: HANDLE })
  const turnId = await put('ai_turns', {
    ...{ conversation_id: v, state: 'ended', outcome: 'handed_over', message_id: m },
    question: WORDS,
    decision: JSON.stringify({ reason: WORDS }),
  })
  await put('ai_requests', { turn_id: turnId, request: JSON.stringify([WORDS]), response: '{}' })
  await put('ai_gap_closings', { turn_id: turnId })
  await put('ai_usage', { turn_id: turnId, conversation_id: v, currency: 'USD' })
  await put('ai_outcomes', { conversation_id: v, started_by: 'opened', hand_over_reason: null })
  await put('ai_judgements', { conversation_id: v })
  const testId = await put('ai_tests', { turn_id: turnId, scenario: JSON.stringify({ said: WORDS }) })
  const testRunId = await put('ai_test_runs', { state: 'ended' })
  await put('ai_test_results', {
    ...{ run_id: testRunId, test_id: testId, guidance: 'live' },
    said: JSON.stringify([WORDS]),
  })
  const proposalId = await put('ai_proposals', {
    ...{ conversation_id: v, turn_id: turnId, confirm: 'person', identity: 'channel', state: 'offered' },
    parameters: JSON.stringify({ note: WORDS }),
  })
  await put('action_calls', {
    ...{ conversation_id: v, proposal_id: proposalId },
    parameters: JSON.stringify({ note: WORDS }),
  })
  const { id: author } = await make.agent(w)
  await put('held_messages', { conversation_id: v, account_id: author, body: WORDS })
  await put('reply_drafts', { conversation_id: v, turn_id: turnId, text: WORDS, message_id: m })
  await put('notification_inputs', { conversation_id: v, kind: 'message', subject_id: m })
  const { id: account_id } = await make.agent(w)
  await put('notifications', { account_id, conversation_id: v, kind: 'message', subject_id: m })
  await put('automation_inputs', { conversation_id: v, message_id: m, data: JSON.stringify([WORDS]) })
  await put('automation_states', { conversation_id: v, guards: JSON.stringify({ words: WORDS }) })
  const runId = await put('flow_runs', {
    ...{ contact_id: c, conversation_id: v, status: 'running' },
    state: JSON.stringify({ variables: { note: WORDS } }),
  })
  await put('ratings', { conversation_id: v, run_id: runId, comment: WORDS })
  await put('report_late_hours', { conversation_id: v, message_id: m })
  await put('waits', { conversation_id: v, kind: 'first' })
  await put('flow_run_steps', { run_id: runId, message_id: m, detail: JSON.stringify({ said: WORDS }) })
  await put('identity_codes', {
    ...{ conversation_id: v, contact_id: c, kind: 'email', state: 'open' },
    address: EMAIL,
  })
  const addressHash = 'x'.repeat(43)
  await put('chat_emails', { conversation_id: v, address: EMAIL, address_hash: addressHash, language: 'en' })
  await put('chat_mails', {
    ...{ conversation_id: v, channel_account_id: accountId, address_hash: addressHash, state: 'sent' },
    ...{ message_ids: [m], last_message_id: m },
  })
  await put('visitors', { contact_id: c, channel_account_id: accountId, name: NAME, email: EMAIL })
  await put('visitor_blocks', { contact_id: c, kind: 'contact', value: c, blocked_by: NAME })
  await put('channel_people', { channel_account_id: accountId, external_id: HANDLE, name: NAME })
  const tagId = await make.tag(w)
  await put('contact_tags', { contact_id: c, tag_id: tagId })
  const gone = JSON.stringify({ name: NAME, email: EMAIL })
  await put('contact_merges', { kept_id: c, kept_before: gone, gone, kept_after: gone })
  await make.group(w, { contactIds: [c] })
  const broadcastId = await make.broadcast(w)
  await put('broadcast_recipients', {
    ...{ broadcast_id: broadcastId, contact_id: c, channel_account_id: accountId, outcome: 'sent' },
    ...{ message_id: m, parameters: JSON.stringify([WORDS]), error_message: WORDS },
  })
  await put('parked_alterations', {
    channel_account_id: accountId,
    alteration: JSON.stringify({ by: EMAIL, text: WORDS }),
  })
  await put('webhook_leftovers', {
    channel_account_id: accountId,
    raw: `{"from":"${PHONE.slice(1)}", ${WORDS}}`,
  })
  await put('idempotency_keys', {
    operation: 'sendMessage',
    response: JSON.stringify({ id: m, body: WORDS }),
  })
  await put('idempotency_keys', { operation: 'upsertContact', key: EMAIL, response: '{}' })
  await put('audit_log', {
    ...{ target_type: 'contact', target_id: c, target_name: NAME },
    changes: JSON.stringify({ name: { to: NAME } }),
  })
  await put('feed_heads', { seq: 2 })
  const data = JSON.stringify({ error: { code: 'X', message: WORDS } })
  await put('feed', { seq: 1, conversation_id: v, contact_id: c, type: 'message.failed', data })
  await put('feed', { seq: 2, contact_id: c, object: JSON.stringify({ name: NAME }) })
  await sql`insert into events (workspace_id, type, conversation_id, contact_id, data, created_at, actor)
    values (${w}, 'message.status', ${v}, ${c}, ${data}::jsonb, now(), 'system')`.execute(db)
  const endpointId = await put('webhook_endpoints', {
    payload: 'full',
    ordering: 'none',
    created_by: 'operator',
  })
  const deliveryId = await put('webhook_deliveries', {
    ...{ endpoint_id: endpointId, seq: 2, kind: 'live', state: 'delivered', body: WORDS },
  })
  await put('webhook_attempts', { delivery_id: deliveryId, response_body: WORDS, error: WORDS })
  await put('exports', { contact_id: c, status: 'completed', resources: [] })
  return { contactId: c, conversationId: v, messageId: m, key, accountId, broadcastId }
}

/** Of the person: what a later migration adds has to be among what makePerson fills. */
const PLACES = ['contact_id', 'kept_id', 'conversation_id', 'message_id', 'turn_id', 'run_id', 'delivery_id']

const emptyPlaces = async (): Promise<string[]> => {
  const empty: string[] = []
  for (const table of await tables()) {
    if (!table.startsWith('public.')) continue
    if (!(await columnsOf(table)).some(({ name }) => PLACES.includes(name))) continue
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.raw(table)}
      where workspace_id = ${mine.id}`.execute(db)
    if (Number(rows[0]!.count) === 0) empty.push(table)
  }
  return empty
}

const erase = async (contactId: string, mode: 'erase' | 'anonymise') => {
  const { status, body, text } = await call(mine.token, 'DELETE', `/contacts/${contactId}?mode=${mode}`)
  assert.equal(status, 200, text)
  return body.erasure.id as string
}

const run = (id: string, isStopping = () => false) => runErasure(ctxOf(mine.id), id, { isStopping })

const seen = async (id: string) => (await call(mine.token, 'GET', `/erasures/${id}`)).body.erasure

const deletedEvents = async () =>
  (
    await sql<{ data: unknown; actor: string }>`select data, actor from events
      where workspace_id = ${mine.id} and type = 'contact.deleted'`.execute(db)
  ).rows

const forget = async () => {
  for (const table of [
    'ai_test_results',
    'webhook_attempts',
    'webhook_deliveries',
    'feed',
    'feed_heads',
    'events',
  ])
    await sql`delete from ${sql.table(table)} where workspace_id = ${mine.id}`.execute(db)
}

const other = await make.contact(theirs.id, { name: NAME, email: EMAIL })
await make.message(theirs.id, await make.conversation(theirs.id, { contactId: other.id }), { body: WORDS })
await makeErasure(app, mine.id)
const theirTraces = await tracesIn(theirs.id)

test('erasing a person leaves nothing of them in any table, and nobody else is touched', async () => {
  const { contactId, key, broadcastId } = await makePerson()
  assert.deepEqual(await emptyPlaces(), [], 'a table with a place for a person that the test does not fill')
  const bystander = await make.message(mine.id, await make.conversation(mine.id), { body: 'Hello' })
  const filled = new Set((await tracesIn(mine.id)).map((trace) => trace.split(':')[0]))
  assert.ok(filled.size > 35, `only ${[...filled].join(', ')}`)
  const id = await erase(contactId, 'erase')
  assert.deepEqual((await seen(id)).status, 'running')
  assert.equal(await run(id), true)
  assert.deepEqual(await tracesIn(mine.id), [])
  assert.deepEqual(await tracesIn(theirs.id), theirTraces)
  const { status, counts, erasedAt } = await seen(id)
  assert.deepEqual([status, counts], ['completed', { conversations: 1, messages: 1, notes: 2, files: 2 }])
  assert.ok(erasedAt)
  await assert.rejects(ctxOf(mine.id).files.open(key), MissingFileError)
  assert.equal((await call(mine.token, 'GET', `/contacts/${contactId}`)).status, 404)
  assert.equal((await call(mine.token, 'DELETE', `/contacts/${contactId}?mode=erase`)).status, 404)
  assert.deepEqual(await deletedEvents(), [
    { data: { contactId, mode: 'erased' }, actor: `token:${mine.tokenId}` },
  ])
  const feed = await db
    .selectFrom('feed')
    .select(['seq', 'object'])
    .where('workspace_id', '=', mine.id)
    .execute()
  assert.deepEqual(
    feed.map(({ seq, object }) => [Number(seq), object]),
    [
      [1, null],
      [2, null],
    ],
  )
  const { rows } = await sql<{ outcome: string }>`
    select outcome from broadcast_recipients where broadcast_id = ${broadcastId}`.execute(db)
  assert.deepEqual(rows, [{ outcome: 'sent' }])
  const kept = await db.selectFrom('messages').select('body').where('id', '=', bystander.id).execute()
  assert.deepEqual(kept, [{ body: 'Hello' }])
  await forget()
})

test('anonymising keeps when, where and how much was written, and not by whom or what', async () => {
  const { contactId, conversationId, messageId } = await makePerson()
  const before = await db.selectFrom('messages').select('created_at').where('id', '=', messageId).execute()
  assert.equal(await run(await erase(contactId, 'anonymise')), true)
  assert.deepEqual(await tracesIn(mine.id), [])
  const after = await db
    .selectFrom('messages')
    .select(['body', 'sender_type', 'created_at'])
    .where('id', '=', messageId)
    .executeTakeFirstOrThrow()
  assert.deepEqual(after, { body: '', sender_type: 'customer', created_at: before[0]!.created_at })
  const { body } = await call(mine.token, 'GET', `/contacts/${contactId}`)
  assert.deepEqual(
    [body.contact.name, body.contact.email, body.contact.phone],
    ['Deleted contact', null, null],
  )
  const conversation = await call(mine.token, 'GET', `/conversations/${conversationId}`)
  assert.equal(conversation.status, 200)
  assert.equal(conversation.body.conversation.status, 'closed')
  const events = await deletedEvents()
  assert.deepEqual(events.at(-1)!.data, { contactId, mode: 'anonymised' })
  await forget()
})

test('an erasure goes in batches, and goes on where it was interrupted', async () => {
  const contact = await make.contact(mine.id, { name: NAME })
  const conversation = await make.conversation(mine.id, { contactId: contact.id })
  await sql`insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body,
      status, created_at)
    select ${mine.id}, 'c' || lpad(n::text, 24, '0'), ${conversation.id}, c.channel_account_id, 'customer', ${contact.id},
      ${WORDS}, 'sent', now()
    from generate_series(1, 1200) n, conversations c where c.id = ${conversation.id}`.execute(db)
  const left = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from messages where conversation_id = ${conversation.id}`.execute(db)
    return Number(rows[0]!.count)
  }
  const id = await erase(contact.id, 'erase')
  const isHalf = { reached: false }
  const watch = setInterval(async () => {
    isHalf.reached ||= (await left()) < 1200
  }, 1)
  try {
    assert.equal(await run(id, () => isHalf.reached), false)
  } finally {
    clearInterval(watch)
  }
  const { counts, status } = await seen(id)
  assert.equal(status, 'running')
  assert.equal(counts.messages, 1200 - (await left()))
  assert.equal((await call(mine.token, 'DELETE', `/contacts/${contact.id}?mode=erase`)).body.erasure.id, id)
  assert.deepEqual(await Promise.all([run(id), run(id)]), [true, true])
  assert.deepEqual((await seen(id)).counts, { conversations: 1, messages: 1200, notes: 0, files: 0 })
  assert.equal(await left(), 0)
  assert.equal((await deletedEvents()).length, 1)
})

test('a token needs the scope, and one that is limited to channels can’t erase', async () => {
  const { id: contactId } = await make.contact(mine.id)
  const tokenWith = async (more: object) => {
    const ctx = { ...ctxOf(mine.id), actor: { type: 'operator' as const } }
    return (await createToken(ctx, { name: 'Limited', ...more })).secret
  }
  const writes = await tokenWith({ scopes: ['contacts:write'] })
  const limited = await tokenWith({ scopes: ['contacts:erase'], channels: ['email'] })
  for (const token of [writes, limited]) {
    const { status, body } = await call(token, 'DELETE', `/contacts/${contactId}?mode=erase`)
    assert.deepEqual([status, body.error.code], [403, 'INSUFFICIENT_SCOPE'])
  }
  const named = await call(theirs.token, 'DELETE', `/contacts/${contactId}?mode=erase`)
  assert.equal(named.status, 404)
})

test('what someone wrote before they were erased is not stored again; who writes afterwards is a new contact', async () => {
  const ctx = ctxOf(mine.id)
  const { id: contactId } = await make.contact(mine.id, { email: EMAIL })
  const identities = () => [{ kind: 'email', value: EMAIL } as const]
  const start = Date.now()
  assert.equal(await run(await erase(contactId, 'erase')), true)
  const written = [-3_600_000, 60_000].map((ms) => ({ sentAt: new Date(start + ms) }))
  assert.deepEqual(await withoutErased(ctx, written, identities), [written[1]])
  assert.deepEqual(await withoutErased(ctxOf(theirs.id), written, identities), written)
  const stranger = () => [{ kind: 'email', value: 'somebody.else@example.com' } as const]
  assert.deepEqual(await withoutErased(ctx, written, stranger), written)
  await deleteOldIdentities(db, new Date(start + 60_000), 100)
  assert.deepEqual(await withoutErased(ctx, written, identities), written)
})
