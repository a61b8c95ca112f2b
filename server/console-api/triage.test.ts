// Snoozing, tags, priorities, and doing the same with several conversations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { countOwn } from '../../test/statements.ts'
import { UNTIL_REPLY } from '../domain/conversations/schema.ts'
import { toPublic } from '../domain/feed/catalogue.ts'
import { receiveMessage } from '../domain/messages/receive-messages.ts'
import { wakeSnoozed } from '../jobs/wake-snoozed.ts'
import { newId } from '../platform/db/id.ts'

const app = await startApp()
const { call, clock, ctxOf, database, db, deps, make } = app
const { id: w, token } = await make.workspace()
const admin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const robin = await signIn(app, w, admin.id)
const jane = await make.agent(w, { nickname: 'Jane' })
const account = await make.channelAccount(w, 'web')
type Caller = typeof robin

let customers = 0
const write = async (name = `Customer ${++customers}`): Promise<string> => {
  const { conversationId } = await receiveMessage(ctxOf(w), {
    channel: 'web',
    channelAccountId: account,
    from: { identity: { kind: 'visitor', value: name, verified: true }, name },
    body: `Hello from ${name}`,
    externalId: null,
    sentAt: clock.now(),
  })
  return conversationId
}
const change = (ids: string[], body: object, who: Caller = robin) =>
  who.call('POST', '/conversations/bulk', { ids, ...body })
