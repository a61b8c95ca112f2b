// Websites and files from adding them to what is found in knowledge, over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startApp } from '../../../../test/app.ts'
import { signIn } from '../../../../test/console.ts'
import { htmlPage, serveSite, sitemap } from '../../../../test/site.ts'
import { readSource } from './read-source.ts'
import { docx } from './testing/documents.ts'

const app = await startApp()
const { call, clock, ctxOf, db, make } = app
const DAY_MS = 86_400_000

type Workspace = { id: string; token: string }
const add = async ({ token }: Workspace, body: object) => {
  const {
    status,
    body: answer,
    text,
  } = await call(token, 'POST', '/knowledge/sources', { language: 'en', ...body })
  assert.equal(status, 200, text)
  return answer.source.id as string
}
const sourceOf = async ({ token }: Workspace, id: string) =>
  (await call(token, 'GET', '/knowledge/sources')).body.sources.find((one: { id: string }) => one.id === id)
/** Reads without waiting between turns. */
const read = async (workspace: Workspace, id: string) => {
  const options = { signal: new AbortController().signal, turnMs: 60_000 }
  for (let turn = 0; turn < 30; turn++)
    if ((await readSource(ctxOf(workspace.id), id, options)) === null) break
  return sourceOf(workspace, id)
}
const readAgain = async (workspace: Workspace, id: string) => {
  assert.equal((await call(workspace.token, 'POST', `/knowledge/sources/${id}/read`)).status, 200)
  return read(workspace, id)
}
const found = async (
  { token }: Workspace,
  query: string,
): Promise<{ title: string; text: string; needsReview: boolean }[]> =>
  (await call(token, 'GET', `/knowledge/search?query=${encodeURIComponent(query)}&includeInternal=true`)).body
    .matches
const articles = async ({ token }: Workspace) =>
  (await call(token, 'GET', '/knowledge/articles?limit=100')).body.articles
/** A call of the console by an admin. */
const openConsole = async ({ id }: { id: string }) =>
  (await signIn(app, id, (await make.agent(id, { role: 'admin' })).id)).call

test('a page is read with its settings, found, and removed with its article', async () => {
  const workspace = await make.workspace()
  const site = await serveSite({ '/help': htmlPage('Returns', 'Everything can be returned within 30 days.') })
  const id = await add(workspace, {
    type: 'page',
    url: `${site.base}/help#top`,
    isInternal: true,
    reviewBy: '2031-01-01',
  })
  assert.equal((await sourceOf(workspace, id)).state, 'reading')
  const source = await read(workspace, id)
  assert.deepEqual(
    [source.state, source.pages.published, source.name],
    ['ready', 1, `${site.base.slice(7)}/help`],
  )
  const [match] = await found(workspace, 'how many days to return')
  assert.match(match!.text, /30 days/)
  const [article] = await articles(workspace)
  assert.deepEqual(
    [article.title, article.url, article.isInternal, article.reviewBy],
    ['Returns', `${site.base}/help`, true, '2031-01-01'],
  )
  assert.deepEqual(site.requests, ['/robots.txt', '/help'])
  const removed = await call(workspace.token, 'DELETE', `/knowledge/sources/${id}`)
  assert.deepEqual(removed.body, { success: true })
  assert.deepEqual([await found(workspace, 'how many days to return'), await articles(workspace)], [[], []])
})

