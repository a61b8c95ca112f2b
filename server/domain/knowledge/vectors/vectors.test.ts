// Vectors of knowledge, from the sandbox's embedding model: its vectors are of character trigrams.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { allowOutbound } from '../../../../channels/protocol/outbound.ts'
import { startSandbox } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import { embedKnowledge } from '../../../jobs/embed-knowledge.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { saveProviderRow } from '../../ai/provider/queries.ts'
import { updateAiSettings } from '../../ai/settings.ts'
import { saveAnswer } from '../answers.ts'
import { saveArticle } from '../articles.ts'
import { decideAnswer } from '../decide-answer.ts'
import { deleteItem } from '../save-item.ts'
import { searchKnowledge } from '../search-knowledge.ts'
import { findCandidates } from '../search-queries.ts'
import { findNearness } from './nearest-chunks.ts'
import { fromBytes, toBytes } from './vector-bytes.ts'
import { makeVectorMemory } from './vector-memory.ts'

const app = await startApp()
const sandbox = await startSandbox({ modelKey: 'sk-test-4f9d2c81e7a6b350' })
const { control } = sandbox
after(() => sandbox.stop())
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())

const ASKER = { channel: null, country: null, tagIds: [], language: null }
const find = async (ctx: Ctx, query: string) =>
  (await searchKnowledge(ctx, { query, asker: ASKER })).map(({ title }) => title)

const connect = (ctx: Ctx, embeddingModel: string | null = 'near-1', path = '/v1') =>
  saveProviderRow(
    ctx,
    {
      isEnabled: true,
      kind: 'chat_completions',
      baseUrl: `${sandbox.url}${path}`,
      key: ctx.seal.seal('sk-test-4f9d2c81e7a6b350', { workspaceId: ctx.workspaceId, id: sandbox.url }),
      model: 'sandbox-script',
      embeddingModel,
      currency: 'USD',
      prices: null,
    },
    null,
  )

const embedAll = () => embedKnowledge({ ...app.deps, log: app.app.log, isStopping: () => false } as never)

const vectorsOf = async ({ db, workspaceId }: Ctx) => {
  const { rows } = await sql<{ chunk: number; model: string; bytes: number }>`
    select chunk, model, length(vector) as bytes from knowledge_vectors where workspace_id = ${workspaceId}
    order by chunk`.execute(db)
  return rows
}

/** The question's words are misspelt, and trigrams of sections aren't indexed: only the vector finds it. */
const TEXT = 'Polishing silverware requires baking powder dissolved in lukewarm water.'
const QUESTION = 'polishin silvrwre requirez bakin powderr dissolvd lukewarmm watr'

const makeWorkspace = async (embeddingModel: string | null = 'near-1') => {
  const ctx = app.ctxOf((await app.make.workspace()).id)
  await saveArticle(ctx, null, { title: 'Cutlery', language: 'en', body: TEXT })
  await saveAnswer(ctx, null, {
    title: 'Opening hours',
    language: 'en',
    body: 'From nine to five.',
    phrasings: ['When are you open?'],
  })
  if (embeddingModel !== null) await connect(ctx, embeddingModel)
  return ctx
}

test('what is published gets vectors with the next run, and is then found by them', async () => {
  const ctx = await makeWorkspace()
  assert.ok(!(await find(ctx, QUESTION)).includes('Cutlery'))
  await embedAll()
  assert.deepEqual(
    (await vectorsOf(ctx)).map(({ model, bytes }) => [model, bytes]),
    [
      ['near-1', 1_024],
      ['near-1', 1_024],
    ],
  )
  assert.ok((await find(ctx, QUESTION)).includes('Cutlery'))
  await saveArticle(ctx, null, {
    title: 'Lamps',
    language: 'en',
    body: 'Fluorescent tubes flicker eventually.',
  })
  await embedAll()
  assert.ok((await find(ctx, 'fluorescnt tubez flickr eventualy')).includes('Lamps'))
})

test('vectors change the order, and nothing is said on their account', async () => {
  const ctx = await makeWorkspace()
  const certaintyOf = async (query: string) =>
    new Map((await searchKnowledge(ctx, { query, asker: ASKER })).map(({ id, certainty }) => [id, certainty]))
  const without = await certaintyOf('When do you open on Sundays?')
  await embedAll()
  for (const [id, certainty] of await certaintyOf('When do you open on Sundays?'))
    assert.equal(certainty, without.get(id) ?? certainty)
  const matches = await searchKnowledge(ctx, { query: QUESTION, asker: ASKER })
  assert.equal(decideAnswer(matches).say, null)
})

test('a vector shows nobody what they may not see, and nothing of another workspace', async () => {
  const ctx = await makeWorkspace()
  const internal = await makeWorkspace()
  await saveArticle(internal, null, {
    title: 'For us',
    language: 'en',
    body: 'Fluorescent tubes flicker eventually.',
    isInternal: true,
  })
  await embedAll()
  const query = 'fluorescnt tubez flickr eventualy'
  assert.ok(!(await find(internal, query)).includes('For us'))
  const all = await searchKnowledge(internal, { query, asker: ASKER, includeInternal: true })
  assert.ok(all.some(({ title }) => title === 'For us'))
  assert.ok(!(await find(ctx, query)).includes('For us'))
})