const done = async (ids: string[], body: object): Promise<void> => {
  const answer = await change(ids, body)
  assert.deepEqual(
    answer.body.results,
    ids.map((id) => ({ id, ok: true })),
    answer.text,
  )
}
const list = async (query: string): Promise<string[]> => {
  const answer = await robin.call('GET', `/conversations?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.conversations.map(({ id }: { id: string }) => id)
}
const rowOf = async (id: string) => (await robin.call('GET', `/conversations/${id}`)).body.conversation
const linesOf = async (id: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('messages')
    .select('body')
    .where('conversation_id', '=', id)
    .where('sender_type', '=', 'system')
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => body)
}
const inMs = (ms: number): string => new Date(clock.now().getTime() + ms).toISOString()
const HOUR_MS = 3_600_000
const jobDeps = { ...deps, log: app.app.log, isStopping: () => false } as never
const later = async (ms: number): Promise<void> => {
  const { now } = clock
  clock.now = () => new Date(now().getTime() + ms)
  await Promise.all([wakeSnoozed(jobDeps), wakeSnoozed(jobDeps)])
  clock.now = now
}

test('a snoozed conversation is open, out of the inbox and in a list of its own, until its time has come', async () => {
  const [soon, late] = [await write(), await write()]
  const before = await rowOf(soon)
  const until = inMs(HOUR_MS)
  await done([late], { action: 'snooze', until: inMs(50 * HOUR_MS) })
  await done([soon], { action: 'snooze', until })
  const row = await rowOf(soon)
  assert.deepEqual([row.status, row.snoozedUntil, row.updatedAt], ['open', until, before.updatedAt])
  assert.deepEqual(await list('status=open&snoozed=false'), [])
  assert.deepEqual(await list('status=open&snoozed=true&sort=snoozed'), [soon, late])
  assert.deepEqual(await list('status=open&snoozed=true&q=Hello'), [late, soon])
  const { body: counts } = await robin.call('GET', '/conversation-counts')
  assert.deepEqual([counts.open, counts.unassigned, counts.snoozed], [0, 0, 2])

  await later(HOUR_MS / 2)
  assert.equal((await rowOf(soon)).snoozedUntil, until)
  await later(HOUR_MS + 1_000)
  const woken = await rowOf(soon)
  assert.equal(woken.snoozedUntil, null)
  assert.ok(woken.updatedAt > before.updatedAt && woken.unreadCount > 0)
  assert.deepEqual(await list('status=open&snoozed=false'), [soon])
  assert.deepEqual(await linesOf(soon), [
    `Robin snoozed this until ${until.slice(0, 16).replace('T', ' ')} UTC`,
    'The snooze ended without a reply from the customer',
  ])
  await done([late], { action: 'unsnooze' })
  await done([late], { action: 'unsnooze' })
  assert.deepEqual((await linesOf(late)).slice(1), ['Robin ended the snooze'])
})

test('what the customer writes ends a snooze, and so does closing; what a colleague writes does not', async () => {
  const id = await write('Dora')
  await done([id], { action: 'snooze', until: UNTIL_REPLY })
  await done([id], { action: 'snooze', until: UNTIL_REPLY })
  assert.equal((await linesOf(id)).length, 1)
  await robin.call('POST', `/conversations/${id}/messages`, { body: 'Any news?', undoSeconds: 0 })
  await later(1_000 * HOUR_MS)
  assert.equal((await rowOf(id)).snoozedUntil, UNTIL_REPLY)
  assert.equal((await linesOf(id)).at(-1), 'Robin snoozed this until the customer replies')
  assert.equal(await write('Dora'), id)
  assert.equal((await rowOf(id)).snoozedUntil, null)
  await done([id], { action: 'snooze', until: UNTIL_REPLY })
  await done([id], { action: 'close' })
  assert.equal((await rowOf(id)).snoozedUntil, null)
  await done([id], { action: 'reopen' })
  assert.equal((await rowOf(id)).snoozedUntil, null)
})

test('a time in the past or beyond a year, and a closed conversation, cannot be snoozed', async () => {
  const id = await write()
  for (const until of [inMs(-1_000), inMs(367 * 24 * HOUR_MS), 'tomorrow', undefined])
    assert.equal((await change([id], { action: 'snooze', until })).status, 400)
  await done([id], { action: 'close' })
  const { results } = (await change([id], { action: 'snooze', until: inMs(HOUR_MS) })).body
  assert.deepEqual([results[0].ok, results[0].error.code], [false, 'VALIDATION_ERROR'])
})

test('a conversation has tags of its own, apart from its contact’s, and is listed by them', async () => {
  const [id, other] = [await write(), await write()]
  const [refund, gone] = [await make.tag(w, { name: 'Refund' }), await make.tag(w, { name: 'Gone' })]
  await done([id, other], { action: 'tag', addTagIds: [refund, gone] })
  await done([other], { action: 'tag', removeTagIds: [refund] })
  assert.deepEqual(
    (await rowOf(id)).tags.map(({ name }: { name: string }) => name),
    ['Gone', 'Refund'],
  )
  assert.deepEqual(await list(`ownTagId=${refund}`), [id])
  assert.deepEqual(await list(`tagId=${refund}`), [])
  assert.deepEqual(await list(`ownTagId=${refund}&status=open&snoozed=false&q=Hello`), [id])
  assert.equal((await robin.call('DELETE', `/tags/${gone}`)).status, 200)
  assert.equal((await rowOf(other)).tags.length, 0)
  assert.equal((await change([id], { action: 'tag' })).status, 400)
})

test('programs snooze and tag a conversation, see both in it, and events say what changed', async () => {
  const id = await write('Paula')
  const [refund, gone] = [await make.tag(w, { name: 'Refunds' }), await make.tag(w, { name: 'Late' })]
  const post = async (verb: string, body?: object) => {
    const answer = await call(token, 'POST', `/conversations/${id}/${verb}`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const shown = async () => {
    const { conversation } = (await call(token, 'GET', `/conversations/${id}`)).body
    const path = `/conversations?contactId=${conversation.contact.id}`
    const { conversations } = (await call(token, 'GET', path)).body
    assert.deepEqual(conversations[0], conversation)
    return [conversation.snoozedUntil, conversation.tags.map((tag: { name: string }) => tag.name)]
  }
  assert.deepEqual(await shown(), [null, []])
  const forReply = { success: true, conversationId: id, snoozedUntil: UNTIL_REPLY }
  assert.deepEqual(await post('snooze', {}), forReply)
  const until = inMs(HOUR_MS)
  const offset = until.replace('Z', '+00:00')
  assert.deepEqual(await post('snooze', { until: offset }), { ...forReply, snoozedUntil: until })
  assert.equal((await post('tags', { add: [refund, gone, refund] })).tags.length, 2)
  assert.deepEqual(await shown(), [until, ['Late', 'Refunds']])
  assert.deepEqual((await post('tags', { add: [refund], remove: [gone] })).tags[0].id, refund)
  await post('tags', { add: [refund], remove: [gone] })
  const both = await call(token, 'POST', `/conversations/${id}/tags`, { add: [refund], remove: [refund] })
  assert.deepEqual([both.status, both.body.error.details[0].field], [400, 'remove[0]'])
  // Nobody of the team has snoozed it, so it is unread for nobody.
  await later(HOUR_MS + 1_000)
  assert.deepEqual(await shown(), [null, ['Refunds']])
  await post('snooze', {})
  assert.deepEqual(await post('unsnooze'), { ...forReply, snoozedUntil: null })
  await post('unsnooze')
  await post('snooze', {})
  assert.equal(await write('Paula'), id)
  assert.deepEqual(await shown(), [null, ['Refunds']])
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('conversation_id', '=', id)
    .orderBy('id')
    .execute()
  const events = rows.flatMap((row) => toPublic(row) ?? []).filter(({ type }) => /snoozed|updated/.test(type))
  const tags = { conversationId: id, changed: ['tags'] }
  assert.deepEqual(
    events.map(({ type, data }) => [type, data]),
    [
      ['conversation.snoozed', { conversationId: id, snoozedUntil: UNTIL_REPLY }],
      ['conversation.snoozed', { conversationId: id, snoozedUntil: until }],
      ['conversation.updated', { ...tags, tagIdsAdded: [refund, gone].sort(), tagIdsRemoved: [] }],
      ['conversation.updated', { ...tags, tagIdsAdded: [], tagIdsRemoved: [gone] }],
      ['conversation.unsnoozed', { conversationId: id }],
      ['conversation.snoozed', { conversationId: id, snoozedUntil: UNTIL_REPLY }],
      ['conversation.unsnoozed', { conversationId: id }],
      ['conversation.snoozed', { conversationId: id, snoozedUntil: UNTIL_REPLY }],
    ],
  )
})

test('conversations are listed, counted and found by channel account and by the contact’s language, by indexes', async () => {
  const shop = await make.channelAccount(w, 'web')
  const here = async (name: string, channelAccountId = account) => {
    const { conversationId: id, contactId } = await receiveMessage(ctxOf(w), {
      channel: 'web',
      channelAccountId,
      from: { identity: { kind: 'visitor', value: name, verified: true }, name },
      body: `Hallo from ${name}`,
      externalId: null,
      sentAt: clock.now(),
    })
    return { id, contactId }
  }
  const [german, french, inShop] = [await here('Greta'), await here('Fleur'), await here('Gerd', shop)]
  const speaks = (contactId: string, language: string) =>
    robin.call('PATCH', `/contacts/${contactId}`, { customFields: { language } })
  const browse = async (contactId: string, locale: string, minutesAgo: number) => {
    const seenAt = new Date(clock.now().getTime() - minutesAgo * 60_000)
    const visitor = {
      id: newId(),
      channel_account_id: account,
      contact_id: contactId,
      locale,
      seen_at: seenAt,
    }
    await db
      .insertInto('visitors')
      .values({ workspace_id: w, token_hash: Buffer.from(visitor.id), created_at: seenAt, ...visitor })
      .execute()
  }
  // The field says more than the browser, and the latest browser more than earlier ones.
  assert.equal((await speaks(german.contactId, 'de_AT')).status, 200)
  await browse(german.contactId, 'fr', 1)
  await browse(french.contactId, 'fr-CA', 2)
  await browse(french.contactId, 'de-DE', 5)
  await speaks(inShop.contactId, 'de')
  for (const [query, ids] of [
    [`channelAccountId=${shop}`, [inShop.id]],
    ['language=de', [inShop.id, german.id]],
    ['language=fr', [french.id]],
    ['language=de&status=unassigned&snoozed=false', [inShop.id, german.id]],
    [`language=de&channelAccountId=${shop}`, [inShop.id]],
    [`language=fr&channelAccountId=${shop}`, []],
    ['language=de&channel=email', []],
    ['language=de&status=closed', []],
    ['language=es', []],
  ] as const) {
    assert.deepEqual(await list(query), ids, query)
    assert.deepEqual(await list(`${query}&q=Hallo`), ids, query)
    assert.equal((await robin.call('GET', `/listed-count?${query}`)).body.count, ids.length, query)
    const { results } = (await robin.call('GET', `/search?${query}&q=hallo`)).body
    assert.deepEqual(
      results.map(({ conversation }: { conversation: { id: string } }) => conversation.id),
      ids,
      query,
    )
  }
  const { body: choices } = await robin.call('GET', '/filter-choices')
  assert.deepEqual(choices.languages, ['de', 'fr'])
  assert.deepEqual(
    choices.channelAccounts.map(({ id }: { id: string }) => id),
    [account, shop],
  )
  const filter = { view: 'open', account: shop, language: 'de' }
  const viewId = newId()
  assert.equal((await robin.call('PUT', `/saved-views/own/${viewId}`, { name: 'Shop', filter })).status, 200)
  const { views } = (await robin.call('GET', '/saved-views')).body
  assert.deepEqual(views[0].filter, filter)
  await robin.call('DELETE', `/saved-views/own/${viewId}`)
  for (const [query, indexes] of [
    [`channelAccountId=${shop}`, ['conversations_account', 'conversations_inbox']],
    ['language=de', ['contacts_language', 'visitors_language', 'conversations_inbox']],
  ] as const) {
    const before = database.statements.length
    await list(query)
    const text = database.statements.slice(before).find((one) => one.includes('candidate_id'))
    assert.ok(text)
    const plan = await planOf(text)
    for (const index of indexes) assert.ok(plan.includes(index), `${index} in ${plan}`)
    assert.doesNotMatch(plan, /Seq Scan on (conversations|contacts|visitors)/)
  }
})

/** The generic plan, as for tables of which reading all would take long. */
const planOf = async (text: string): Promise<string> => {
  const client = await database.pool.connect()
  try {
    await client.query('begin; set local enable_seqscan = off; set local enable_bitmapscan = off')
    const { rows } = await client.query(`explain (generic_plan) ${text}`)
    await client.query('rollback')
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    client.release()
  }
}

test('a priority is set and taken back, and nothing else changes', async () => {
  const id = await write()
  const before = await rowOf(id)
  await done([id], { action: 'prioritize', priority: 3 })
  await done([id], { action: 'prioritize', priority: 3 })
  assert.deepEqual(await rowOf(id), { ...before, priority: 3 })
  assert.equal((await change([id], { action: 'prioritize', priority: 4 })).status, 400)
  const { length } = await db
    .selectFrom('events')
    .select('type')
    .where('type', '=', 'conversation.prioritized')
    .execute()
  assert.equal(length, 1)
  await done([id], { action: 'prioritize', priority: 0 })
})

test('each of several has its own result; what the person may not see is not found and not changed', async () => {
  const lou = await makeMember(app, w, [])
  const asLou = await signIn(app, w, lou.id)
  const [own, others] = [await write(), await write()]
  await done([own], { action: 'assign', agentId: lou.id })
  await done([others], { action: 'assign', agentId: jane.id })
  for (const body of [
    { action: 'close' },
    { action: 'snooze', until: inMs(HOUR_MS) },
    { action: 'prioritize', priority: 1 },
    { action: 'tag', addTagIds: [] },
    { action: 'read' },
    { action: 'unread' },
  ]) {
    const before = await rowOf(others)
    const { results } = (await change([others], body, asLou)).body
    assert.deepEqual(results[0].error.code, 'CONVERSATION_NOT_FOUND')
    assert.deepEqual(await rowOf(others), before)
  }
  const { results } = (await change([own, others], { action: 'unread' }, asLou)).body
  assert.deepEqual(
    results.map(({ ok }: { ok: boolean }) => ok),
    [true, false],
  )
})

test('conversations with a note that mentions the person are a list of theirs', async () => {
  const [id, other] = [await write(), await write()]
  const note = { body: 'What do you think, @Robin?', mentionedIds: [admin.id] }
  assert.equal((await robin.call('POST', '/notes', { conversationId: id, ...note })).status, 200)
  await robin.call('POST', '/notes', { conversationId: id, ...note })
  await robin.call('POST', '/notes', { conversationId: other, body: 'Nobody' })
  assert.deepEqual(await list('mentioned=true'), [id])
  assert.deepEqual(await list('mentioned=true&q=Hello'), [id])
  assert.deepEqual(await list('mentioned=true&status=closed'), [])
  const asJane = await signIn(app, w, jane.id)
  assert.deepEqual((await asJane.call('GET', '/conversations?mentioned=true')).body.conversations, [])
})

test('a view is its owner’s or the team’s, counts what its list has up to a hundred, and keeps its place', async () => {
  const asJane = await signIn(app, w, jane.id)
  const [a, b, shared] = [newId(), newId(), newId()]
  const filter = { view: 'open', unread: true }
  for (const [id, name] of [
    [a, 'A'],
    [b, 'B'],
  ] as const)
    assert.equal((await robin.call('PUT', `/saved-views/own/${id}`, { name, filter })).status, 200)
  await robin.call('PUT', `/saved-views/shared/${shared}`, { name: 'Team', filter: { view: 'all' } })
  const namesOf = async (who: Caller): Promise<string[]> =>
    (await who.call('GET', '/saved-views')).body.views.map(({ name }: { name: string }) => name)
  assert.deepEqual(await namesOf(robin), ['Team', 'A', 'B'])
  assert.deepEqual(await namesOf(asJane), ['Team'])
  await robin.call('PUT', '/saved-view-order/own', { ids: [b, a] })
  assert.deepEqual(await namesOf(robin), ['Team', 'B', 'A'])
  assert.equal((await asJane.call('PUT', `/saved-views/own/${a}`, { name: 'Mine', filter })).status, 404)
  await asJane.call('DELETE', `/saved-views/own/${a}`)
  await robin.call('PUT', `/saved-views/own/${a}`, { name: 'Renamed', filter })
  assert.deepEqual(await namesOf(robin), ['Team', 'B', 'Renamed'])
  await robin.call('DELETE', `/saved-views/own/${a}`)
  assert.deepEqual(await namesOf(robin), ['Team', 'B'])
  const { length } = await list('status=open&snoozed=false&limit=100')
  const { count } = (await robin.call('GET', '/listed-count?status=open&snoozed=false')).body
  assert.ok(length > 3)
  assert.equal(count, length)
})

test('the list and the counts are as many statements with tags and snoozes as without', async () => {
  const counted = async (path: string) => {
    const before = database.statements.length
    assert.equal((await robin.call('GET', path)).status, 200)
    return countOwn(database.statements.slice(before))
  }
  const plain = await counted('/conversations?status=closed')
  const ids = [await write(), await write(), await write()]
  await done(ids, { action: 'tag', addTagIds: [await make.tag(w, { name: 'Many' })] })
  await done(ids, { action: 'snooze', until: inMs(HOUR_MS) })
  for (const query of ['status=open&snoozed=false', 'status=open&snoozed=true&sort=snoozed', 'status=all'])
    assert.equal(await counted(`/conversations?${query}`), plain)
})
