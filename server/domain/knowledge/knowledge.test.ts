import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { saveAnswer } from './answers.ts'
import { makeChunks } from './make-chunks.ts'
import { saveItem } from './save-item.ts'
import { searchKnowledge } from './search-knowledge.ts'

const { call, ctxOf, db, make } = await startApp()

const ANSWER = {
  title: 'Return deadline',
  language: 'en',
  body: 'You can return everything within 30 days.',
  phrasings: ['How long do I have to return something?'],
}
const ARTICLE = { title: 'Returns', language: 'en', body: '# How long\n\nYou can return things for 30 days.' }

type Token = { id: string; token: string }
const save = (workspace: Token, kind: string, body: object) =>
  call(workspace.token, 'POST', `/knowledge/${kind}`, body)
const search = async ({ token }: Token, query: string, more = '') => {
  const { status, body, text } = await call(
    token,
    'GET',
    `/knowledge/search?query=${encodeURIComponent(query)}${more}`,
  )
  assert.equal(status, 200, text)
  return body as {
    matches: { id: string; title: string; text: string; certainty: number }[]
    decision: string
  }
}
const titles = async (workspace: Token, query: string, more = '') =>
  (await search(workspace, query, more)).matches.map(({ title }) => title)

/** Fails unless every count of the index is what its rows say. */
const checkIndex = async (workspaceId: string): Promise<{ chunks: number }> => {
  const { rows } = await sql<{ wrong: number; chunks: number }>`
    with listed as (select term, count(*) as chunks from knowledge_terms where workspace_id = ${workspaceId} group by term),
    counted as (select term, chunks from knowledge_term_counts where workspace_id = ${workspaceId}),
    terms as (select number, unnest(terms) as term from knowledge_chunks where workspace_id = ${workspaceId}),
    languages as (
      select i.language, count(*) as chunks, sum(c.words) as words, sum(c.grams) as grams
      from knowledge_chunks c join knowledge_items i on i.workspace_id = c.workspace_id and i.id = c.item_id
      where c.workspace_id = ${workspaceId} and i.state = 'published' group by i.language
    )
    select (
      (select count(*) from listed full join counted using (term, chunks) where listed.term is null or counted.term is null)
      + (select count(*) from terms t full join (select * from knowledge_terms where workspace_id = ${workspaceId}) k
          on k.chunk = t.number and k.term = t.term where k.term is null or t.term is null)
      + (select count(*) from languages l full join (
          select * from knowledge_languages where workspace_id = ${workspaceId} and chunks > 0
        ) k using (language, chunks, words, grams) where l.language is null or k.workspace_id is null)
    )::integer as wrong, (select count(*) from knowledge_chunks where workspace_id = ${workspaceId})::integer as chunks`.execute(
    db,
  )
  assert.equal(rows[0]!.wrong, 0)
  return rows[0]!
}

test('an answer is found when the call that saved it returns, changed when it changes, and gone when it is deleted', async () => {
  const workspace = await make.workspace()
  const { answer } = (await save(workspace, 'answers', ANSWER)).body
  const found = await search(workspace, 'how long can I return something?')
  assert.deepEqual(
    [found.matches[0]!.id, found.matches[0]!.text, found.decision],
    [answer.id, ANSWER.body, 'say'],
  )
  const changed = { ...ANSWER, title: 'Opening hours', phrasings: ['When are you open on Sunday?'] }
  const path = `/knowledge/answers/${answer.id}`
  assert.equal((await call(workspace.token, 'PUT', path, changed)).status, 200)
  assert.notEqual((await search(workspace, 'how long can I return something?')).decision, 'say')
  assert.deepEqual(await titles(workspace, 'open on sunday'), ['Opening hours'])
  await checkIndex(workspace.id)
  assert.deepEqual((await call(workspace.token, 'DELETE', path)).body, { success: true })
  assert.deepEqual(await titles(workspace, 'open on sunday'), [])
  assert.equal((await call(workspace.token, 'GET', path)).status, 404)
  assert.equal((await checkIndex(workspace.id)).chunks, 0)
})

