import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isAllowed, parseRobots } from './robots.ts'
import { parseSitemap, unpackSitemap } from './sitemap.ts'

const allows = (rules: string, path: string) =>
  isAllowed(parseRobots(rules), new URL(path, 'https://help.example'))

test('robots.txt decides by our own group, and there by the longest rule', () => {
  const rules = `User-agent: *\nDisallow: /\n\nUser-Agent: Other\nUser-agent: FOYER/1.0 # us\nDisallow: /private\nAllow: /private/help
Disallow: /*.pdf$\nDisallow: /a*b*c\nDisallow:`
  for (const [path, expected] of [
    ['/', true],
    ['/private/a', false],
    ['/private/help/1', true],
    ['/a.pdf', false],
    ['/a.pdf?x', true],
    ['/a-b-c-d', false],
    ['/a-c-b', true],
    ['/privat', true],
  ] as const)
    assert.equal(allows(rules, path), expected, path)
  assert.equal(allows('User-agent: *\nDisallow: /', '/'), false)
  assert.equal(allows('User-agent: *\nDisallow: /x\nAllow: /x', '/x'), true)
  assert.equal(allows('User-agent: *\nDisallow: /%C3%A4', '/ä'), false)
  assert.equal(allows('<html>no such file</html>', '/'), true)
  assert.equal(allows(`User-agent: *\nDisallow: /${'*a'.repeat(5_000)}$`, `/${'a'.repeat(2_000)}`), false)
})

test('a sitemap gives its own pages once each, up to a number, packed or not', () => {
  const xml = `<urlset><url><loc> https://help.example/a?x=1&amp;y=2 </loc></url><url><loc><![CDATA[https://help.example/b]]></loc></url>
    <url><loc>https://help.example/a?x=1&amp;y=2#part</loc></url><url><loc>https://other.example/c</loc></url><url><loc>nonsense</loc></url></urlset>`
  const found = parseSitemap(unpackSitemap(gzipSync(xml), 10_000)!, 'https://help.example', 5)
  assert.deepEqual(found, {
    isIndex: false,
    urls: ['https://help.example/a?x=1&y=2', 'https://help.example/b'],
    hasMore: false,
  })
  const many = Array.from(
    { length: 1_000_000 },
    (_, at) => `<url><loc>https://help.example/${at}</loc></url>`,
  )
  const cut = parseSitemap(`<urlset>${many.join('')}</urlset>`, 'https://help.example', 500)
  assert.deepEqual(
    [cut?.urls.length, cut?.urls.at(-1), cut?.hasMore],
    [500, 'https://help.example/499', true],
  )
  assert.equal(unpackSitemap(gzipSync(Buffer.alloc(1_000_000)), 10_000), undefined)
  assert.equal(
    parseSitemap('<html><loc>https://help.example/a</loc></html>', 'https://help.example', 5),
    undefined,
  )
})
