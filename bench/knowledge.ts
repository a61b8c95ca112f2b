// `npm run bench:knowledge`: how long a search takes in a workspace of 20,000 chunks. Filling it takes minutes. On a
// machine that does other things, the processor time says more than the clock.
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from 'kysely'
import { saveAnswer } from '../server/domain/knowledge/answers.ts'
import { saveArticle } from '../server/domain/knowledge/articles.ts'
import { ARTICLE_MAX } from '../server/domain/knowledge/schema.ts'
import { searchKnowledge } from '../server/domain/knowledge/search-knowledge.ts'
import type { Ctx } from '../server/platform/ctx/ctx.ts'
import { startApp } from '../test/app.ts'
import { readLabelledSet } from '../test/questions.ts'

const ANSWERS = 2_000
const ARTICLES = 360
const SECTIONS = 50
const WORDS_PER_SECTION = 200
const VOCABULARY = 30_000
const ROUNDS = 3

let state = 1
/** Always the same numbers, from 0 to 1. */
const random = (): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return state / 2_147_483_648
}

const SYLLABLES = 'ba ce di fo gu ha ke li mo nu pa re si to vu wa xe zi ro len der ing ung tion'.split(' ')
const set = readLabelledSet()
/** The words that customers use come first, and so are the most common ones. */
const vocabulary = [
  ...new Set(
    set.answers.flatMap(
      ({ phrasings }) =>
        phrasings
          .join(' ')
          .toLowerCase()
          .match(/\p{L}+/gu) ?? [],
    ),
  ),
]
while (vocabulary.length < VOCABULARY)
  vocabulary.push(
    Array.from(
      { length: 2 + Math.floor(random() * 3) },
      () => SYLLABLES[Math.floor(random() * SYLLABLES.length)],
    ).join(''),
  )

/** Zipf's law, roughly: the word of rank n is n times rarer than the first. */
const word = (): string => vocabulary[Math.floor(VOCABULARY ** random()) - 1]!
const text = (length: number): string => Array.from({ length }, word).join(' ')

const ASKER = { channel: null, country: null, tagIds: [], language: null }

/** The labelled answers among generated ones, and articles. */
const fill = async (ctx: Ctx): Promise<void> => {
  for (const answer of set.answers) await saveAnswer(ctx, null, answer)
  for (let at = set.answers.length; at < ANSWERS; at++)
    await saveAnswer(ctx, null, {
      title: text(4),
      language: at % 2 ? 'en' : 'de',
      body: text(40),
      phrasings: Array.from({ length: 10 }, () => text(8)),
    })
  const section = () => `## ${text(3)}\n\n${text(WORDS_PER_SECTION)}`
  for (let at = 0; at < ARTICLES; at++)
    await saveArticle(ctx, null, {
      title: text(4),
      language: at % 2 ? 'en' : 'de',
      body: Array.from({ length: SECTIONS }, section).join('\n\n').slice(0, ARTICLE_MAX),
    })
}

const TICK_MS = 10

/** Processor time that the database's connections have used, in milliseconds; null where /proc doesn't say. */
const databaseMs = async (db: Ctx['db']): Promise<number | null> => {
  const { rows } = await sql<{
    pid: number
  }>`select pid from pg_stat_activity where datname = current_database()`.execute(db)
  try {
    return rows.reduce((sum, { pid }) => {
      const [, user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\) (?:\S+ ){11}(\d+) (\d+)/)!
      return sum + (Number(user) + Number(system)) * TICK_MS
    }, 0)
  } catch {
    return null
  }
}

// As a test, because what the application leaves behind is cleaned up after tests.
test('search', async () => {
  const { ctxOf, db, make } = await startApp()
  const ctx = ctxOf((await make.workspace()).id)
  const begin = performance.now()
  await fill(ctx)
  const { rows } = await sql<{
    chunks: number
  }>`select sum(chunks)::integer as chunks from knowledge_languages`.execute(db)
  const seconds = (performance.now() - begin) / 1_000
  console.log(
    `${ANSWERS + ARTICLES} articles and answers, ${rows[0]!.chunks} chunks, saved in ${seconds.toFixed(0)} s`,
  )
  await sql`vacuum analyze`.execute(db)
  const times: number[] = []
  let first = 0
  let known = 0
  let [ownCpu, databaseCpu] = [process.cpuUsage(), await databaseMs(db)]
  for (let round = 0; round < ROUNDS; round++) {
    if (round === 1) [ownCpu, databaseCpu] = [process.cpuUsage(), await databaseMs(db)]
    for (const { text, title } of set.test) {
      const begin = performance.now()
      const [match] = await searchKnowledge(ctx, { query: text, asker: ASKER })
      if (round > 0) times.push(performance.now() - begin)
      if (title !== null) known++
      if (title !== null && match?.title === title) first++
    }
  }
  ownCpu = process.cpuUsage(ownCpu)
  const own = (ownCpu.user + ownCpu.system) / 1_000 / times.length
  const ofDatabase = databaseCpu === null ? null : ((await databaseMs(db))! - databaseCpu) / times.length
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)]!.toFixed(1)
  console.log(
    `search: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms; right at first ${(first / known).toFixed(2)}`,
  )
  console.log(
    `processor time of a search: ${own.toFixed(1)} ms here, ${ofDatabase?.toFixed(1) ?? 'unknown'} ms in PostgreSQL`,
  )
})
