// The documentation as it is served: complete, small, and without a link that leads nowhere.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startApp } from '../test/app.ts'
import { launchBrowser, skipBrowser } from '../test/browser.ts'
import { listPages } from './pages.ts'

const ROOT = resolve(import.meta.dirname, '..')
const BUILT = join(ROOT, 'dist/docs')
/** Bytes of a page with its style sheet and script, compressed. */
const PAGE_MAX = 40_000

const { app } = await startApp()
const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'))
const { pages } = listPages(document)
const get = (url: string) => app.inject({ url, headers: { 'accept-encoding': 'identity' } })

before(() => {
  const { status, stderr } = spawnSync(process.execPath, ['site/build.ts'], { cwd: ROOT, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

test('there is a page for each operation and each error that the API declares', () => {
  const paths = new Set(pages.map(({ path }) => path))
  for (const methods of Object.values(
    document.paths as Record<string, Record<string, { operationId: string }>>,
  ))
    for (const { operationId } of Object.values(methods)) {
      const slug = operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      assert.ok(paths.has(`api/${slug}`) || operationId === 'getOpenapiDocument', operationId)
    }
  for (const code of document.components.schemas.ErrorCode.enum) assert.ok(paths.has(`errors/${code}`), code)
  assert.equal(paths.size, pages.length)
})

test('every page is served as HTML and as Markdown, with this server’s address, and its links lead somewhere', async () => {
  const known = new Set([
    '/',
    '/docs/try',
    '/docs/static/favicon-32x32.png',
    '/sdk/foyer.js',
    '/sdk/foyer-sdk.tgz',
  ])
  const shared = ['style.css', 'page.js'].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(BUILT, name))).length,
    0,
  )
  for (const { path, title, summary } of pages) {
    const url = path ? `/docs/${path}` : '/docs'
    const { statusCode, headers, body } = await get(url)
    assert.equal(statusCode, 200, url)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.ok(summary.length > 10 && title.length > 2, `${url} has no summary`)
    assert.doesNotMatch(body, /inbox\.example\.com|undefined|\[object/, url)
    const size = gzipSync(body).length + shared
    assert.ok(size <= PAGE_MAX, `${url}: ${size} bytes`)
    const markdown = await get(path ? `${url}.md` : '/docs/index.md')
    assert.equal(markdown.headers['content-type'], 'text/markdown; charset=utf-8', url)
    for (const [, target] of body.matchAll(/(?:href|src)="(?:http:\/\/foyer\.test)?(\/[^"#]*)/g)) {
      if (known.has(target!)) continue
      assert.equal((await get(target!)).statusCode, 200, `${url} links to ${target}`)
      known.add(target!)
    }
  }
})

test('a page that does not exist is one that says so, and nothing outside of the folder is served', async () => {
  const missing = await get('/docs/errors/NOPE')
  assert.equal(missing.statusCode, 404)
  assert.match(missing.body, /Page not found/)
  for (const path of [
    '../../package.json',
    '..%2f..%2fpackage.json',
    '.stamp',
    'a/b/c',
    '%00',
    'api/../../x.json',
  ])
    assert.equal((await get(`/docs/${path}`)).statusCode, 404, path)
  assert.equal((await get('/docs/nope.json')).json().error.code, 'NOT_FOUND')
})

test('llms.txt lists every page as Markdown', async () => {
  const { body, headers } = await get('/docs/llms.txt')
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal(body.match(/^- \[/gm)?.length, pages.length)
  assert.match(body, /http:\/\/foyer\.test\/docs\/api\/send-message\.md/)
})

test('no guide is left out', () => {
  const files = globSync('docs/guide/*.md', { cwd: ROOT }).length
  assert.equal(pages.filter(({ group }) => group === 'Guides' || group === 'More').length, files)
  assert.ok(existsSync(join(BUILT, 'search.json')))
})

test('a language that is chosen once is shown on the next pages, in guides too', {
  skip: skipBrowser,
}, async () => {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    const shown = () => page.locator('.tabs__panel:visible').allInnerTexts()
    await page.goto(`${url}/docs/api/list-contacts`)
    assert.match((await shown()).join(), /^curl /)
    await page.getByText('Python', { exact: true }).click()
    assert.match((await shown()).join(), /^from foyer_sdk/)
    await page.goto(`${url}/docs/guides/sdk`)
    const samples = await shown()
    assert.ok(samples.length >= 5)
    for (const sample of samples) assert.doesNotMatch(sample, /await|const |console/)
  } finally {
    await browser.close()
  }
})
