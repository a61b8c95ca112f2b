// Reading websites by running workers, some of which are killed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { htmlPage, serveSite, sitemap } from '../../test/site.ts'
import { until } from '../../test/until.ts'
import { addWebsite } from '../domain/knowledge/sources/save-source.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=1000 is the soak. */
const KILLS = Number(process.env.KILLS ?? 2)
const PAGES = 20

const { ctxOf, database, db, make } = await startApp()
const stateOf = async (id: string) =>
  (await db.selectFrom('knowledge_sources').select('state').where('id', '=', id).executeTakeFirstOrThrow())
    .state

const titlesOf = async (workspaceId: string) =>
  (await db.selectFrom('knowledge_items').select('title').where('workspace_id', '=', workspaceId).execute())
    .map(({ title }) => title)
    .sort()

test('workers killed in the middle of a website leave no page out, and none double', async () => {
  const { id: workspaceId } = await make.workspace()
  const site = await serveSite({})
  const names = Array.from({ length: PAGES }, (_, at) => `Page ${at}`)
  for (const [at, name] of names.entries()) site.pages[`/${at}`] = htmlPage(name, `Text of ${name}.`)
  site.pages['/s.xml'] = sitemap(names.map((_, at) => `${site.base}/${at}`))
  const given = { type: 'sitemap', url: `${site.base}/s.xml`, language: 'en' } as const
  const { source } = await addWebsite(ctxOf(workspaceId), given)
  const isDone = async () => (await stateOf(source.id)) === 'ready'
  for (let killed = 0; killed < KILLS && !(await isDone()); killed++) {
    const worker = await startKillable(database.connectionString)
    const before = (await titlesOf(workspaceId)).length
    await until(
      async () => (await titlesOf(workspaceId)).length > before || (await isDone()),
      'a page to be read',
      60_000,
    )
    await kill(worker)
  }
  const last = await startKillable(database.connectionString)
  await until(isDone, 'the website to be read', 60_000)
  assert.deepEqual(await titlesOf(workspaceId), names.sort())

  // The sites of one workspace that don't answer take two readers, and hold up no other workspace.
  const silent = await serveSite({ '/robots.txt': () => {} })
  const quick = await serveSite({ '/': htmlPage('Quick', 'It answers.') })
  const other = await make.workspace()
  for (let at = 0; at < 4; at++)
    await addWebsite(ctxOf(workspaceId), { type: 'page', url: `${silent.base}/${at}`, language: 'en' })
  await until(() => silent.requests.length >= 2, 'the silent site to be asked')
  await addWebsite(ctxOf(other.id), { type: 'page', url: `${quick.base}/`, language: 'en' })
  await until(async () => (await titlesOf(other.id)).length === 1, 'the quick site to be read')
  assert.ok(silent.requests.length < 4, 'a workspace has more than its two readers')
  await kill(last)
})