test('another model gives all of them new vectors, and what is deleted has none', async () => {
  const ctx = await makeWorkspace()
  const { answer } = await saveAnswer(ctx, null, {
    title: 'Gone',
    language: 'en',
    body: 'Soon.',
    phrasings: ['Bye'],
  })
  await embedAll()
  assert.equal((await vectorsOf(ctx)).length, 3)
  await connect(ctx, 'near-2')
  // Until then, those of the old model aren't compared with the new one's.
  assert.ok(!(await find(ctx, QUESTION)).includes('Cutlery'))
  await embedAll()
  assert.deepEqual(new Set((await vectorsOf(ctx)).map(({ model }) => model)), new Set(['near-2']))
  assert.ok((await find(ctx, QUESTION)).includes('Cutlery'))
  await deleteItem(ctx, { kind: 'answer', id: answer.id })
  assert.equal((await vectorsOf(ctx)).length, 2)
  assert.ok(!(await find(ctx, 'Gone')).includes('Gone'))
})

test('a provider that fails leaves the search to the words, and the rest to the next run', async () => {
  const ctx = await makeWorkspace()
  control.addModelFault({ kind: 'key', wire: 'embeddings', times: null })
  await embedAll()
  assert.deepEqual(await vectorsOf(ctx), [])
  control.clearModel()
  await embedAll()
  assert.equal((await vectorsOf(ctx)).length, 2)
  for (const kind of ['malformed', 'key', 'hang'] as const) {
    control.clearModel()
    control.addModelFault({ kind, wire: 'embeddings', times: null })
    assert.deepEqual(await find(ctx, 'When are you open?'), ['Opening hours'], kind)
  }
})

test('a text that the model refuses is left out, and the others have vectors', async () => {
  const ctx = await makeWorkspace()
  // The whole batch, then the first of two.
  control.addModelFault({ kind: 'too-long', wire: 'embeddings', times: 2 })
  await embedAll()
  assert.equal((await vectorsOf(ctx)).length, 1)
  await embedAll()
  assert.equal((await vectorsOf(ctx)).length, 1)
})

test('where there are too many to compare, those that the words found are put in order', async () => {
  const ctx = await makeWorkspace()
  await embedAll()
  const nearness = await findNearness(ctx, QUESTION)
  const [article, answer] = (await vectorsOf(ctx)).map(({ chunk }) => chunk)
  assert.deepEqual(await nearness!.order([answer!, article!, 99]), [article, answer])
  const found = await findCandidates(ctx, {
    words: 'opening cutlery',
    grams: [],
    asker: ASKER,
    includeInternal: false,
    nearest: [],
    isWide: true,
  })
  assert.deepEqual(found.candidates.map(({ chunk }) => chunk).sort(), [article, answer])
})

test('without an embedding model nothing is asked, and a search is two statements', async () => {
  const ctx = await makeWorkspace(null)
  await connect(ctx, null)
  await embedAll()
  assert.deepEqual(await vectorsOf(ctx), [])
  const { statements } = app.database
  const begin = statements.length
  await find(ctx, 'When are you open?')
  assert.equal(statements.length - begin, 2)
})

test('vectors survive their bytes, and the memory for them is bounded', async () => {
  const vector = Float32Array.from([0.25, -0.5, 1e-8])
  assert.deepEqual(fromBytes(toBytes(vector)), vector)
  const memory = makeVectorMemory(2 * 4 * 3)
  const reads: number[] = []
  const read = (key: string, until: number, countMax = 2) =>
    memory.read({ key, dimensions: 3, until, countMax }, async (after) => {
      reads.push(after)
      return Array.from({ length: until - after }, (_, at) => ({
        chunk: after + at + 1,
        vector: toBytes(vector),
      }))
    })
  assert.deepEqual((await read('a', 1)).chunks, [1])
  assert.deepEqual((await read('a', 2)).chunks, [1, 2])
  await read('a', 2)
  assert.deepEqual(reads, [0, 1])
  await read('b', 1)
  assert.deepEqual(memory.keys(), ['b'])
})

test('embeddings count in the budget, and wait once it is used up', async () => {
  const ctx = await makeWorkspace()
  await app.db
    .updateTable('ai_providers')
    .set({ input_price: '1000000', cached_price: '1000000', output_price: '1000000' })
    .where('workspace_id', '=', ctx.workspaceId)
    .execute()
  const spent = () =>
    app.db
      .selectFrom('ai_spending')
      .select(['period', 'cost', 'tokens', 'requests'])
      .where('workspace_id', '=', ctx.workspaceId)
      .orderBy('period')
      .execute()
  await embedAll()
  const [day, month] = await spent()
  assert.ok(Number(day!.tokens) > 0)
  assert.deepEqual([Number(day!.cost), day!.requests], [Number(day!.tokens), 1])
  assert.deepEqual({ ...month, period: 'day' }, day)
  await updateAiSettings(ctx, { budget: { day: Number(day!.cost), month: null } })
  await saveArticle(ctx, null, { title: 'Lamps', language: 'en', body: 'Tubes flicker eventually.' })
  await embedAll()
  assert.equal((await vectorsOf(ctx)).length, 2)
  assert.deepEqual((await spent())[0], day)
  await updateAiSettings(ctx, { budget: { day: null, month: null } })
  await embedAll()
  assert.equal((await vectorsOf(ctx)).length, 3)
})