test('an article is found by its section, and a draft is not found until it is published', async () => {
  const workspace = await make.workspace()
  const draft = { ...ARTICLE, externalId: 'help-1', state: 'draft', url: 'https://help.example.com/1' }
  const { article } = (await save(workspace, 'articles', draft)).body
  assert.deepEqual(await titles(workspace, 'return'), [])
  const published = (await save(workspace, 'articles', { ...draft, state: 'published' })).body.article
  assert.equal(published.id, article.id)
  const { matches, decision } = await search(workspace, 'How long can I return things?')
  assert.deepEqual([matches[0]!.id, decision], [article.id, 'offer'])
  assert.match(matches[0]!.text, /for 30 days/)
  await save(workspace, 'articles', draft)
  assert.deepEqual(await titles(workspace, 'return'), [])
  assert.equal((await checkIndex(workspace.id)).chunks, 0)
})

test('a help center that is copied again replaces by external id, page by page, and writes no terms where nothing changed', async () => {
  const workspace = await make.workspace()
  const sync = async (at: number, body: string) =>
    (await save(workspace, 'articles', { ...ARTICLE, externalId: `page-${at}`, body })).body.article.id
  const ids: string[] = []
  for (let at = 0; at < 5; at++) ids.push(await sync(at, `Text ${at}`))
  const chunks = () =>
    sql<{
      number: number
    }>`select number from knowledge_chunks where workspace_id = ${workspace.id} order by number`.execute(db)
  const before = (await chunks()).rows
  for (let at = 0; at < 5; at++) assert.equal(await sync(at, `Text ${at}`), ids[at])
  assert.deepEqual((await chunks()).rows, before)
  const pages: string[] = []
  let cursor = ''
  do {
    const { body } = await call(workspace.token, 'GET', `/knowledge/articles?limit=2${cursor}`)
    pages.push(...body.articles.map(({ externalId }: { externalId: string }) => externalId))
    cursor = body.nextCursor && `&cursor=${body.nextCursor}`
  } while (cursor)
  assert.deepEqual(pages, ['page-4', 'page-3', 'page-2', 'page-1', 'page-0'])
  const one = await call(workspace.token, 'GET', '/knowledge/articles?externalId=page-3')
  assert.deepEqual(one.body.articles[0].id, ids[3])
  const taken = await call(workspace.token, 'PUT', `/knowledge/articles/${ids[0]}`, {
    ...ARTICLE,
    externalId: 'page-1',
  })
  assert.deepEqual([taken.status, taken.body.error.details[0].field], [400, 'externalId'])
})

test('what is for certain customers, or for people only, is not found for others', async () => {
  const workspace = await make.workspace()
  const tagId = await make.tag(workspace.id)
  const audiences = {
    everyone: {},
    whatsapp: { channels: ['whatsapp'] },
    austria: { countries: ['AT'] },
    tagged: { tagIds: [tagId] },
    german: { languages: ['de'] },
    both: { channels: ['whatsapp'], countries: ['AT'] },
  }
  for (const [title, audience] of Object.entries(audiences))
    await save(workspace, 'answers', { ...ANSWER, title, audience })
  await save(workspace, 'answers', { ...ANSWER, title: 'internal', isInternal: true })
  const seen = async (more: string) => (await titles(workspace, 'how long to return', more)).sort()
  assert.deepEqual(await seen(''), ['everyone'])
  assert.deepEqual(await seen('&channel=whatsapp'), ['everyone', 'whatsapp'])
  assert.deepEqual(await seen('&channel=whatsapp&country=AT'), ['austria', 'both', 'everyone', 'whatsapp'])
  assert.deepEqual(await seen('&channel=web&country=DE'), ['everyone'])
  assert.deepEqual(await seen(`&tagId=${tagId}`), ['everyone', 'tagged'])
  assert.deepEqual(await seen('&language=de'), ['everyone', 'german'])
  assert.deepEqual(await seen('&includeInternal=true'), ['everyone', 'internal'])
})

