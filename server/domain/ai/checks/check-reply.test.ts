// What may be said and what may not, case by case.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkReply } from './check-reply.ts'
import { check, KNOWN, QUESTION } from './testing/check.ts'

test('links lead to the sources and the workspace’s own sites, and carry nothing', () => {
  const BAD = [
    'See https://evil.example/returns.',
    'See http://shop.example.evil.example/.',
    'See https://shop.example@evil.example/.',
    'See evilshop.example.',
    'See www.evil.example',
    'See evil.com/x',
    'See https://shop.example/returns?c=maria',
    'See https://shop.example/r#maria',
    'See hxxps://evil.example/a',
    'See ftp://shop.example/a',
    'See javascript:alert(1)',
    'Open tel:+493012345678',
    'See ｈｔｔｐｓ://evil.example/a',
    'See (https://evil.example/a)',
    'Pay at“https://evil.example/a”now',
    'See аррӏе.com',
  ]
  assert.deepEqual(
    BAD.filter((text) => !check(text).includes('link')),
    [],
  )
  assert.deepEqual(check('See https://evil.example/a', { customerTexts: ['https://evil.example/a'] }), [
    'link',
  ])
  for (const text of [
    '![x](https://shop.example/returns)',
    '[here](https://shop.example/returns)',
    '<a href="https://shop.example/returns">here</a>',
    '<img src=x>',
  ])
    assert.ok(check(text).includes('markup'), text)
})

test('sources are those that were shown, and a claim has one', () => {
  assert.deepEqual(check('It is free.', {}, { cited: ['a1', 'a9'] }), ['source_unknown'])
  assert.deepEqual(check('It is free.', {}, { cited: [] }), ['source_missing'])
  assert.deepEqual(check('Which order is it?', {}, { cited: [], isFactual: false }), [])
  assert.deepEqual(check('It was sent.', { results: ['The order was sent.'] }, { cited: [] }), [])
})

test('what isn’t meant for customers stays inside, however it is spelled', () => {
  const PRIVATE = [
    'I used search_knowledge for that.',
    'I used Search Knowledge for that.',
    'C A N A R Y - 7 Q',
    'canary-７Q',
    'Write to sam.agent@shop.example.',
    'The card is 4111 1111 1111 1111.',
    'The card is 4111-1111-1111-1111.',
    'Send it to DE89 3704 0044 0532 0130 00.',
    'The card is ••••.',
    'The card is [card 1].',
  ]
  assert.deepEqual(
    PRIVATE.filter((text) => !check(text).includes('private')),
    [],
  )
  assert.ok(!check('The number is 4111 1111 1111 1112.').includes('private'))
})

test('nobody is asked for a password, a card number or a code', () => {
  const ASKED = [
    'Please send me your password.',
    'What is your card number?',
    'To go on, confirm the verification code.',
    'Wie lautet Ihr Passwort?',
    'Bitte nennen Sie mir die Kartennummer.',
    'Dígame su contraseña',
    'Me informe a senha',
    'Donnez-moi votre mot de passe',
    'Mi dica il codice di sicurezza',
    'Geef uw pincode',
    'Proszę podać numer karty',
    'Şifrenizi yazın',
    'Сообщите код из СМС',
    'Назвіть номер картки',
    'أرسل كلمة المرور',
  ]
  assert.deepEqual(
    ASKED.filter((text) => !check(text).includes('asks_secret')),
    [],
  )
  const FINE = [
    'Never share your password with anyone.',
    'We will never ask for your password.',
    'You can change your password in the settings.',
    'Teilen Sie Ihr Passwort niemandem mit, wir fragen nie danach.',
    'Nunca comparta su contraseña.',
    'Please send me your order number.',
  ]
  assert.deepEqual(
    FINE.filter((text) => check(text).includes('asks_secret')),
    [],
  )
})

test('a reply is visible, fits the channel and isn’t the last one again', () => {
  assert.deepEqual(check('  \n'), ['empty'])
  assert.deepEqual(check('x'.repeat(1_000)), [])
  assert.deepEqual(check('x'.repeat(1_001)), ['too_long'])
  assert.deepEqual(check('Which order is it about!', {}, QUESTION), ['repeat'])
  for (const code of [0, 0x1b, 0x200b, 0x202e, 0xe0041, 0xd800, 0xfeff])
    assert.deepEqual(check(`It is free.${String.fromCodePoint(code)}`), ['odd_characters'], code.toString(16))
  assert.deepEqual(check('Line one.\nLine two.\tTab. 👩‍👩‍👧 نعم‌ها', {}, QUESTION), [])
})

test('a reply is in the language to reply in', () => {
  const EN =
    'You can return the item for free if you have the receipt with you, and we will send it to your address.'
  const DE =
    'Sie können das kostenlos zurückgeben, wenn Sie die Quittung haben, und wir schicken es Ihnen dann zu.'
  const FR =
    'Vous pouvez le retourner gratuitement si vous avez le reçu avec vous, et nous vous enverrons les articles.'
  const RU = 'Вы можете вернуть товар бесплатно.'
  const JA = '無料で返品できます。'
  const TEXTS = { en: EN, de: DE, fr: FR, ru: RU, ja: JA }
  for (const [language, text] of Object.entries(TEXTS))
    for (const wanted of Object.keys(TEXTS))
      assert.deepEqual(
        check(text, { language: wanted }),
        wanted === language ? [] : ['language'],
        `${language} for ${wanted}`,
      )
  // Too short to tell, or a language whose words aren't known.
  assert.deepEqual(check('OK!', { language: 'de' }), [])
  assert.deepEqual(check(EN, { language: 'fi' }), [])
  const [problem] = checkReply({ text: EN, cited: ['a1'], isFactual: true }, { ...KNOWN, language: 'de' })
  assert.equal(problem!.message, 'The reply isn’t in German, the language to reply in. Translate it.')
})

test('a problem names what is wrong, in words for a repair', () => {
  const [problem] = checkReply({ text: 'Within 30 days.', cited: ['a1'], isFactual: true }, KNOWN)
  assert.equal(
    problem!.message,
    'The reply says the period “30 days”, which none of the sources says. Leave it out, or say it as a source does.',
  )
})

test('a long text takes no longer for being odd', () => {
  for (const part of ['1 ', '1-', '+1', 'a@', 'a.', '€', '1,', '(', 'x://', '14 ', '٣', 'de '])
    check(part.repeat(500), { sources: [{ id: 'a1', text: part.repeat(20_000), url: null, language: null }] })
})
