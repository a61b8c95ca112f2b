import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { startApp } from '../../../test/app.ts'
import { languages } from '../../../widget/languages.ts'
import { handleError } from '../../platform/http/error-handler.ts'
import { serveScript } from '../../platform/http/static-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'foyer-static-'))
const path = join(directory, 'widget.js')
const source = `console.log(${JSON.stringify('widget '.repeat(500))})`
writeFileSync(path, source)
const app = Fastify()
app.setErrorHandler(handleError)
app.get('/widget.js', serveScript(path))
app.get('/missing.js', serveScript(join(directory, 'missing.js')))
after(async () => {
  await app.close()
  rmSync(directory, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

test('scripts are compressed in a format the browser accepts', async () => {
  const plain = await get('/widget.js')
  assert.equal(plain.body, source)
  assert.equal(plain.headers['content-encoding'], undefined)
  const brotli = await get('/widget.js', { 'accept-encoding': 'gzip, deflate, br' })
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), source)
  const gzip = await get('/widget.js', { 'accept-encoding': 'gzip;q=1, br;q=0' })
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(gzip.rawPayload).toString(), source)
  for (const { headers } of [plain, brotli, gzip]) {
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['cache-control']), /^public, max-age=\d+$/)
    assert.equal(headers.vary, 'Accept-Encoding')
  }
})

test('a cached script is not sent again, but a new build is', async () => {
  const { headers } = await get('/widget.js')
  const etag = String(headers.etag)
  const known = await get('/widget.js', { 'if-none-match': `"other", ${etag}` })
  assert.equal(known.statusCode, 304)
  assert.equal(known.body, '')
  writeFileSync(path, 'console.log(2)')
  utimesSync(path, new Date(), new Date(Date.now() + 5_000))
  const anew = await get('/widget.js', { 'if-none-match': etag })
  assert.equal(anew.statusCode, 200)
  assert.equal(anew.body, 'console.log(2)')
  assert.notEqual(anew.headers.etag, etag)
})

test('a script that was not built returns 404', async () => {
  const { statusCode, body } = await get('/missing.js')
  assert.equal(statusCode, 404)
  assert.equal(JSON.parse(body).error.code, 'NOT_FOUND')
})

test("the demo page shows the demo channel's widget, and exists only if there is one", async () => {
  const channelId = 'cmi8q2f5c0000x7h2k9d3m1vb'
  const demo = await startApp({ deps: { demoChannelId: channelId } })
  const page = await demo.app.inject({ url: '/demo' })
  assert.equal(page.statusCode, 200)
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.ok(page.body.includes(`data-channel="${channelId}"`))
  assert.ok(page.body.includes('http://foyer.test/api/v1/conversations'))
  assert.ok(!/__[A-Z_]+__/.test(page.body))
  for (const url of ['/demo', '/widget.js', '/widget/chat.js']) {
    const refused = await demo.app.inject({ method: 'POST', url })
    assert.equal(refused.statusCode, 405)
    assert.equal(refused.headers.allow, 'GET, HEAD')
  }
  const plain = await startApp()
  assert.equal((await plain.app.inject({ url: '/demo' })).statusCode, 404)
})

test('the words of each language can be loaded by pages of any origin, and those of no other', async () => {
  const { app } = await startApp()
  for (const language of languages) {
    const { statusCode, headers, body } = await app.inject({ url: `/widget/words/${language}.json` })
    assert.equal(statusCode, 200)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(typeof JSON.parse(body).send, 'string')
  }
  assert.equal((await app.inject({ url: '/widget/words/sv.json' })).statusCode, 404)
})