test('settings can be changed, and articles follow where nobody has changed theirs', async () => {
  const workspace = await make.workspace()
  const admin = await openConsole(workspace)
  const site = await serveSite({
    '/a': htmlPage('Returns', 'Everything can be returned within 30 days.'),
    '/b': htmlPage('Shipping', 'Parcels take two days.'),
  })
  site.pages['/sitemap.xml'] = sitemap([`${site.base}/a`, `${site.base}/b`])
  const id = await add(workspace, {
    type: 'sitemap',
    url: `${site.base}/sitemap.xml`,
    reviewBy: '2031-01-01',
  })
  await read(workspace, id)
  const [one, other] = await articles(workspace)
  const { body: item } = await call(workspace.token, 'GET', `/knowledge/articles/${other.id}`)
  const { title, language, body } = item.article
  const own = { title, language, body, audience: { countries: ['PT'] }, reviewBy: '2031-01-01' }
  assert.equal((await admin('PUT', `/knowledge/articles/${other.id}`, own)).status, 200)

  const change = { name: 'Help', updates: 'publish', audience: { countries: ['DE'] }, isInternal: true }
  const changed = await admin('PATCH', `/knowledge/sources/${id}`, change)
  const none = { channels: [], countries: [], tagIds: [], languages: [] }
  assert.deepEqual(changed.body.settings, {
    ...change,
    language: 'en',
    reviewBy: '2031-01-01',
    audience: { ...none, countries: ['DE'] },
  })
  assert.equal((await sourceOf(workspace, id)).name, 'Help')
  const after = new Map((await articles(workspace)).map((article: { id: string }) => [article.id, article]))
  const settingsOf = (articleId: string) => {
    const { audience, isInternal, reviewBy } = after.get(articleId) as typeof one
    return [audience.countries, isInternal, reviewBy]
  }
  assert.deepEqual(settingsOf(one.id), [['DE'], true, '2031-01-01'])
  assert.deepEqual(settingsOf(other.id), [['PT'], true, '2031-01-01'])
  assert.deepEqual((await admin('PATCH', `/knowledge/sources/${id}`, {})).body, changed.body)
  for (const [field, wrong] of [
    ['name', { name: '' }],
    ['reviewBy', { reviewBy: '2027-02-31' }],
    ['audience.tagIds[0]', { audience: { tagIds: ['gone'] } }],
  ] as const) {
    const refused = await admin('PATCH', `/knowledge/sources/${id}`, wrong)
    assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, field])
  }
})

test('a sitemap is read up to 500 pages, without what robots.txt disallows, and not from other sites', async () => {
  const workspace = await make.workspace()
  const other = await serveSite({ '/x': htmlPage('Elsewhere', 'Nothing of ours.') })
  const site = await serveSite({
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private' },
    '/private/1': htmlPage('Private', 'TRAP'),
    '/moved': { status: 302, headers: { location: '/private/1' } },
    '/loop': { status: 302, headers: { location: '/loop' } },
    '/empty': '<body><div id="app"></div><script>start()</script></body>',
    '/film': { headers: { 'content-type': 'video/mp4' }, body: 'TRAP' },
    '/inside': { status: 301, headers: { location: 'http://169.254.169.254/latest' } },
    '/nothing': { status: 204 },
    '/huge': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      const more = () => {
        while (!response.destroyed && response.write('<p>TRAP</p>'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    },
    '/bomb': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(50 * 1024 * 1024)) },
    '/good': htmlPage('Shipping', 'Shipping takes two days.'),
  })
  const odd = [
    '/private/1',
    '/moved',
    '/loop',
    '/empty',
    '/film',
    '/inside',
    '/nothing',
    '/huge',
    '/bomb',
    '/missing',
  ]
  const urls = [...odd, '/good'].map((path) => site.base + path)
  site.pages['/sitemap.xml'] = sitemap([...urls, `${other.base}/x`])
  const id = await add(workspace, { type: 'sitemap', url: `${site.base}/sitemap.xml` })
  const source = await read(workspace, id)
  assert.deepEqual([source.state, source.pages.total, source.pages.published], ['ready', 11, 1])
  assert.deepEqual(
    [(await articles(workspace)).map(({ title }: { title: string }) => title), other.requests],
    [['Shipping'], []],
  )
  const asked = await openConsole(workspace)
  const { body } = await asked('GET', `/knowledge/sources/${id}`)
  const codes = Object.fromEntries(
    body.pages.map(({ location, problem }: { location: string; problem: { code: string } | null }) => [
      location.slice(site.base.length),
      problem?.code ?? null,
    ]),
  )
  assert.deepEqual(codes, {
    '/private/1': 'BLOCKED_BY_ROBOTS',
    '/moved': 'BLOCKED_BY_ROBOTS',
    '/loop': 'REDIRECTED',
    '/empty': 'NO_TEXT',
    '/film': 'NOT_A_PAGE',
    '/inside': 'ADDRESS_NOT_ALLOWED',
    '/nothing': 'HTTP_204',
    '/huge': 'RESPONSE_TOO_LARGE',
    '/bomb': 'RESPONSE_TOO_LARGE',
    '/missing': 'HTTP_404',
    '/good': null,
  })
  assert.equal(site.requests.filter((path) => path === '/private/1').length, 0)
})