test('for a conversation, its own rows say who asks; nothing is found for one of another workspace', async () => {
  const workspace = await make.workspace()
  const other = await make.workspace()
  const tagId = await make.tag(workspace.id)
  for (const [title, audience] of Object.entries({
    everyone: {},
    telegram: { channels: ['telegram'] },
    web: { channels: ['web'] },
    portugal: { countries: ['PT'] },
    tagged: { tagIds: [tagId] },
  }))
    await save(workspace, 'answers', { ...ANSWER, title, audience })
  const contact = await make.contact(workspace.id)
  await db.updateTable('contacts').set({ country_iso: 'PT' }).where('id', '=', contact.id).execute()
  const conversation = await make.conversation(workspace.id, { contactId: contact.id, channel: 'telegram' })
  const seen = async (conversationId: string) => {
    const asker = { conversationId, language: null }
    const matches = await searchKnowledge(ctxOf(workspace.id), { query: 'how long to return', asker })
    return matches.map(({ title }) => title).sort()
  }
  assert.deepEqual(await seen(conversation.id), ['everyone', 'portugal', 'telegram'])
  const path = `/contacts/${contact.id}/tags`
  assert.equal((await call(workspace.token, 'PUT', path, { tagIds: [tagId] })).status, 200)
  assert.deepEqual(await seen(conversation.id), ['everyone', 'portugal', 'tagged', 'telegram'])
  assert.deepEqual(await seen((await make.conversation(other.id)).id), [])
})

test('an audience names tags of the workspace, and a review date is a day', async () => {
  const workspace = await make.workspace()
  const theirs = await make.tag((await make.workspace()).id)
  const refusedAt = async (more: object) => {
    const { status, body } = await save(workspace, 'answers', { ...ANSWER, ...more })
    assert.equal(status, 400)
    return body.error.details.map(({ field }: { field: string }) => field)
  }
  assert.deepEqual(await refusedAt({ audience: { tagIds: [theirs] } }), ['audience.tagIds[0]'])
  assert.deepEqual(await refusedAt({ audience: { channels: ['fax'] } }), ['audience.channels[0]'])
  assert.deepEqual(await refusedAt({ reviewBy: '2027-02-30' }), ['reviewBy'])
  assert.deepEqual(await refusedAt({ language: 'English' }), ['language'])
  assert.deepEqual(await refusedAt({ phrasings: Array.from({ length: 201 }, (_, at) => `p${at}`) }), [
    'phrasings',
  ])
  assert.deepEqual(await refusedAt({ phrasings: ['x'.repeat(301)] }), ['phrasings[0]'])
  assert.deepEqual(await refusedAt({ body: 'x'.repeat(4_001) }), ['body'])
  assert.deepEqual(await refusedAt({ title: 'a\0b' }), ['title'])
  assert.deepEqual(await refusedAt({ phrasings: ['fine', '\ud800'] }), ['phrasings[1]'])
  const article = await save(workspace, 'articles', { ...ARTICLE, url: 'javascript:alert(1)' })
  assert.equal(article.body.error.details[0].field, 'url')
})

test('an answer past its review date is offered, not said', async () => {
  const workspace = await make.workspace()
  await save(workspace, 'answers', { ...ANSWER, reviewBy: '2020-01-31' })
  const { decision } = await search(workspace, 'How long do I have to return something?')
  assert.equal(decision, 'offer')
  const { body } = await call(workspace.token, 'GET', '/knowledge/answers?reviewBefore=2021-01-01')
  assert.equal(body.answers[0].reviewBy, '2020-01-31')
})

test('two equal answers are both offered', async () => {
  const workspace = await make.workspace()
  for (const title of ['One', 'Two']) await save(workspace, 'answers', { ...ANSWER, title })
  const { matches, decision } = await search(workspace, 'How long do I have to return something?')
  assert.deepEqual([matches.map(({ title }) => title).sort(), decision], [['One', 'Two'], 'offer'])
})

test('a phrasing that begins all others wins only for itself', async () => {
  const workspace = await make.workspace()
  await save(workspace, 'answers', { ...ANSWER, title: 'Prefix', phrasings: ['how do I'] })
  await save(workspace, 'answers', { ...ANSWER, title: 'Cancel', phrasings: ['how do I cancel my order'] })
  await save(workspace, 'answers', { ...ANSWER, title: 'Pay', phrasings: ['how do I pay by card'] })
  assert.equal((await titles(workspace, 'how do I cancel my order'))[0], 'Cancel')
  assert.equal((await titles(workspace, 'how do I pay by card'))[0], 'Pay')
})

