import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PARTS_MAX, splitText } from './split-text.ts'

const short = (text: string): string[] =>
  splitText(text).map(({ kind, title, body }) => `${kind}: ${title} | ${body}`)

test('questions with their answers become answers, however they are marked', () => {
  const expected = ['answers: Do you ship abroad? | Yes.', 'answers: How long does it take? | Three days.']
  assert.deepEqual(
    short('Q: Do you ship abroad?\nA: Yes.\n\nQ: How long does it take?\nA: Three days.'),
    expected,
  )
  assert.deepEqual(short('Do you ship abroad?\nYes.\n\nHow long does it take?\nThree days.'), expected)
  assert.deepEqual(
    short('## Do you ship abroad?\r\nYes.\r\n## How long does it take?\r\n\r\nThree days.'),
    expected,
  )
  assert.deepEqual(short('**Do you ship abroad?**\nYes.\n**How long does it take?**\nThree days.'), expected)
  assert.deepEqual(short('1. Do you ship abroad?\nYes.\n\n2) How long does it take?\nThree days.'), expected)
})

test('short sections become answers, long ones articles, and headings of headings nothing', () => {
  const long = 'Pack it well. '.repeat(60).trim()
  assert.deepEqual(short(`# Help\n\n## Opening hours\nNine to six.\n\n## Returns\n${long}`), [
    'answers: Opening hours | Nine to six.',
    `articles: Returns | ${long}`,
  ])
})

test('an answer’s own questions, lists and code stay in it', () => {
  assert.deepEqual(
    short('## Setup\nRun this:\n```\n# not a heading\n```\n- Is it on?\nThen what?\n\n## Next\nDone.'),
    [
      'answers: Setup | Run this:\n```\n# not a heading\n```\n- Is it on?\nThen what?',
      'answers: Next | Done.',
    ],
  )
})

test('text without questions or headings is one article, titled by its first line', () => {
  assert.deepEqual(short('Returns\n\nYou have 30 days.'), ['articles: Returns | You have 30 days.'])
  assert.deepEqual(short('One line'), ['articles: One line | One line'])
  assert.deepEqual(short(' \n '), [])
})

test('an introduction is kept under its first line, and titles and parts are limited', () => {
  const [intro, other] = splitText(`Welcome to us.\n\n# ${'x'.repeat(300)}\nText.`)
  assert.deepEqual(intro, { kind: 'articles', title: 'Welcome to us.', body: 'Welcome to us.' })
  assert.equal(other!.title.length, 200)
  assert.equal(splitText('# One\nText.\n'.repeat(PARTS_MAX + 1)).length, PARTS_MAX)
})
