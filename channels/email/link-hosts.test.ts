import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markLinks } from './link-hosts.ts'
import { sanitizeMailHtml } from './sanitize.ts'

const leadsTo = (html: string): string | undefined =>
  / data-leads-to="([^"]*)"/.exec(sanitizeMailHtml(html)!.html)?.[1]

test('a link whose text shows another host is marked with its real one', () => {
  for (const [html, host] of [
    ['<a href="https://evil.example.net/x">www.bank.com</a>', 'evil.example.net'],
    ['<a href="http://evil.net">https://bank.com/login</a>', 'evil.net'],
    ['<a href="http://bank.com.evil.net">bank.com</a>', 'bank.com.evil.net'],
    ['<a href="https://evil.net"><b>bank</b>.<i>com</i></a>', 'evil.net'],
    ['<a href="https://evil.net">support@bank.com</a>', 'evil.net'],
    ['<a href="https://evil.co.uk">bank.co.uk</a>', 'evil.co.uk'],
    ['<a href="https://bank.com@evil.net">Sign in</a>', 'evil.net'],
    ['<a href="https://evil.net">ｂａｎｋ．ｃｏｍ</a>', 'evil.net'],
    ['<a href="https://bücher.de">bank.com</a>', 'xn--bcher-kva.de'],
  ] as const)
    assert.equal(leadsTo(html), host, html)
})

test('a link that matches its text, or whose text has no host, is not marked', () => {
  for (const html of [
    '<a href="https://www.bank.com/x">bank.com</a>',
    '<a href="https://login.bank.com">https://www.bank.com/</a>',
    '<a href="https://bücher.de">bücher.de</a>',
    '<a href="https://shop.example">Click here. Now.</a>',
    '<a href="https://shop.example">Version 1.2, e.g. for Mr.Smith</a>',
    '<a href="mailto:a@bank.com">b@bank.com</a>',
    '<a name="x">bank.com</a>',
  ])
    assert.equal(leadsTo(html), undefined, html)
})

test('all HTML is checked quickly', () => {
  for (const html of [
    '<a href="http://a.b">'.repeat(50_000),
    `<a href="http://a.net">${'a.'.repeat(200_000)}</a>`,
    `<a href="http://a.net">${'<'.repeat(500_000)}</a>`,
    '<a '.repeat(300_000),
  ]) {
    const startedMs = performance.now()
    markLinks(html)
    assert.ok(performance.now() - startedMs < 2_000)
  }
})
