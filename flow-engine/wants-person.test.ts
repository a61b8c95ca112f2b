import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ESCAPE_WORDS } from './escape-words.ts'
import { wantsPerson } from './wants-person.ts'

const WISHES: Record<string, string[]> = {
  en: [
    'person',
    'HUMAN!!',
    'agent please',
    'can I talk to someone',
    'real person',
    'humna',
    'I am tired of this, let me speak to a human now, please',
  ],
  de: [
    'Mensch',
    'ich möchte mit einem Mitarbeiter sprechen',
    'bitte einen echten Menschen',
    'Das hilft nicht. Kann ich mit jemandem sprechen?',
  ],
  es: ['agente', 'quiero hablar con una persona', 'necesito un asesor por favor'],
  fr: ['conseiller svp', 'je veux parler à un humain', 'parler à quelqu’un'],
  it: ['operatore', 'vorrei parlare con un operatore'],
  pt: ['atendente', 'quero falar com uma pessoa', 'falar com alguem'],
  nl: ['medewerker', 'ik wil een medewerker spreken'],
  pl: ['konsultant', 'chcę rozmawiać z człowiekiem'],
  tr: ['temsilci', 'gerçek bir insanla görüşmek istiyorum'],
  ru: ['оператор', 'хочу поговорить с человеком', 'Соедините меня с оператором'],
  uk: ['оператор', 'хочу поговорити з людиною'],
  ar: ['موظف', 'أريد التحدث مع شخص', 'اريد موظف'],
  he: ['נציג', 'אני רוצה לדבר עם נציג'],
  hi: ['एजेंट', 'मुझे किसी से बात करनी है', 'agent se baat karni hai'],
  id: ['operator', 'saya mau bicara dengan orang'],
  vi: ['nhân viên', 'tôi muốn gặp nhân viên'],
  zh: ['人工', '转人工', '我要人工客服', '請轉人工'],
  ja: ['オペレーター', '担当者と話したいです', 'オペレーターお願いします'],
  ko: ['상담원', '상담원 연결해 주세요'],
  sv: ['människa', 'jag vill prata med en person'],
}

test('a wish for a person is understood in 20 languages, alone, in a sentence, in capitals and misspelt', () => {
  assert.deepEqual(Object.keys(WISHES).sort(), Object.keys(ESCAPE_WORDS).sort())
  assert.equal(Object.keys(WISHES).length, 20)
  for (const [language, texts] of Object.entries(WISHES))
    for (const text of texts) {
      assert.ok(wantsPerson(text), `${language}: ${text}`)
      assert.ok(wantsPerson(text.toUpperCase()), `${language}: ${text.toUpperCase()}`)
    }
})

test('other messages are no wish for a person', () => {
  const others = [
    'personal',
    'my personal data',
    'Personalausweis',
    'personnel',
    'a person called me yesterday about the invoice',
    'two persons arrive on Friday at noon',
    'travel agent',
    'humanity',
    'STOP',
    'my order',
    'hello',
    '',
    '👍',
    'Menschenrechte',
    'personalizado',
    'service',
    'thank you',
    '人民币',
    '个人资料',
    'AB-12345',
    'support',
    'yes please',
  ]
  for (const text of others) assert.ok(!wantsPerson(text), text)
})

test('a workspace adds its own words', () => {
  assert.ok(wantsPerson('Concierge!', ['concierge']))
  assert.ok(!wantsPerson('the concierge desk was closed', ['concierge']))
  assert.ok(wantsPerson('please ring the front desk for me', ['front desk']))
  assert.ok(!wantsPerson('anything', ['', ' ']))
})
