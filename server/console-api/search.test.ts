import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { plainText } from '../../marks/plain-text.ts'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { makeAttachments } from '../../test/make-attachments.ts'
import { makeTeam } from '../../test/make-team.ts'
import type { FoundConversations } from '../domain/conversations/inbox-schema.ts'
import { addNote } from '../domain/notes/add-note.ts'
import { makeSnippet } from '../domain/search/snippet.ts'

const app = await startApp()
const { clock, db, make, ctxOf } = app
const workspace = await make.workspace()
const { id: w } = workspace
const { call } = await signIn(app, w, (await make.agent(w, { role: 'admin' })).id)
const other = await make.workspace()
const stranger = await signIn(app, other.id, (await make.agent(other.id, { role: 'admin' })).id)
const owner = await makeMember(app, w, ['reply'])
const restricted = await signIn(app, w, owner.id)
const webId = await make.channelAccount(w, 'web')

type Options = { email?: string; phone?: string; agentId?: string; status?: 'open' | 'closed' }

let talks = 0
/** A conversation with someone, and its messages, later than those before it. */
const talk = async (name: string, bodies: string[], { agentId, status, ...person }: Options = {}) => {
  const at = new Date(clock.now().getTime() + ++talks * 60_000)
  const contact = await make.contact(w, { name, email: null, ...person })
  const conversation = await make.conversation(w, {
    at,
    contactId: contact.id,
    channelAccountId: webId,
    ...(agentId && { agentId }),
    ...(status && { status }),
  })
  const messageIds: string[] = []
  for (const body of bodies) messageIds.push((await make.message(w, conversation, { body, at })).id)
  return { id: conversation.id, contactId: contact.id, messageIds }
}

