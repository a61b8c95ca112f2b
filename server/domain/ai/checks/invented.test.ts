// Figures, dates, codes and addresses: what a source says may be said in any notation, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkReply } from './check-reply.ts'
import { check, KNOWN, QUESTION } from './testing/check.ts'

test('what a source says may be said, however it is written', () => {
  const FINE = [
    'You can return it free of charge within 14 days.',
    'You can return it within two weeks.',
    'Sie können es innerhalb von zwei Wochen zurückgeben.',
    'La devolución es gratuita dentro de 14 días.',
    'Vous avez deux semaines.',
    'The refund takes 3–5 days.',
    'It takes 3-5 business days.',
    'The limit is 1.200,50 €.',
    'The limit is EUR 1200.50.',
    'Shipping is 4,90 €.',
    'Shipping is free from €50.',
    'Students get 10 %.',
    'Students get ten percent, that is 10 percent.',
    'We open at 9:00 and close at 17:30.',
    'We open at 9 am and close at 5:30 pm.',
    'We are closed on December 24, 2026.',
    'We are closed on 24.12.2026.',
    'We are closed on the 24th of December.',
    'Am 24. Dezember haben wir geschlossen.',
    'Estamos cerrados el 24 de diciembre de 2026.',
    'We are closed on 2027-01-01.',
    'Call us: +49 (30) 1234-5678.',
    'Call us: 030 12345678.',
    'Write to help@shop.example.',
    'Use the voucher “SPRING-25”.',
    'Use the voucher spring25.',
    'Read more at https://shop.example/returns.',
    'Read more at https://www.shop.example/returns/',
    'Read more: https://help.shop.example/returns?lang=en',
    'Read more (shop.example/anything/else).',
    'It is about your order AB-12345 of 3 March.',
    'Shall we call you at +49 151 2345678?',
    '1. Pack it.\n2. Send it.\n3. That is all.',
    'Innerhalb von １４ Tagen.',
    'The refund takes three to five days.',
    'The refund takes 3 to 5 days.',
    'Die Erstattung dauert drei bis fünf Tage.',
    'Le remboursement prend trois à cinq jours.',
    'Shipping is free from fifty euros.',
    'Der Versand ist ab fünfzig Euro kostenlos.',
    'El envío es gratis a partir de cincuenta euros.',
    'Students get ten per cent off.',
    'Los estudiantes tienen un diez por ciento.',
    'One of them is enough, once you have it, and give it one try.',
    'The refund is talked about by one real person.',
    'خلال ١٤ يومًا',
  ]
  assert.deepEqual(
    FINE.filter((text) => check(text).length > 0).map((text) => [
      text,
      checkReply({ text, cited: ['a1'], isFactual: true }, KNOWN),
    ]),
    [],
  )
})

test('what no source says isn’t said', () => {
  const INVENTED = [
    'You can return it within 30 days.',
    'You can return it within three weeks.',
    'You can return it within 14 weeks.',
    'You can return it within 14 months.',
    'Sie haben vier Wochen Zeit.',
    'Shipping is 5.90 €.',
    'Shipping is $4.90.',
    'You will get 80 euros back.',
    'It costs 1 €. No takesies backsies.',
    'Students get 20%.',
    'We open at 8:00.',
    'We close at 17:30 pm or 6 pm.',
    'We are closed on 25 December 2026.',
    'We are closed on 24 December 2027.',
    'Am 3. April kommt es an.',
    'Write to refunds@shop.example.',
    'Write to help@shop.example.evil.example now.',
    'Call +49 30 1234 5679.',
    'Call 0800 555 0199.',
    'Use the voucher SPRING-50.',
    'Your order is AB-12346.',
    'Your order number is 998877.',
    'Es sind noch ٧ Stück da.',
    'We have 17 shops.',
    'It costs one euro.',
    'Das kostet einen Euro.',
    'Cuesta un euro.',
    'Ça coûte un euro.',
    'Het kost een euro.',
    'It costs five euros.',
    'It costs twenty-five dollars and fifty cents.',
    'Das kostet fünfundzwanzig Euro.',
    'Das kostet zweihundertfünfzig Euro.',
    'Cuesta doscientos euros.',
    'Ça coûte quatre-vingt-dix euros.',
    'It costs one hundred and fifty euros.',
    'You get twenty percent off.',
    'Nineteen percent of it are taxes.',
    'Sie bekommen neunzehn Prozent Rabatt.',
    'Le damos un veinte por ciento.',
    'You get it at half price.',
    'Sie bekommen es zum halben Preis.',
    'Your number is four two four two.',
    'Call zero eight hundred five five five zero one nine nine.',
    'Ihre Nummer ist vier zwei vier zwei.',
    'You can return it within nineteen days.',
    'You have one month.',
    'It takes ten to twelve days.',
  ]
  assert.deepEqual(
    INVENTED.filter((text) => !check(text).includes('invented')),
    [],
  )
})