test('a sitemap with a million pages, one that is none, and an index of sitemaps', async () => {
  const workspace = await make.workspace()
  const site = await serveSite({ '/page': htmlPage('Page', 'A page.') })
  const urls = (count: number) => Array.from({ length: count }, (_, at) => `${site.base}/${at}`)
  site.pages['/million.xml'] = sitemap(urls(1_000_000))
  site.pages['/many.xml'] = sitemap(urls(2_000))
  site.pages['/index.xml'] = {
    headers: { 'content-type': 'application/xml' },
    body: `<sitemapindex><sitemap><loc>${site.base}/one.xml</loc></sitemap><sitemap><loc>${site.base}/none.xml</loc></sitemap></sitemapindex>`,
  }
  site.pages['/one.xml'] = sitemap([`${site.base}/page`])
  const outcome = async (path: string) => {
    const id = await add(workspace, { type: 'sitemap', url: site.base + path })
    const options = { signal: new AbortController().signal, turnMs: 0 }
    await readSource(ctxOf(workspace.id), id, options)
    const { state, problem, pages } = await sourceOf(workspace, id)
    return [state, problem?.code ?? null, pages.total]
  }
  assert.deepEqual(await outcome('/million.xml'), ['failed', 'SITEMAP_TOO_LARGE', 0])
  assert.deepEqual(await outcome('/many.xml'), ['reading', null, 500])
  assert.deepEqual(await outcome('/page'), ['failed', 'NOT_A_SITEMAP', 0])
  assert.deepEqual(await outcome('/gone.xml'), ['failed', 'HTTP_404', 0])
  assert.deepEqual(await outcome('/index.xml'), ['reading', null, 1])
})

test('changed text waits for a person, who sees the difference and publishes or dismisses it', async () => {
  const workspace = await make.workspace()
  const site = await serveSite({ '/a': htmlPage('Returns', 'Within 30 days.') })
  const id = await add(workspace, { type: 'page', url: `${site.base}/a` })
  await read(workspace, id)
  const asked = await openConsole(workspace)
  const waiting = async () => {
    const { pages } = (await asked('GET', `/knowledge/sources/${id}`)).body
    const path = `/knowledge/sources/${id}/pages/${pages[0].id}/change`
    return { path, ...(await asked('GET', path)) }
  }
  site.pages['/a'] = htmlPage('Returns', 'Within 14 days.')
  assert.equal((await readAgain(workspace, id)).pages.changed, 1)
  assert.match((await found(workspace, 'returns'))[0]!.text, /30 days/)
  const first = await waiting()
  assert.deepEqual([first.body.before.body, first.body.after.body], ['Within 30 days.', 'Within 14 days.'])

  site.pages['/a'] = htmlPage('Returns', 'Within 10 days.')
  await readAgain(workspace, id)
  const stale = await asked('POST', first.path, { decision: 'publish', changedAt: first.body.changedAt })
  assert.equal(stale.body.error.code, 'KNOWLEDGE_CHANGED')
  const second = await waiting()
  const published = await asked('POST', second.path, {
    decision: 'publish',
    changedAt: second.body.changedAt,
  })
  assert.equal(published.status, 200, published.text)
  assert.match((await found(workspace, 'returns'))[0]!.text, /10 days/)
  assert.equal((await readAgain(workspace, id)).pages.changed, 0)

  site.pages['/a'] = htmlPage('Returns', 'Never.')
  await readAgain(workspace, id)
  const third = await waiting()
  await asked('POST', third.path, { decision: 'dismiss', changedAt: third.body.changedAt })
  assert.equal((await readAgain(workspace, id)).pages.changed, 0, 'a dismissed text came back')
  assert.match((await found(workspace, 'returns'))[0]!.text, /10 days/)
})