const search = async (q: string, more = '', by = call): Promise<FoundConversations> => {
  const { status, body } = await by('GET', `/search?q=${encodeURIComponent(q)}${more}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const idsOf = ({ results }: FoundConversations): string[] =>
  results.map(({ conversation }) => conversation.id)
const found = async (q: string, more = '', by = call): Promise<string[]> => idsOf(await search(q, more, by))
const marked = ({ results: [first] }: FoundConversations): string[] =>
  first!.match!.marks.map(([start, end]) => first!.match!.text.slice(start, end))

const shoes = await talk('José Müller', ['The parcel never arrived', 'I ordered green sneakers'], {
  email: 'jose@mueller.example',
  phone: '+436601234567',
})
const lamp = await talk('Lena Brandt', ['My lamp flickers, order A-1047/b'], { agentId: owner.id })
const closed = await talk('Otto Weiss', ['The sneakers are too small'], { status: 'closed' })
await addNote(ctxOf(w), { conversationId: lamp.id, body: 'Refund approved by Ingrid' })
await makeAttachments(app, workspace, lamp.messageIds[0]!)
await db
  .updateTable('attachments')
  .set({ name: 'Rückgabe-Formular.pdf' })
  .where('workspace_id', '=', w)
  .execute()
const tag = await call('POST', '/tags', { name: 'Händler', color: '#336699' })
await call('PUT', `/contacts/${closed.contactId}/tags`, { tagIds: [tag.body.tag.id] })
const elsewhere = await make.conversation(other.id, { subject: 'sneakers arrived' })
await make.message(other.id, elsewhere, { body: 'green sneakers' })

test('all words must occur, in any order, in any message or the person, and the last may be unfinished', async () => {
  assert.deepEqual(await found('sneakers'), [closed.id, shoes.id])
  assert.deepEqual(await found('sneak arriv'), [shoes.id])
  assert.deepEqual(await found('müller green parc'), [shoes.id])
  assert.deepEqual(await found('green lamp'), [])
  assert.deepEqual(await found('"sneakers green"'), [])
  assert.deepEqual(await found('"green sneakers"'), [shoes.id])
})

test('a result shows where it was found, with the match marked, and names the message', async () => {
  const message = await search('SNEAKERS green')
  assert.equal(message.results[0]?.match?.kind, 'message')
  assert.equal(message.results[0]?.match?.entryId, shoes.messageIds[1])
  assert.deepEqual(marked(message), ['green', 'sneakers'])
  const note = await search('ingrid refund')
  assert.deepEqual([note.results[0]?.match?.kind, ...marked(note)], ['note', 'Refund', 'Ingrid'])
  const file = await search('ruckgabe')
  assert.deepEqual([file.results[0]?.match?.kind, ...marked(file)], ['file', 'Rückgabe'])
  assert.equal(file.results[0]?.match?.entryId, lamp.messageIds[0])
  const tagged = await search('handler')
  assert.deepEqual([tagged.results[0]?.match?.kind, ...marked(tagged)], ['tag', 'Händler'])
  const person = await search('jose mull')
  assert.deepEqual(
    [person.results[0]?.match?.kind, ...marked(person).slice(0, 2)],
    ['contact', 'José', 'Müll'],
  )
  assert.deepEqual(await found('A-1047/b'), [lamp.id])
})

test('a phone number and an email are found in any notation', async () => {
  for (const q of [
    '+43 660 1234567',
    '0660 / 123 45 67',
    '(0660) 123-4567',
    '0043 660 1234567',
    '6601234567',
    '0660 12',
  ])
    assert.deepEqual(await found(q), [shoes.id], q)
  assert.deepEqual(await found('JOSE@mueller.example'), [shoes.id])
  const called = await talk('Nobody', ['Please call me at 0151/234 567-89'])
  for (const q of ['015123456789', '0151 23456789', '0151 234 56789'])
    assert.deepEqual(await found(q), [called.id], q)
})

test('the list is narrowed by status, channel and person, and goes on where it stopped', async () => {
  assert.deepEqual(await found('sneakers', '&status=closed'), [closed.id])
  assert.deepEqual(await found('sneakers', '&mine=true'), [])
  assert.deepEqual(await found('sneakers', '&channel=email'), [])
  const first = await search('sneakers', '&limit=1')
  assert.deepEqual(idsOf(first), [closed.id])
  const second = await search('sneakers', `&limit=1&cursor=${first.nextCursor}`)
  assert.deepEqual(idsOf(second), [shoes.id])
  const { status } = await call('GET', `/search?q=lamp&cursor=${first.nextCursor}`)
  assert.equal(status, 400)
})

test('the list is narrowed by team, by own teams, and to what is overdue, and so are its counts', async () => {
  const me = await make.agent(w, { role: 'admin' })
  const mine = await signIn(app, w, me.id)
  const ids: string[] = []
  for (const name of ['Grace', 'Heidi', 'Ivan']) ids.push((await talk(name, ['A zeppelin question'])).id)
  const [inTeam, late, neither] = ids as [string, string, string]
  const team = await makeTeam(app, w, { name: 'Airships', memberIds: [me.id] })
  const set = (id: string, values: object) =>
    db.updateTable('conversations').set(values).where('id', '=', id).execute()
  await set(inTeam, { team_id: team })
  await set(late, { answer_due_at: new Date(0) })
  await set(neither, { answer_due_at: new Date('2999-01-01') })
  assert.deepEqual(await found('zeppelin'), [neither, late, inTeam])
  assert.deepEqual(await found('zeppelin', `&teamId=${team}`), [inTeam])
  assert.deepEqual(await found('zeppelin', '&ownTeams=true', mine.call), [inTeam])
  assert.deepEqual(await found('zeppelin', '&overdue=true'), [late])
  const counts = async (more: string) =>
    (await mine.call('GET', `/search/counts?q=zeppelin${more}`)).body.open
  assert.deepEqual(
    [
      await counts(''),
      await counts(`&teamId=${team}`),
      await counts('&ownTeams=true'),
      await counts('&overdue=true'),
    ],
    [3, 1, 1, 1],
  )
})

test('a restricted agent finds only their own conversations, and nobody those of another workspace', async () => {
  assert.deepEqual(await found('sneakers', '', restricted.call), [])
  assert.deepEqual(await found('refund', '', restricted.call), [lamp.id])
  assert.deepEqual(await found('handler', '', restricted.call), [])
  assert.deepEqual(await found('refund', '', stranger.call), [])
  assert.deepEqual(await found('sneakers', '', stranger.call), [elsewhere.id])
  const people = (by: typeof call, q: string) =>
    by('GET', `/search/people?q=${q}`).then(({ body }) =>
      body.people.map(({ name }: { name: string }) => name),
    )
  assert.deepEqual(await people(call, 'muller%20jose'), ['José Müller'])
  assert.deepEqual(await people(restricted.call, 'muller'), [])
  assert.deepEqual(await people(restricted.call, 'lena'), ['Lena Brandt'])
  assert.deepEqual(await people(stranger.call, 'lena'), [])
  assert.deepEqual(await people(call, '0660%20123'), ['José Müller'])
})

test('the matches of a thread are listed newest first', async () => {
  const path = (q: string, id = lamp.id) => `/conversations/${id}/matches?q=${encodeURIComponent(q)}`
  const { body } = await call('GET', path('refund lamp'))
  assert.equal(body.entryIds.length, 2)
  assert.equal(body.entryIds[1], lamp.messageIds[0])
  assert.deepEqual(
    body.expressions.map((one: string) => new RegExp(one, 'u').test('refund')),
    [true, false],
  )
  assert.equal((await call('GET', path('formular'))).body.entryIds[0], lamp.messageIds[0])
  assert.equal(
    (await restricted.call('GET', path('parcel', shoes.id))).body.error.code,
    'CONVERSATION_NOT_FOUND',
  )
})

test('the matches of a thread are those with the most of the words, so that the customer’s name is no obstacle', async () => {
  const talked = await talk('Greta Vogt', ['The kettle leaks', 'A new kettle, please', 'My order 7712'])
  const matches = (q: string): Promise<string[]> =>
    call('GET', `/conversations/${talked.id}/matches?q=${q}`).then(({ body }) => body.entryIds)
  const [leaks, please, order] = talked.messageIds as [string, string, string]
  assert.deepEqual(await matches('kettle%20please'), [please])
  assert.deepEqual(await matches('greta%20kettle'), [please, leaks])
  assert.deepEqual(await matches('order%20leaks'), [order, leaks])
  assert.deepEqual(await matches('greta'), [])
})

test('a search that finds nothing in one view says how much it finds in others', async () => {
  const counts = async (q: string, more = '', by = call) =>
    (await by('GET', `/search/counts?q=${q}${more}`)).body
  const none = { open: 0, closed: 0, isMore: false }
  assert.deepEqual(await counts('sneakers'), { open: 1, closed: 1, isMore: false })
  assert.deepEqual(await counts('refund', '', restricted.call), { ...none, open: 1 })
  assert.deepEqual(await counts('sneakers', '', restricted.call), none)
  assert.deepEqual(await counts('refund', '', stranger.call), none)
  assert.deepEqual(await counts('sneakers', '&channel=email'), none)
  assert.deepEqual(await counts(''), none)
  const crowd = await make.workspace()
  const theirs = await signIn(app, crowd.id, (await make.agent(crowd.id, { role: 'admin' })).id)
  for (let n = 0; n < 51; n++) {
    const conversation = await make.conversation(crowd.id, { status: 'closed' })
    await make.message(crowd.id, conversation, { body: 'a vase' })
  }
  assert.deepEqual(await counts('vase', '', theirs.call), { ...none, closed: 50, isMore: true })
})

test('a person who was found has an email that is marked as a claim or not, and channels', async () => {
  const claimed = await talk('Ulla Claims', ['Hello'], { email: 'ulla@example.org' })
  const one = async (q: string) => (await call('GET', `/search/people?q=${q}`)).body.people[0]
  const { email, emailVerified, channels } = await one('ulla')
  assert.deepEqual([email, emailVerified, channels], ['ulla@example.org', true, ['web']])
  await db
    .updateTable('identities')
    .set({ confirmed: false })
    .where('workspace_id', '=', w)
    .where('contact_id', '=', claimed.contactId)
    .execute()
  assert.equal((await one('ulla')).emailVerified, false)
})

test('what nobody means to type finds nothing or something, and never fails', async () => {
  const inputs = [
    '',
    ' ',
    '%',
    '_',
    '\\',
    "'",
    '"',
    '""',
    '"unfinished',
    '?!.,',
    '%%%',
    '\\\\_',
    '👍',
    '👩‍👩‍👧',
    '\ud83d',
    'שלום עולם',
    '\u202eabc',
    'x',
    'ß',
    '你好',
    '+',
    '00',
    '0',
    '++43',
    '(((((0',
    '1'.repeat(300),
    'a'.repeat(2000),
    Array.from({ length: 200 }, (_, n) => `word${n}`).join(' '),
    'a b c d e f g h i j',
    '[a-z]+',
    '.*',
    '(?:',
    "'; drop table x",
  ]
  for (const q of inputs)
    for (const path of ['/search', '/search/counts', '/search/people', `/conversations/${lamp.id}/matches`]) {
      const { status, body } = await call('GET', `${path}?q=${encodeURIComponent(q.toWellFormed())}`)
      assert.equal(status, 200, `${path} ${JSON.stringify(q)}: ${JSON.stringify(body)}`)
    }
  assert.deepEqual(await found('sneakers!!! - ?'), [])
  assert.deepEqual(await found('sneakers - ?'), [closed.id, shoes.id])
  const odd = await talk('100% שלום', ['50%_off \\ 👍 你好'])
  for (const q of ['50%_off', '100%', '👍', '你好', 'שלום', '\\'])
    assert.deepEqual(await found(q), [odd.id], q)
  assert.equal((await call('GET', `/search?q=${'a'.repeat(2001)}`)).status, 400)
  assert.equal((await call('GET', '/search?q=a%00b')).status, 400)
})

test('a word that is frequent and old is found in parts, none of which is empty', async () => {
  const { id: big } = await make.workspace()
  const { call } = await signIn(app, big, (await make.agent(big, { role: 'admin' })).id)
  const account = await make.channelAccount(big, 'web')
  const contact = await make.contact(big)
  // 600 conversations of 2024, each with the word in six messages, below 150 newer ones without.
  await sql`
    insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, status, created_at, updated_at)
    select ${big}, 'c' || case when n <= 600 then 'lr000' else 'mr000' end || lpad(n::text, 19, '0'), 'web', ${account}, ${contact.id}, 'closed', at, at
    from generate_series(1, 750) n cross join lateral (select timestamptz '2024-01-01' + n * interval '1 minute' as at) t`.execute(
    db,
  )
  await sql`
    insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status, created_at)
    select ${big}, left(c.id, 6) || lpad(i::text, 2, '0') || right(c.id, 17), c.id, ${account}, 'customer', ${contact.id},
      case when c.id < 'cm' then 'an oldpromo code' else 'nothing here' end, 'read', c.created_at
    from conversations c cross join generate_series(1, 6) i where c.workspace_id = ${big}`.execute(db)
  const seen = new Set<string>()
  let page = await search('oldpromo', '&limit=100', call)
  for (let pages = 0; ; pages++) {
    assert.ok(page.results.length > 0 || seen.size === 600, 'no page is empty while there are more')
    assert.ok(page.searchedBackTo === null || page.nextCursor !== null)
    for (const id of idsOf(page)) {
      assert.ok(!seen.has(id), 'no conversation is on two pages')
      seen.add(id)
    }
    if (!page.nextCursor) break
    assert.ok(pages < 100)
    page = await search('oldpromo', `&limit=100&cursor=${page.nextCursor}`, call)
  }
  assert.equal(seen.size, 600)
})

test('the database and this process remove the same accents', async () => {
  const texts = ['Ärger über Größe', 'naïve café', 'ŁÓDŹ', 'Ελλάδα', 'ПРИВЕТ й', 'hello', '你好', 'e\u0301']
  const { rows } = await sql<{ plain: string }>`
    select plain_text(t) as plain from unnest(${texts}::text[]) with ordinality u(t, n) order by n`.execute(
    db,
  )
  assert.deepEqual(
    rows.map(({ plain }) => plain),
    texts.map((text) => plainText(text)),
  )
})

test('a snippet is cut around the first match, never inside a character', () => {
  const long = `${'word '.repeat(30)}😀${'x'.repeat(38)}needle ${'and so on '.repeat(40)}`
  const { text, marks } = makeSnippet(long, [/needle/gu])
  assert.ok(text.length <= 162 && text.startsWith('…') && text.endsWith('…') && text.isWellFormed())
  assert.deepEqual(
    marks.map(([start, end]) => text.slice(start, end)),
    ['needle'],
  )
})
