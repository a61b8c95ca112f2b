import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseUrlTemplate, renderUrl } from './url-template.ts'

const problemOf = (url: string): string | null => {
  const template = parseUrlTemplate(url)
  return 'problem' in template ? template.problem : null
}
const render = (template: string, values: Record<string, string>): string | null => {
  const rendered = renderUrl(template, values)
  return 'url' in rendered ? rendered.url.href : null
}

test('parameters stand in segments of the path and in values of the query', () => {
  assert.deepEqual(parseUrlTemplate('https://API.example.com/orders/no-{{number}}.json?mail={{email}}&a=1'), {
    text: 'https://api.example.com/orders/no-{{number}}.json?mail={{email}}&a=1',
    origin: 'https://api.example.com',
    host: 'api.example.com',
    pathNames: ['number'],
    names: ['number', 'email'],
  })
  assert.deepEqual(parseUrlTemplate('https://api.example.com:8443?x={{a}}'), {
    text: 'https://api.example.com:8443/?x={{a}}',
    origin: 'https://api.example.com:8443',
    host: 'api.example.com:8443',
    pathNames: [],
    names: ['a'],
  })
})

test('an address whose host a parameter could change, or that leads elsewhere than it says, is refused', () => {
  for (const url of [
    'https://{{host}}/',
    'https://{{a}}.example.com/',
    'https://api.example.com{{a}}/',
    'https://api.example.com:{{port}}/',
    '{{scheme}}://api.example.com/',
    'https://api.example.com/#{{a}}',
    'https://api.example.com\\@evil.example/',
    'https://api.example.com /x',
    'https://api.example.com/\r\nx: y',
    '//api.example.com/',
    'api.example.com',
  ])
    assert.match(problemOf(url) ?? '', /must look like/, url)
  assert.match(problemOf('ftp://api.example.com/') ?? '', /must look like/)
  assert.match(problemOf('https://user:pass@api.example.com/') ?? '', /user name or password/)
  assert.match(problemOf('https://api.example.com@evil.example/') ?? '', /user name or password/)
  assert.match(problemOf('https://api.example.com:25/') ?? '', /port 80, 443/)
  assert.match(problemOf('https://api.example.com/a/../b') ?? '', /must not contain/)
  assert.match(problemOf('https://api.example.com/a/%2E%2e/b') ?? '', /must not contain/)
  assert.match(problemOf('https://api.example.com/?{{a}}=1') ?? '', /only in the values/)
  assert.match(problemOf('https://api.example.com/?a=1&{{b}}') ?? '', /only in the values/)
  assert.match(problemOf('https://api.example.com/{{a b}}') ?? '', /must look like|braces/)
  assert.match(problemOf('https://api.example.com/{{a|upper}}/{b}') ?? '', /braces/)
})

test('a value stays in its place, encoded', () => {
  const template = 'https://api.example.com/orders/{{number}}?mail={{email}}&a=1'
  const values = { number: 'A 1?x#y;z', email: 'a@b.example&admin=1#x+' }
  assert.equal(
    render(template, values),
    'https://api.example.com/orders/A%201%3Fx%23y%3Bz?mail=a%40b.example%26admin%3D1%23x%2B&a=1',
  )
  assert.equal(
    render(template, { number: '%2e%2e', email: '\r\nx: 1' }),
    'https://api.example.com/orders/%252e%252e?mail=%0D%0Ax%3A%201&a=1',
  )
})

test('a value that would leave its segment of the path is refused', () => {
  const template = 'https://api.example.com/orders/{{number}}'
  for (const number of ['', '.', '..', '../admin', 'a/b', '..\\admin', 'a\r\nb', 'a\0b'])
    assert.equal(render(template, { number }), null, JSON.stringify(number))
  assert.equal(render('https://api.example.com/a/.{{x}}/b', { x: '.' }), null)
  assert.equal(render('https://api.example.com/a/%2e{{x}}/b', { x: '.' }), null)
  assert.equal(render('https://api.example.com/{{x}}', {}), null)
})

test('whatever the values are, host, path and query keep their shape', () => {
  const template = 'https://api.example.com/a/{{x}}/b?y={{y}}&z=1'
  const any = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'./\\%25eE#?&=@: \r\n') }),
  )
  fc.assert(
    fc.property(any, any, (x, y) => {
      const rendered = renderUrl(template, { x, y })
      if ('problem' in rendered) return
      const { origin, pathname, searchParams, hash, username } = rendered.url
      assert.deepEqual([origin, hash, username], ['https://api.example.com', '', ''])
      assert.deepEqual(pathname.split('/').length, 4)
      assert.equal(decodeURIComponent(pathname.split('/')[2]!), x.toWellFormed())
      assert.deepEqual(
        [...searchParams],
        [
          ['y', y.toWellFormed()],
          ['z', '1'],
        ],
      )
    }),
  )
})
