// What customers type, and what it is read as.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILT_IN_LANGUAGES, builtInText, noTitle, yesTitle } from './built-in-texts.ts'
import { matchOption } from './match-option.ts'
import { readDateAnswer } from './read-date.ts'
import { type Question, type Reading, readEmail, readPhone, readReply, readYesNo } from './read-reply.ts'
import { readNumber } from './read-values.ts'
import { NOW } from './testing/make-env.ts'

const MENU = ['My order', 'Opening hours', 'Order status', 'Something else'].map((title, at) => ({
  id: `o${at + 1}`,
  number: at + 1,
  title,
  also: at === 1 ? ['open', 'offen'] : [],
}))

const choose = (text: string): string => {
  const match = matchOption(text, MENU)
  return match.kind === 'option' ? match.option.id : match.kind
}

test('an option is chosen by its number in any script’s digits', () => {
  const two = [
    '2',
    '2.',
    '2)',
    '(2)',
    '#2',
    '②',
    '❷',
    '２',
    '٢',
    '۲',
    '२',
    '২',
    '๒',
    '2️⃣',
    'option 2',
    'Nr. 2',
    'número 2',
    '第二',
    '第2',
    '2番',
    '二',
    ' 2 ',
    '02',
  ]
  for (const text of two) assert.equal(choose(text), 'o2', text)
  for (const text of ['5', '0', '22', '-', '2 bananas', '1.5']) assert.equal(choose(text), 'none', text)
})

test('an option is chosen by its title without case, accents and punctuation, or by another word for it', () => {
  for (const text of ['Opening hours', 'OPENING HOURS!', 'opening-hours', 'ópening hoürs', 'offen', 'Open?'])
    assert.equal(choose(text), 'o2', text)
})

test('the start of one title is enough, and a slip of the finger too', () => {
  assert.equal(choose('some'), 'o4')
  assert.equal(choose('opening'), 'o2')
  assert.equal(choose('op'), 'none')
  assert.equal(choose('openning hours'), 'o2')
  assert.equal(choose('somthing else'), 'o4')
  assert.equal(choose('banana'), 'none')
})

test('a short message with one title in it chooses it, unless it says no', () => {
  assert.equal(choose('my order please'), 'o1')
  assert.equal(choose('are you open today?'), 'o2')
  assert.equal(choose('the order status'), 'o3')
  assert.equal(choose('not my order'), 'none')
  assert.equal(choose('I would like to know everything about my order from last week'), 'none')
})

test('two options in one answer are asked about again', () => {
  for (const text of ['1 and 2', '1, 2', '1 oder 3', 'my order and opening hours', '٢ و ٣'])
    assert.equal(choose(text), 'several', text)
  const same = ['Blue', 'blue!'].map((title, at) => ({ id: `o${at}`, number: at + 1, title, also: [] }))
  assert.equal(matchOption('blue', same).kind, 'several')
})

test('a title that is a number goes before the place on the screen', () => {
  const people = ['4', '2'].map((title, at) => ({ id: `p${title}`, number: at + 1, title, also: [] }))
  const match = matchOption('2', people)
  assert.ok(match.kind === 'option' && match.option.id === 'p2')
})

const read = (
  text: string,
  question: Question,
  more: {
    language?: string
    option?: number
    attachments?: { id: string; type: 'image' | 'sticker'; name: string }[]
  } = {},
): Reading =>
  readReply({ text, option: more.option ?? null, attachments: more.attachments ?? [] }, question, {
    options: question.answer === 'choice' ? MENU : [],
    language: more.language ?? 'en',
    timeZone: 'Europe/Berlin',
    now: NOW,
    country: 'DE',
    escapePhrases: ['hotline'],
  })
const value = (...args: Parameters<typeof read>): unknown => {
  const reading = read(...args)
  return reading.kind === 'answer' ? reading.value : reading.kind
}

test('a tap decides, whatever text comes with it', () => {
  assert.equal(value('4', { answer: 'choice' }, { option: 1 }), 'o1')
  assert.equal(value('My order', { answer: 'choice' }, { option: 0 }), 'person')
})

test('0 is a wish for a person where options are numbered, and a number elsewhere', () => {
  for (const text of ['0', ' 0. ', '٠', '０'])
    for (const answer of ['choice', 'yesno'] as const) assert.equal(value(text, { answer }), 'person', text)
  assert.equal(value('0', { answer: 'number' }), 0)
  assert.equal(value('0', { answer: 'rating', min: 0 }), 0)
  assert.equal(value('10', { answer: 'choice' }), 'invalid')
})

test('yes and no are understood in 20 languages, and as thumbs', () => {
  assert.equal(BUILT_IN_LANGUAGES.length, 20)
  for (const language of BUILT_IN_LANGUAGES) {
    assert.equal(readYesNo(`${yesTitle(language)}!`, language), true, language)
    assert.equal(readYesNo(noTitle(language).toUpperCase(), language), false, language)
    for (const name of ['person', 'choose', 'more'] as const)
      assert.ok(builtInText(name, language).length <= 20, `${language} ${name}`)
  }
  assert.equal(readYesNo('👍🏽', 'en'), true)
  assert.equal(readYesNo('❌', 'en'), false)
  assert.equal(readYesNo('Ja, bitte', 'en'), true)
  assert.equal(readYesNo('yes that is correct', 'en'), true)
  for (const text of ['yes and no', 'maybe', '', '👍👎', '🤷'])
    assert.equal(readYesNo(text, 'en'), undefined, text)
})

