import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layChoices, numberedParts, numberedText } from './choices.ts'
import { DEFINITIONS } from './definitions.ts'

const titles = (...all: string[]) => all.map((title, at) => ({ title, number: at + 1 }))
const content = { text: 'How can we help?', label: 'Choose', more: 'More…' }
const { whatsapp, facebook, telegram } = DEFINITIONS

test('on WhatsApp, up to three short options are buttons, and more or longer ones a list', () => {
  const lay = (...all: string[]) => layChoices(whatsapp.choices, { ...content, options: titles(...all) }).as
  assert.equal(lay('One', 'Two', 'x'.repeat(20)), 'buttons')
  assert.equal(lay('One', 'Two', 'x'.repeat(21)), 'list')
  assert.equal(lay('One', 'Two', 'Three', 'Four'), 'list')
  assert.equal(lay('One', 'x'.repeat(24)), 'list')
  assert.equal(lay('One', 'x'.repeat(25)), 'text')
  assert.equal(lay('One', 'One'), 'text')
})

test('on WhatsApp, the eleventh option makes the tenth row lead to the rest', () => {
  const options = titles(...Array.from({ length: 11 }, (_, at) => `Option ${at + 1}`))
  const layout = layChoices(whatsapp.choices, { ...content, options })
  assert.equal(layout.as, 'list')
  assert.ok(layout.as === 'list' && layout.options.length === 9 && layout.moreFrom === 9)
  const ten = layChoices(whatsapp.choices, { ...content, options: options.slice(0, 10) })
  assert.ok(ten.as === 'list' && ten.options.length === 10 && ten.moreFrom === null)
})

test('a description is in the row of a list, or in the text above buttons that have none', () => {
  const options = [{ title: 'Repair', description: 'Two to three days' }, { title: 'Rent' }]
  assert.equal(layChoices(whatsapp.choices, { ...content, options }).as, 'list')
  assert.deepEqual(layChoices(facebook.choices, { ...content, options }), {
    as: 'buttons',
    text: 'How can we help?\n\nRepair - Two to three days',
    options,
  })
})

test('a question too long for a channel’s buttons becomes numbered text', () => {
  const options = titles('Yes', 'No')
  assert.equal(layChoices(facebook.choices, { ...content, text: 'x'.repeat(2_000), options }).as, 'buttons')
  assert.equal(layChoices(facebook.choices, { ...content, text: 'x'.repeat(2_001), options }).as, 'text')
  assert.equal(layChoices(telegram.choices, { ...content, text: 'x'.repeat(4_096), options }).as, 'buttons')
  assert.equal(layChoices(whatsapp.choices, { ...content, text: 'x'.repeat(1_025), options }).as, 'list')
  assert.equal(layChoices(whatsapp.choices, { ...content, text: 'x'.repeat(4_097), options }).as, 'text')
})

test('a channel without buttons, an option without a title, and no options are text', () => {
  assert.equal(layChoices(null, { ...content, options: titles('Yes') }).as, 'text')
  assert.equal(layChoices(telegram.choices, { ...content, options: titles('Yes', ' ') }).as, 'text')
  assert.equal(layChoices(telegram.choices, { ...content, options: [] }).as, 'text')
})

test('numbered text counts from one, goes on counting on the next page, and offers a person as 0', () => {
  assert.equal(
    numberedText('How can we help?', [
      { number: 4, title: 'My order' },
      { number: 7, title: 'Repair', description: 'Two to three days' },
      { number: 0, title: 'Talk to a person' },
    ]),
    'How can we help?\n\n1. My order\n2. Repair - Two to three days\n0. Talk to a person',
  )
  assert.equal(numberedText('Which?', titles('Ten', 'Eleven'), 9), 'Which?\n\n10. Ten\n11. Eleven')
})

test('titles that are numbers are not numbered: “2” can’t mean both the second and two', () => {
  assert.equal(numberedText('How was it?', titles('1', '2', '3')), 'How was it?\n\n1, 2, 3')
  assert.equal(numberedText('How many?', titles('1', '2', 'More')), 'How many?\n\n- 1\n- 2\n- More')
  assert.equal(numberedText('كم؟', titles('١', '٢')), 'كم؟\n\n١, ٢')
})

test('numbered text that is too long for a message is cut between options, and keeps their numbers', () => {
  const options = titles('Order', 'Return', 'Something else')
  const whole = numberedText('How can we help?', options)
  assert.deepEqual(numberedParts('How can we help?', options, { max: whole.length }), [whole])
  assert.deepEqual(numberedParts('How can we help?', options, { max: whole.length - 1 }), [
    'How can we help?\n\n1. Order\n2. Return',
    '3. Something else',
  ])
  assert.deepEqual(numberedParts('How can we help?', options, { from: 9, max: 20 }), [
    'How can we help?',
    '10. Order\n11. Return',
    '12. Something else',
  ])
})
