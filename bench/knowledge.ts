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
import {
  type Figure,
  load,
  loadBefore,
  percentile,
  postgresOf,
  producedBy,
  tableOf,
  writeAiSection,
} from './measured.ts'

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
  const busy = loadBefore()
  const { ctxOf, db, make } = await startApp()
  const ctx = ctxOf((await make.workspace()).id)
  const begin = performance.now()
  await fill(ctx)
  const { rows } = await sql<{
    chunks: number
  }>`select sum(chunks)::integer as chunks from knowledge_languages`.execute(db)
  const seconds = (performance.now() - begin) / 1_000
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
  const figures: Figure[] = []
  const say = (what: string, measured: string, target?: string): void => {
    figures.push({ what, measured, ...(target && { target }), load: load() })
  }
  const at = (share: number) => `${percentile(times, share).toFixed(1)} ms`
  say('a search, p50', at(0.5))
  say('a search, p95', at(0.95), '≤ 30 ms')
  say('a search, p99', at(0.99))
  say('processor time of a search, in the process', `${own.toFixed(1)} ms`)
  say('processor time of a search, PostgreSQL', `${ofDatabase?.toFixed(1) ?? 'unknown'} ms`)
  say('questions whose answer is found first', `${((100 * first) / known).toFixed(0)} %`)
  say('answers and articles are saved in', `${seconds.toFixed(0)} s`)
  writeAiSection('Search', [
    producedBy({
      script: 'bench:knowledge',
      postgres: await postgresOf(db),
      shared: 'The process that searches and PostgreSQL',
      busy,
      caveat: 'so the times are too long.',
    }),
    '',
    `${ANSWERS + ARTICLES} answers and articles of ${rows[0]!.chunks.toLocaleString('en-US')} chunks. The questions of the labelled set in \`test/questions\` are searched ${ROUNDS - 1} times, after once to warm up.`,
    '',
    ...tableOf(figures),
  ])
})
