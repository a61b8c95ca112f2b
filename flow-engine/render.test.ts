import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutText, isBlank } from './fold-text.ts'
import { chooseText, toLocale } from './language.ts'
import type { Json } from './paths.ts'
import { renderText } from './render.ts'
import { NOW } from './testing/make-env.ts'

const values: Record<string, Json> = {
  contact: {
    name: 'Maria Silva',
    email: 'maria@example.org',
    fields: { 'Order no': '42' },
    tags: [{ id: 't', name: 'VIP' }],
  },
  run: {
    evil: '{{contact.email}}',
    amount: 1234.5,
    day: '2026-12-24',
    at: '2026-11-23T17:30:00.000Z',
    tomorrow: '2026-11-24',
    friday: '2026-11-27T08:00:00Z',
    blank: '  ',
    long: 'ä'.repeat(500),
    lines: 'a\u0000b\nc\u2028d',
    zero: 0,
  },
}

const render = (text: string, language = 'en', max = 2_000): string =>
  renderText(text, { scope: (root) => values[root], language, timeZone: 'Europe/Berlin', now: NOW }, max)

test('values, fallbacks and filters are put in', () => {
  assert.equal(render('Hello {{contact.name|first}}!'), 'Hello Maria!')
  assert.equal(render('{{ contact.name | first | upper }}'), 'MARIA')
  assert.equal(render('Hello {{contact.nick|there}}'), 'Hello there')
  assert.equal(render('Hallo {{contact.nick|}},'), 'Hallo ,')
  assert.equal(render('{{run.blank|upper|a|b}}'), 'a|b')
  assert.equal(render('{{contact.fields.Order no}}'), '42')
  assert.equal(render('{{contact.tags}} {{run.zero}}'), 'VIP 0')
})

test('dates, times and numbers are written as the language and the time zone want', () => {
  assert.equal(render('{{run.amount|number}}', 'de'), '1.234,5')
  assert.equal(render('{{run.amount|number}}', 'en'), '1,234.5')
  assert.equal(render('{{run.day|date}}', 'de'), '24.12.2026')
  assert.equal(render('{{run.at|time}}', 'de'), '18:30')
  assert.equal(render('We open {{run.tomorrow|day}}.'), 'We open tomorrow.')
  assert.equal(render('Wir öffnen {{run.friday|day}}.', 'de'), 'Wir öffnen Freitag.')
  assert.equal(render('{{run.at|day}}'), 'today')
  assert.equal(render('{{run.day|day}}'), 'Thursday, December 24')
  assert.equal(render('{{contact.name|date}} {{run.amount|time}}', 'xx-1').slice(0, 11), 'Maria Silva')
})

test('a value is never read as a template again', () => {
  assert.equal(render('{{run.evil}} {{run.evil|upper}}'), '{{contact.email}} {{CONTACT.EMAIL}}')
})

test('what is broken or leads nowhere puts nothing in', () => {
  assert.equal(render('a {{ b'), 'a {{ b')
  assert.equal(render('{{__proto__}}{{contact.constructor}}{{run.evil.length}}{{}}'), '')
  assert.equal(render('{{run.lines}}'), 'ab\ncd')
})

test('a text that grows is cut at its bound, never within a character', () => {
  const bomb = '{{run.long}}'.repeat(160)
  assert.equal(render(bomb).length, 2_000)
  assert.ok(render(bomb).endsWith('…'))
  assert.equal(cutText('ab👍c', 4), 'ab…')
  assert.equal(cutText('ab', 2), 'ab')
})

test('a text of spaces and zero-width characters is blank', () => {
  for (const text of ['', ' \n', '\u200b\u200d\ufeff', '\u00ad\u2060', '\u3164', '\u2800', '\u202e'])
    assert.ok(isBlank(text), JSON.stringify(text))
  for (const text of ['.', '👍', 'ｱ']) assert.ok(!isBlank(text))
})

test('a customer gets the nearest language, then the flow’s own, then the first', () => {
  const text = { en: 'Hello', 'pt-BR': 'Olá', de: 'Hallo' }
  const choose = (language: string | null, own = 'de') => chooseText(text, language, own).text
  assert.deepEqual(
    [choose('pt'), choose('pt-PT'), choose('de-AT'), choose('fr'), choose(null), choose('fr', 'es')],
    ['Olá', 'Olá', 'Hallo', 'Hallo', 'Hallo', 'Hello'],
  )
  assert.equal(chooseText('Plain', 'fr', 'de').language, 'de')
  assert.equal(toLocale('de-1996-1996'), 'en')
})