test('with updates published at once, what people set of the article stays', async () => {
  const workspace = await make.workspace()
  const site = await serveSite({ '/a': htmlPage('Returns', 'Within 30 days.') })
  const id = await add(workspace, { type: 'page', url: `${site.base}/a`, updates: 'publish' })
  await read(workspace, id)
  const [{ id: articleId }] = await articles(workspace)
  const { article } = (await call(workspace.token, 'GET', `/knowledge/articles/${articleId}`)).body
  const { id: _, createdAt, updatedAt, ...body } = article
  const set = { ...body, audience: { ...body.audience, countries: ['DE'] }, reviewBy: '2030-05-05' }
  assert.equal((await call(workspace.token, 'PUT', `/knowledge/articles/${articleId}`, set)).status, 200)
  site.pages['/a'] = htmlPage('Return deadline', 'Within 14 days.')
  await readAgain(workspace, id)
  const after = (await call(workspace.token, 'GET', `/knowledge/articles/${articleId}`)).body.article
  assert.deepEqual(
    [after.title, after.body, after.audience.countries, after.reviewBy],
    ['Return deadline', 'Within 14 days.', ['DE'], '2030-05-05'],
  )
})

test('a page that is gone keeps its last text and is up for review until it is back', async () => {
  const workspace = await make.workspace()
  const page = htmlPage('Returns', 'Within 30 days.')
  const site = await serveSite({ '/a': page })
  const id = await add(workspace, { type: 'page', url: `${site.base}/a`, reviewBy: '2031-01-01' })
  await read(workspace, id)
  delete site.pages['/a']
  assert.equal((await readAgain(workspace, id)).pages.unavailable, 1)
  const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)
  const due = async () =>
    (await call(workspace.token, 'GET', `/knowledge/articles?reviewBefore=${tomorrow}`)).body.articles.length
  assert.equal(await due(), 1)
  assert.match((await found(workspace, 'returns'))[0]!.text, /30 days/)
  site.pages['/a'] = page
  assert.equal((await readAgain(workspace, id)).pages.unavailable, 0)
  assert.equal(await due(), 0)
  assert.equal((await articles(workspace))[0].reviewBy, '2031-01-01')
})

test('a week later a page is asked for only if it changed, and lies about that last four weeks at most', async () => {
  const workspace = await make.workspace()
  let text = 'Within 30 days.'
  let isLying = false
  const site = await serveSite({
    '/a': (request, response) => {
      const isSame = isLying && request.headers['if-none-match'] === '"1"'
      response.writeHead(isSame ? 304 : 200, { 'content-type': 'text/html', etag: '"1"' })
      response.end(isSame ? '' : htmlPage('Returns', text))
    },
  })
  const id = await add(workspace, { type: 'page', url: `${site.base}/a`, updates: 'publish' })
  await read(workspace, id)
  const startMs = Date.now()
  const body = async () => (await found(workspace, 'returns'))[0]!.text
  try {
    const week = async (number: number) => {
      clock.now = () => new Date(startMs + number * 7 * DAY_MS + 60_000 * number)
      return read(workspace, id)
    }
    // The same tag for another text: the text decides.
    text = 'Within 14 days.'
    assert.equal((await week(1)).version, 2)
    assert.match(await body(), /14 days/)
    isLying = true
    text = 'Within 10 days.'
    await week(2)
    assert.match(await body(), /14 days/)
    assert.equal((await week(3)).version, 4)
    assert.match(await body(), /10 days/)
  } finally {
    clock.now = () => new Date(Date.now())
  }
})

test('an article that someone deleted does not come back, and a site that is down is told and tried again', async () => {
  const workspace = await make.workspace()
  const site = await serveSite({ '/a': htmlPage('A', 'First.'), '/b': htmlPage('B', 'Second.') })
  site.pages['/s.xml'] = sitemap([`${site.base}/a`, `${site.base}/b`])
  const id = await add(workspace, { type: 'sitemap', url: `${site.base}/s.xml`, updates: 'publish' })
  await read(workspace, id)
  const gone = (await articles(workspace)).find(({ title }: { title: string }) => title === 'A')
  await call(workspace.token, 'DELETE', `/knowledge/articles/${gone.id}`)
  site.pages['/a'] = htmlPage('A', 'Changed.')
  await readAgain(workspace, id)
  assert.deepEqual(
    (await articles(workspace)).map(({ title }: { title: string }) => title),
    ['B'],
  )
  site.pages['/b'] = { status: 503 }
  const down = await readAgain(workspace, id)
  assert.deepEqual([down.state, down.pages.published, down.pages.failed], ['ready', 1, 1])
  site.pages['/robots.txt'] = { status: 500 }
  const failed = await readAgain(workspace, id)
  assert.deepEqual([failed.state, failed.problem?.code], ['failed', 'ROBOTS_UNREADABLE'])
  assert.match((await found(workspace, 'second'))[0]!.text, /Second/)
})