test('any query gives an answer: long, empty of words, in any script, with wildcards or invisible characters', async () => {
  const workspace = await make.workspace()
  const inScripts: Record<string, [string, string, string]> = {
    Chinese: ['zh', '我的订单在哪里', '请问我的订单'],
    Arabic: ['ar', 'أين طلبي', 'اين طَلَبي'],
    Hindi: ['hi', 'मेरा ऑर्डर कहाँ है', 'ऑर्डर कहाँ'],
    Japanese: ['ja', '注文はどこですか', '注文はどこ'],
    Polish: ['pl', 'Gdzie jest moje zamówienie', 'zamowienia'],
  }
  for (const [title, [language, phrasing]] of Object.entries(inScripts))
    await save(workspace, 'answers', { ...ANSWER, title, language, phrasings: [phrasing] })
  for (const [title, [, , query]] of Object.entries(inScripts))
    assert.equal((await titles(workspace, query!))[0], title, title)
  assert.equal((await titles(workspace, '\u202eGdzie\u200b jest\u202c'))[0], 'Polish')
  for (const query of ['😀🎉', '%', '_', "'; drop table x; --", '\\', 'a', '的', '   ', '…?!'])
    assert.equal((await search(workspace, query)).decision === 'say', false, query)
  for (const query of ['word '.repeat(2_000), 'x'.repeat(10_000), '订'.repeat(10_000)].map((text) =>
    text.slice(0, 10_000),
  )) {
    const { status } = await call(
      workspace.token,
      'GET',
      `/knowledge/search?query=${encodeURIComponent(query.slice(0, 1_500))}`,
    )
    assert.equal(status, 200)
  }
})

test('another workspace’s knowledge is neither found nor counted', async () => {
  const [mine, theirs] = [await make.workspace(), await make.workspace()]
  await save(theirs, 'answers', { ...ANSWER, body: 'theirs' })
  assert.deepEqual((await search(mine, ANSWER.title)).matches, [])
  await save(mine, 'answers', ANSWER)
  const alone = await search(mine, ANSWER.title)
  for (let at = 0; at < 10; at++) await save(theirs, 'answers', { ...ANSWER, title: `Return ${at}` })
  assert.deepEqual(await search(mine, ANSWER.title), alone)
})

test('edits at once leave the index exact', async () => {
  const workspace = await make.workspace()
  const ctx = ctxOf(workspace.id)
  await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      at % 4 === 3
        ? saveItem(ctx, {
            kind: 'article',
            id: null,
            given: { ...ARTICLE, externalId: `e${at % 5}`, body: `${ARTICLE.body} ${at}` },
          })
        : saveAnswer(ctx, null, {
            ...ANSWER,
            externalId: `e${at % 3}`,
            language: at % 2 ? 'en' : 'de',
            state: at % 7 === 0 ? 'draft' : 'published',
            phrasings: [`phrasing ${at} returns`, 'rücksendung'],
          }),
    ),
  )
  await checkIndex(workspace.id)
})

test('an answer of 200 phrasings and an article of 100,000 characters are stored and found', async () => {
  const workspace = await make.workspace()
  const phrasings = Array.from({ length: 200 }, (_, at) => `phrasing number ${at} ${'x'.repeat(200)}${at}`)
  assert.equal((await save(workspace, 'answers', { ...ANSWER, phrasings })).status, 200)
  const body = Array.from(
    { length: 900 },
    (_, at) => `## Heading ${at}\n\nSome text about topic${at} and more words. `,
  )
    .join('\n')
    .padEnd(100_000, 'long ')
  assert.equal(
    (await save(workspace, 'articles', { ...ARTICLE, body: body.slice(0, 100_000).trim() })).status,
    200,
  )
  const [match] = (await search(workspace, 'what about topic457')).matches
  assert.match(match!.text, /topic457/)
  await checkIndex(workspace.id)
})

test('trigrams of a text are indexed only where its words can’t be stemmed', async () => {
  const grams = async (language: string) =>
    (await makeChunks({ kind: 'article', title: 'T', body: 'zamówienie 订单', phrasings: [], language }))[0]!
      .grams
  assert.deepEqual([...(await grams('en')).keys()], [' t ', '订单'])
  assert.ok((await grams('pl')).has('wie'))
})