test('an email, a phone number or a day is found in the usual ways of writing it', () => {
  assert.equal(readEmail('It’s Maria@Example.ORG.'), 'maria@example.org')
  assert.equal(readEmail('<a@b.co>'), 'a@b.co')
  for (const text of ['a@b', 'a@b.co or c@d.co', 'a b.co', '@', `${'a'.repeat(250)}@b.co`])
    assert.equal(readEmail(text), undefined, text)
  assert.equal(readPhone('0170 / 1234567', 'DE'), '+491701234567')
  assert.equal(readPhone('+49 (170) 1234567', null), '+491701234567')
  assert.equal(readPhone('٠١٧٠١٢٣٤٥٦٧', 'de'), '+491701234567')
  for (const text of ['12', '0170 1234567', 'x'.repeat(500), ''])
    assert.equal(readPhone(text, null), undefined, text)
})

test('numbers are read in the customer’s way, and what is none is refused', () => {
  assert.deepEqual(
    ['１２', '١٢', '-3', '1.234,56', '1,234.56', '1 234', '12,5', '-0'].map((text) => readNumber(text)),
    [12, 12, -3, 1234.56, 1234.56, 1234, 12.5, 0],
  )
  assert.equal(Object.is(readNumber('-0'), 0), true)
  assert.equal(readNumber('1.234', 'de'), 1234)
  assert.equal(readNumber('1.234', 'en'), 1.234)
  for (const text of ['1e309', 'NaN', 'Infinity', '0x10', '', '1,2,3.4.5', '9'.repeat(50), '12 apples'])
    assert.equal(readNumber(text), undefined, text)
  assert.equal(value('4', { answer: 'number', min: 1, max: 3 }), 'invalid')
  assert.equal(value('3', { answer: 'number', min: 1, max: 3 }), 3)
})

test('days exist, and without a year the next one is meant', () => {
  const day = (text: string, language = 'de') =>
    readDateAnswer(text, { language, timeZone: 'Europe/Berlin', now: NOW })
  const cases: [string, string, string][] = [
    ['2026-11-23', 'de', '2026-11-23'],
    ['24.12.', 'de', '2026-12-24'],
    ['24.12.27', 'de', '2027-12-24'],
    ['5/6/2027', 'en-GB', '2027-06-05'],
    ['5/6/2027', 'en-US', '2027-05-06'],
    ['1. März', 'de', '2027-03-01'],
    ['December 3rd', 'en', '2026-12-03'],
    ['3 de mayo de 2027', 'es', '2027-05-03'],
    ['5 мая', 'ru', '2027-05-05'],
    ['11月30日', 'ja', '2026-11-30'],
    ['29.02.', 'de', '2028-02-29'],
    ['٢٤/١٢/٢٠٢٦', 'ar', '2026-12-24'],
    ['heute', 'de', '2026-11-23'],
    ['Tomorrow', 'fr', '2026-11-24'],
    ['Freitag', 'de', '2026-11-27'],
    ['9999-12-31', 'en', '9999-12-31'],
  ]
  for (const [text, language, expected] of cases) assert.equal(day(text, language), expected, text)
  for (const text of ['31.02.2027', '29.02.2027', '2026-13-01', '0.0.', 'soon', '32.1.', '', '1/2/3/4'])
    assert.equal(day(text), undefined, text)
})

test('a rating is a number, a fraction or stars', () => {
  const rating = { answer: 'rating' } as const
  assert.deepEqual(
    ['4', '4/5', '5 out of 5', '★★★', '⭐⭐', '٣'].map((text) => value(text, rating)),
    [4, 4, 5, 3, 2, 3],
  )
  for (const text of ['6', '0', '4/10', '3.5', 'great', '★★★★★★'])
    assert.equal(value(text, rating), 'invalid', text)
})

test('a text has to be there and to fit its pattern, and a file has to be a file', () => {
  assert.equal(value('  AB-12345 ', { answer: 'text', pattern: '^[A-Z]{2}-\\d{5,8}$' }), 'AB-12345')
  assert.equal(value('AB-１２３４５', { answer: 'text', pattern: '^[A-Z]{2}-[0-9]{5,8}$' }), 'AB-12345')
  assert.equal(value('12345', { answer: 'text', pattern: '^[A-Z]{2}-\\d{5,8}$' }), 'invalid')
  assert.equal(value('\u200b', { answer: 'text' }), 'invalid')
  assert.equal(String(value('x'.repeat(4_000), { answer: 'text' })).length, 500)
  const image = { id: 'f1', type: 'image', name: 'a.png' } as const
  assert.equal(value('', { answer: 'text' }, { attachments: [image] }), 'invalid')
  assert.deepEqual(value('', { answer: 'file' }, { attachments: [image] }), ['f1'])
  assert.equal(value('2', { answer: 'file' }, { attachments: [{ ...image, type: 'sticker' }] }), 'invalid')
})

test('a wish for a person goes before every answer that isn’t exact', () => {
  for (const answer of ['text', 'choice', 'yesno', 'email', 'number', 'date', 'file'] as const) {
    assert.equal(value('I want to talk to a human', { answer }), 'person', answer)
    assert.equal(value('HOTLINE', { answer }), 'person', answer)
  }
  const withPerson = [{ id: 'team', number: 1, title: 'Talk to a person', also: [] }]
  const reading = readReply(
    { text: 'talk to a person', option: null, attachments: [] },
    { answer: 'choice' },
    { options: withPerson, language: 'en', timeZone: 'UTC', now: NOW, country: null, escapePhrases: [] },
  )
  assert.ok(reading.kind === 'answer' && reading.value === 'team')
})
