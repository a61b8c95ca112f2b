import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { ApiError } from '../errors.ts'
import { makeConsolePages, registerConsolePages } from './console-pages.ts'
import { handleError } from './error-handler.ts'

const directory = mkdtempSync(join(tmpdir(), 'foyer-console-'))
after(() => rmSync(directory, { recursive: true }))

const start = (built: string) => {
  const app = Fastify()
  const pages = makeConsolePages(built)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((request, reply) => {
    if (pages.isScreen(request)) return pages.showPage(request, reply)
    throw new ApiError('NOT_FOUND')
  })
  registerConsolePages(app, pages, built)
  after(() => app.close())
  return (url: string, headers: Record<string, string> = { accept: 'text/html,*/*' }) =>
    app.inject({ url, headers })
}

const PAGE = '<!doctype html><title>Foyer</title>'
mkdirSync(join(directory, 'assets'))
writeFileSync(join(directory, 'index.html'), PAGE)
writeFileSync(join(directory, 'assets', 'index-AbC123.js'), 'run()')
writeFileSync(join(directory, 'secret.txt'), 'not for anybody')
const get = start(directory)

test('every console URL serves its page, revalidated each time, with a policy that runs only our files', async () => {
  for (const url of ['/', '/sign-in', '/inbox/cmi8q2f5c0000x7h2k9d3m1vb?filter=mine', '/settings/channels']) {
    const { statusCode, body, headers } = await get(url)
    assert.deepEqual([statusCode, body], [200, PAGE], url)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(headers['x-frame-options'], 'DENY')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'self'; script-src 'self'; /)
    for (const rule of [
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
      "form-action 'self'",
    ])
      assert.ok(policy.includes(rule), rule)
    assert.doesNotMatch(policy.replace("style-src-attr 'unsafe-inline'", ''), /unsafe|\*|https?:/)
  }
  const { headers } = await get('/')
  const known = await get('/', { accept: 'text/html', 'if-none-match': String(headers.etag) })
  assert.deepEqual([known.statusCode, known.body], [304, ''])
})

test('a browser gets the page in its language: the chosen one, else the one that it wants most', async () => {
  writeFileSync(join(directory, 'index.de.html'), 'Seite')
  writeFileSync(join(directory, 'index.es.html'), 'Página')
  const pageFor = async (headers: Record<string, string>) =>
    (await get('/inbox/mine', { accept: 'text/html', ...headers })).body
  const es = { 'accept-language': 'it,es-MX;q=0.9,de;q=0.5' }
  assert.equal(await pageFor(es), 'Página')
  assert.equal(await pageFor({ ...es, cookie: 'a=1; foyer_language=de; b=2' }), 'Seite')
  assert.equal(await pageFor({ ...es, cookie: 'foyer_language=en' }), PAGE)
  // Neither is built, or a language.
  assert.equal(await pageFor({ ...es, cookie: 'foyer_language=xx' }), 'Página')
  assert.equal(
    await pageFor({ cookie: 'foyer_language=../secret', 'accept-language': '../secret.txt,*' }),
    PAGE,
  )
  assert.equal(await pageFor({ 'accept-language': `${'x,'.repeat(5000)}de` }), PAGE)
  assert.equal(await pageFor({ 'accept-language': 'es;q=0,de;q=x' }), PAGE)
  const { headers } = await get('/', { accept: 'text/html', ...es })
  assert.equal(headers.vary, 'Accept-Encoding, Accept-Language, Cookie')
})

test('any other path is not found', async () => {
  for (const url of [
    '/api/v2/x',
    '/console/x',
    '/widget/x',
    '/files/x',
    '/webhooks/x',
    '/favicon.ico',
    '/a/b.js',
  ])
    assert.equal((await get(url)).statusCode, 404, url)
  assert.equal((await get('/inbox', { accept: 'application/json' })).statusCode, 404)
  assert.equal((await get('/inbox', {})).statusCode, 404)
})

test('built files are kept for good, and nothing beside them is served', async () => {
  const { body, headers } = await get('/assets/index-AbC123.js')
  assert.equal(body, 'run()')
  assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  const packed = await get('/assets/index-AbC123.js', { 'accept-encoding': 'gzip, br' })
  assert.equal(packed.headers['content-encoding'], 'br')
  for (const name of [
    'none.js',
    '..%2fsecret.txt',
    '%2e%2e%2fsecret.txt',
    'x%00.js',
    'index-AbC123.exe',
    '__proto__.js',
  ])
    assert.equal((await get(`/assets/${name}`)).statusCode, 404, name)
})

test('until the console is built, / redirects to the docs', async () => {
  const bare = start(join(directory, 'nowhere'))
  const { statusCode, headers } = await bare('/')
  assert.deepEqual([statusCode, headers.location], [302, '/docs'])
  assert.equal((await bare('/inbox')).statusCode, 404)
})