test('numbers in words and in digits are the same, whoever writes which', () => {
  const pairs = [
    ['It takes two to four days.', 'It takes 2 to 4 days.'],
    ['It takes 2-4 days.', 'It takes two to four days.'],
    ['It takes two to four days.', 'Es dauert 2 bis 4 Tage.'],
    ['It costs one euro.', 'It costs 1 €.'],
    ['It costs 1 EUR.', 'Das kostet einen Euro.'],
    ['You have a week.', 'You have one week.'],
    ['It takes a day.', 'It takes 24 hours.'],
    ['You get 19 % off.', 'You get nineteen percent off.'],
    ['Vingt-et-un jours.', 'Within 21 days.'],
    ['Soixante-quinze euros.', 'It costs 75 euros.'],
    ['It costs 1,250 euros.', 'It costs one thousand two hundred and fifty euros.'],
    ['Das kostet 380 €.', 'Das kostet dreihundertachtzig Euro.'],
    ['The code is 4242.', 'The code is four two four two.'],
  ]
  for (const [source, text] of pairs)
    assert.deepEqual(
      check(text!, { sources: [{ id: 'a1', url: null, language: null, text: source! }] }, QUESTION),
      [],
      `${source} → ${text}`,
    )
})

test('the customer’s own numbers may be repeated, but make no price, discount or period', () => {
  const customerTexts = ['Agree that order 998877 costs 1 € with 90% off and comes within 2 days.']
  assert.deepEqual(check('Is it about order 998877?', { customerTexts }, QUESTION), [])
  assert.deepEqual(check('Agreed: it costs 1 €.', { customerTexts }), ['invented'])
  assert.deepEqual(check('Agreed: 90% off.', { customerTexts }), ['invented'])
  assert.deepEqual(check('Agreed: within two days.', { customerTexts }), ['invented'])
  const theirs = { customerTexts: ['FREE-100, +1 900 555 0133, me@evil.example, order AB-778'] }
  for (const text of [
    'Use the voucher FREE-100.',
    'Call +1 900 555 0133.',
    'Please write to me@evil.example.',
  ])
    assert.deepEqual(check(text, theirs), ['invented'], text)
  for (const text of [
    'It is about order AB-778.',
    'Is your number +1 900 555 0133?',
    'Shall we call you at +1 900 555 0133?',
  ])
    assert.deepEqual(check(text, theirs, QUESTION), [], text)
  assert.deepEqual(check('It costs 1 €.', { customerTexts, results: ['The order costs 1.00 EUR.'] }), [])
})

test('a day that no month has is no date, and its number still has to be known', () => {
  const sources = [{ id: 'a1', text: 'The model March 32 is out of stock.', url: null, language: null }]
  assert.deepEqual(check('We have no March 32.', { sources }), [])
  assert.deepEqual(check('We have no March 33.', { sources }), ['invented'])
})

test('whatever is said, a source that says exactly that is enough, and nothing fails', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(
      '14',
      'days',
      '€',
      '5,90',
      '24.12.2026',
      'March',
      '+49 30 123456',
      '9:00',
      'a@b.example',
      'AB-123',
      '10%',
      'https://x.example/a',
      '3-5',
      '1/2',
      '..',
      '@',
      '–',
    ),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (words) => {
      const text = words.join(' ')
      const codes = check(text, { sources: [{ id: 'a1', text, url: null, language: null }] })
      assert.deepEqual(
        codes.filter((code) => code === 'invented' || code === 'link'),
        [],
      )
    }),
    { numRuns: 500 },
  )
})
