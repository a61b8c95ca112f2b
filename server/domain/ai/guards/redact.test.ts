// What must not leave the server is hidden, and what people need to be helped isn't.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeRedaction } from './redact.ts'

const hide = (text: string): string => makeRedaction().hide(text)

test('cards, accounts, passwords, codes and documents are hidden, in many languages and spellings', () => {
  const HIDDEN: [text: string, expected: string][] = [
    ['My card is 4111 1111 1111 1111, ok?', 'My card is [card 1], ok?'],
    ['4111-1111-1111-1111', '[card 1]'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '[card 1]'],
    ['Karte: 5555.5555.5555.4444', 'Karte: [card 1]'],
    ['٤١١١١١١١١١١١١١١١', '[card 1]'],
    ['４１１１ １１１１ １１１１ １１１１', '[card 1]'],
    ['order 123 4111 1111 1111 1111 12/27', 'order 123 [card 1] 12/27'],
    ['Amex 378282246310005.', 'Amex [card 1].'],
    ['41\u200b11 1111 11\u200b11 1111', '[card 1]'],
    ['DE89 3704 0044 0532 0130 00 bitte', '[bank account 1] bitte'],
    ['iban gb82west12345698765432', 'iban [bank account 1]'],
    ['FR14 2004 1010 0505 0001 3M02 606', '[bank account 1]'],
    ['my password is hunter2', 'my password is [secret 1]'],
    ['My password is swordfish.', 'My password is [secret 1].'],
    ['password: Hunter2!', 'password: [secret 1]'],
    ['password=abc', 'password=[secret 1]'],
    ['password “correct horse battery”', 'password “[secret 1]”'],
    ['Mein Passwort lautet geheim99', 'Mein Passwort lautet [secret 1]'],
    ['Kennwort: Sommer', 'Kennwort: [secret 1]'],
    ['mi contraseña es perrito', 'mi contraseña es [secret 1]'],
    ['minha senha é cachorro', 'minha senha é [secret 1]'],
    ['mon mot de passe est chaton12', 'mon mot de passe est [secret 1]'],
    ['la mia password è gattino', 'la mia password è [secret 1]'],
    ['mijn wachtwoord is poesje', 'mijn wachtwoord is [secret 1]'],
    ['moje hasło to kotek77', 'moje hasło to [secret 1]'],
    ['şifrem kedi123', 'şifrem [secret 1]'],
    ['мой пароль котик5', 'мой пароль [secret 1]'],
    ['пароль: котик', 'пароль: [secret 1]'],
    ['كلمة المرور: abc999', 'كلمة المرور: [secret 1]'],
    ['密码是abc123', '密码是[secret 1]'],
    ['パスワードはabc123です', 'パスワードは[secret 1]です'],
    ['my PIN is 4711', 'my PIN is [secret 1]'],
    ['PIN code: 4711', 'PIN code: [secret 1]'],
    ['CVV 123', 'CVV [secret 1]'],
    ['the verification code is 482-913', 'the verification code is [secret 1]'],
    ['the code is 482913', 'the code is [secret 1]'],
    ['Bestätigungscode 482913', 'Bestätigungscode [secret 1]'],
    ['código de verificación: 482913', 'código de verificación: [secret 1]'],
    ['код подтверждения 482913', 'код подтверждения [secret 1]'],
    ['key sk-proj-abcdefghijklmnop1234', 'key [secret 1]'],
    ['My SSN is 123-45-6789', 'My SSN is [national id 1]'],
    ['passport number C01X00T47', 'passport number [national id 1]'],
    ['Reisepass: C01X00T47', 'Reisepass: [national id 1]'],
    ['DNI 12345678Z', 'DNI [national id 1]'],
    ['RSSMRA85T10A562S', '[national id 1]'],
    ['529.982.247-25', '[national id 1]'],
    ['10000000146', '[national id 1]'],
    ['PESEL 44051401359', 'PESEL [national id 1]'],
    ['QQ 12 34 56 C is wrong, AB 12 34 56 C is right', 'QQ 12 34 56 C is wrong, [national id 1] is right'],
  ]
  assert.deepEqual(
    HIDDEN.map(([text]) => [text, hide(text)]),
    HIDDEN,
  )
})

test('what a customer needs help with stays', () => {
  const FINE = [
    'My order 123456789012 has not arrived.',
    'Order AB-12345, tracking 00340434161094042557',
    'Tracking number 1Z999AA10123456784',
    'I forgot my password.',
    'My password is wrong.',
    'My password doesn’t work',
    'password reset',
    'The password reset email never came.',
    'How do I change my password?',
    'Mein Passwort ist falsch.',
    'Mi contraseña no funciona',
    'mi contraseña es incorrecta',
    'Mon mot de passe est oublié',
    'пароль не подходит',
    'The voucher code is SPRING25.',
    'discount code 123456',
    'error code 40412',
    'zip code 10115',
    'Code postal 75001',
    'código postal 28001',
    'Postleitzahl 10115 Berlin',
    'Call me on +49 151 23456789 or 0151 23456789.',
    'I paid 1,234,567.89 on 24.12.2026 at 17:30.',
    'ISBN 978-3-16-148410-0',
    'EAN 4006381333931',
    'DE89 3704 0044 0532 0130 01',
    '4111 1111 1111 1112',
    'My passport has expired, can I still travel?',
    'pin it to the top, and the code works in 2026',
    'a@b.example, 2026-11-23, 192.168.10.20',
  ]
  assert.deepEqual(
    FINE.filter((text) => hide(text) !== text).map((text) => [text, hide(text)]),
    [],
  )
})

test('the same value has the same name within a turn, and a named secret is hidden without its name', () => {
  const { hide } = makeRedaction()
  assert.equal(hide('4111 1111 1111 1111 and 5555555555554444'), '[card 1] and [card 2]')
  assert.equal(hide('Again: 4111-1111-1111-1111'), 'Again: [card 1]')
  assert.equal(hide('password: hunter2 (hunter2 fails)'), 'password: [secret 1] ([secret 1] fails)')
  assert.equal(hide('I typed hunter2 twice'), 'I typed [secret 1] twice')
})

test('a reply gets addresses back, but no cards and secrets', () => {
  const redaction = makeRedaction({ contacts: true })
  assert.equal(
    redaction.hide('I am a.b@c.example, +49 151 2345678, PIN 4711, 4111111111111111'),
    'I am [email 1], [phone 1], PIN [secret 1], [card 1]',
  )
  assert.equal(
    redaction.reveal('[email 1], [phone 1], [secret 1], [card 1], [card 7], [other 1]'),
    'a.b@c.example, +49 151 2345678, ••••, ••••, ••••, [other 1]',
  )
})

test('no card is left, whatever is around it, and hiding twice changes nothing', () => {
  const around = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !/\p{N}/u.test(text))
  fc.assert(
    fc.property(around, around, fc.constantFrom(' ', '-', '', '.', ' - '), (before, after, gap) => {
      const hidden = hide(`${before} ${['4111', '1111', '1111', '1111'].join(gap)} ${after}`)
      assert.ok(!/1111/.test(hidden), hidden)
      assert.equal(hide(hidden), hidden)
    }),
  )
})

test('hostile texts take no longer than others', () => {
  for (const part of [
    '4',
    '4 ',
    '41',
    'DE1',
    'DE ',
    'password ',
    'password: ',
    'pin is ',
    'code ',
    'a@',
    'a.',
    '+1 ',
    '"',
    'пароль',
    '密码',
    '1-',
    'eyJ',
    '٤',
    'password is "',
  ])
    makeRedaction({ contacts: true }).hide(part.repeat(8_000 / part.length))
})