test('two that read the same source at once store each page once', async () => {
  const workspace = await make.workspace()
  const site = await serveSite({})
  const urls = Array.from({ length: 12 }, (_, at) => `/${at}`)
  for (const path of urls) site.pages[path] = htmlPage(`Page ${path}`, `Text of ${path}.`)
  site.pages['/s.xml'] = sitemap(urls.map((path) => site.base + path))
  const id = await add(workspace, { type: 'sitemap', url: `${site.base}/s.xml` })
  await Promise.all([read(workspace, id), read(workspace, id), read(workspace, id)])
  const { state, version, pages } = await sourceOf(workspace, id)
  assert.deepEqual([state, version, pages.published], ['ready', 1, 12])
  assert.equal((await articles(workspace)).length, 12)
})

test('a file is read, replaced by its next version, and refused if it is another’s or too large', async () => {
  const workspace = await make.workspace()
  const asked = await openConsole(workspace)
  const upload = async (name: string, content: string | Buffer) => {
    const data = new FormData()
    data.append('file', new File([new Uint8Array(Buffer.from(content))], name))
    const form = new Response(data)
    const { body, status, text } = await asked('POST', '/attachments', undefined, {
      headers: { 'content-type': form.headers.get('content-type')! },
      payload: Buffer.from(await form.arrayBuffer()),
    })
    assert.equal(status, 200, text)
    return body.attachment.id as string
  }
  const added = await asked('POST', '/knowledge/files', {
    attachmentId: await upload('Manual.docx', docx('Care', ['Safe in the dishwasher.'])),
    language: 'en',
  })
  assert.equal(added.status, 200, added.text)
  const { id } = added.body.source
  assert.deepEqual(
    [(await read(workspace, id)).state, (await articles(workspace))[0].title],
    ['ready', 'Manual'],
  )
  assert.match((await found(workspace, 'dishwasher'))[0]!.text, /Safe/)

  const long = 'Not safe in the microwave at all.\n\n'.repeat(5_000)
  const next = async (name: string, content: string) =>
    asked('PUT', `/knowledge/files/${id}`, { attachmentId: await upload(name, content) })
  await next('Manual.txt', long)
  assert.deepEqual(
    [
      (await read(workspace, id)).version,
      (await articles(workspace)).map(({ title }: { title: string }) => title),
    ],
    [2, ['Manual (2)', 'Manual (1)']],
  )
  await next('Manual.txt', 'Ask us.')
  assert.equal((await read(workspace, id)).pages.total, 1)
  assert.deepEqual(
    (await articles(workspace)).map(({ title }: { title: string }) => title),
    ['Manual'],
  )
  await next('Manual.pdf', 'no pdf')
  const broken = await read(workspace, id)
  assert.deepEqual([broken.state, broken.problem.code, broken.pages.published], ['failed', 'FILE_DAMAGED', 1])

  assert.equal((await next('Manual.exe', 'x')).status, 400)
  assert.equal((await next('Manual.txt', 'x'.repeat(10 * 1024 * 1024 + 1))).status, 400)
  const other = await openConsole(await make.workspace())
  const foreign = await upload('a.txt', 'Ours')
  assert.equal(
    (await other('POST', '/knowledge/files', { attachmentId: foreign, language: 'en' })).status,
    400,
  )
  assert.equal((await readAgain(workspace, id)).version, broken.version)
})

test('addresses that no site can have are refused when they are entered', async () => {
  const { token } = await make.workspace()
  for (const url of [
    'ftp://a.example',
    'https://me:secret@a.example',
    'https://a.example:25/',
    'https://',
    'nonsense',
  ]) {
    const body = { type: 'page', url, language: 'en' }
    assert.equal(
      (await call(token, 'POST', '/knowledge/sources', body)).body.error.details[0].field,
      'url',
      url,
    )
  }
  assert.equal(
    await db
      .selectFrom('knowledge_sources')
      .selectAll()
      .where('url', 'like', '%a.example%')
      .executeTakeFirst(),
    undefined,
  )
})
