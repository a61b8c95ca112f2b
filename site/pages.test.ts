// The documentation as it is served: complete, small, and without a link that leads nowhere.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startApp } from '../test/app.ts'
import { launchBrowser, skipBrowser } from '../test/browser.ts'
import { listPages } from './pages.ts'
import { makeRenderer } from './render.ts'

const ROOT = resolve(import.meta.dirname, '..')
const BUILT = join(ROOT, 'dist/docs')
/** Bytes of a page with its style sheet and script, compressed. */
const PAGE_MAX = 40_000

const { app } = await startApp()
const url = await app.listen({ host: '127.0.0.1', port: 0 })
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

test('Markdown with a script in it is shown as text', async () => {
  const { toHtml } = await makeRenderer()
  const html = toHtml(
    [
      '# Title <script>alert(1)</script>',
      '<script>alert(2)</script>',
      'A <img src=x onerror=alert(3)> and [a link](javascript:alert(4)) and ![one](javascript:alert(5)).',
      '| <b>cell</b> |\n| --- |\n| <script>alert(6)</script> |',
      '```html\n<script>alert(7)</script>\n```',
      '[quoted](https://example.com/"onclick="alert(8))',
    ].join('\n\n'),
  )
  assert.doesNotMatch(html, /<(?:script|img|b)\b|javascript:|"onclick/i)
  for (const number of [1, 2, 3, 6, 7])
    assert.match(html.replaceAll(/<[^>]*>/g, ''), new RegExp(`alert\\(${number}\\)`))
})

/** Runs with a browser on the served pages, and fails if they load anything from elsewhere. */
const browse = async (
  options: BrowserContextOptions,
  work: (page: Page, url: string) => Promise<void>,
): Promise<void> => {
  const browser = await launchBrowser()
  try {
    const page = await (await browser.newContext(options)).newPage()
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) foreign.push(request.url())
    })
    await work(page, url)
    assert.deepEqual(foreign, [])
  } finally {
    await browser.close()
  }
}

test('a language that is chosen once is shown on the next pages, in guides too', { skip: skipBrowser }, () =>
  browse({}, async (page, url) => {
    const shown = () => page.locator('.tabs__panel:visible').allInnerTexts()
    await page.goto(`${url}/docs/api/list-contacts`)
    assert.match((await shown()).join(), /^curl /)
    await page.getByText('Python', { exact: true }).click()
    assert.match((await shown()).join(), /^from foyer_sdk/)
    await page.goto(`${url}/docs/guides/sdk`)
    const samples = await shown()
    assert.ok(samples.length >= 5)
    for (const sample of samples) assert.doesNotMatch(sample, /await|const |console/)
  }),
)

test('search finds guides, operations, events and errors, by keyboard alone', { skip: skipBrowser }, () =>
  browse({}, async (page, url) => {
    const results = page.locator('#results li')
    const search = async (text: string) => {
      await page.goto(`${url}/docs`)
      await page.keyboard.press('/')
      await page.keyboard.type(text)
      await results.first().waitFor()
      return results.allInnerTexts()
    }
    for (const [text, group, path] of [
      ['CRM', 'Guides', '/docs/guides/contacts'],
      ['upsert', 'API reference', '/docs/api/upsert-contact'],
      ['contact.merged', 'Events', '/docs/events/contact.merged'],
      ['CONTACT_CONFLICT', 'Errors', '/docs/errors/CONTACT_CONFLICT'],
      ['webhook', 'Guides', '/docs/guides/webhooks'],
      ['webhok', 'Events', '/docs/events/webhook_endpoint.disabled'],
    ] as const) {
      const found = await search(text)
      assert.ok(
        found.some((row) => row.includes(group)),
        `${text}: ${found}`,
      )
      assert.ok(await page.locator(`#results a[href="${path}"]`).count(), `${text} does not lead to ${path}`)
    }
    await search('CONTACT_CONFLICT')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/errors/CONTACT_CONFLICT')
    assert.deepEqual(await search('zzqxv'), ['No results for “zzqxv”'])
    await page.keyboard.press('Escape')
    await results.first().waitFor({ state: 'hidden' })
  }),
)

test('without JavaScript, everything can be read and reached', { skip: skipBrowser }, () =>
  browse({ javaScriptEnabled: false }, async (page, url) => {
    const shown = () => page.locator('.tabs__panel:visible').allInnerTexts()
    await page.goto(`${url}/docs`)
    await page.locator('.side__wide').getByText('Create or update a contact').click()
    await page.waitForURL('**/docs/api/upsert-contact')
    assert.ok(await page.getByText('CONTACT_CONFLICT').first().isVisible())
    assert.match((await shown()).join(), /^curl /)
    for (const [name, begin] of [
      ['TypeScript', /^import /],
      ['Python', /^from foyer_sdk/],
    ] as const) {
      await page.getByText(name, { exact: true }).click()
      assert.match((await shown()).join(), begin)
    }
    assert.equal(await page.locator('.search').isVisible(), false, 'a search that cannot work is shown')
    await page.goto(`${url}/docs/guides/contacts`)
    const colours = await page.evaluate(
      'new Set([...document.querySelectorAll("pre code span")].map((span) => getComputedStyle(span).color)).size',
    )
    assert.ok(Number(colours) > 3)
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByText('Menu', { exact: true }).click()
    await page.locator('.side__phone').getByText('All errors').click()
    await page.waitForURL('**/docs/errors')
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(wide) <= 390, `${wide} px`)
  }),
)
