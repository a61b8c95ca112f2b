import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksWhetherMachine } from './asks-whether-machine.ts'
import { ESCAPE_WORDS } from './escape-words.ts'
import { wantsPerson, wishLanguages } from './wants-person.ts'

const WISHES: Record<string, string[]> = {
  en: [
    "I don't want to talk to a bot",
    'I need human help',
    'put me through to a manager',
    'can someone call me?',
    'Is anybody there?',
    'I want to speak to your supervisor right now',
    'person',
    'HUMAN!!',
    'agent please',
    'can I talk to someone',
    'real person',
    'humna',
    'I am tired of this, let me speak to a human now, please',
  ],
  de: [
    'kann ich mit jemandem telefonieren?',
    'Ich will nicht mit einem Bot reden',
    'Rufen Sie mich bitte zurück',
    'Ich brauche menschliche Hilfe',
    'Ich möchte Ihren Vorgesetzten sprechen, also mit Ihrem Vorgesetzten',
    'Mensch',
    'ich möchte mit einem Mitarbeiter sprechen',
    'bitte einen echten Menschen',
    'Das hilft nicht. Kann ich mit jemandem sprechen?',
  ],
  es: [
    'no quiero hablar con un robot',
    'necesito ayuda humana',
    '¿me pueden llamar?',
    'quiero hablar con el encargado',
    'agente',
    'quiero hablar con una persona',
    'necesito un asesor por favor',
  ],
  fr: [
    'je ne veux pas parler à un robot',
    'pouvez-vous me rappeler ?',
    'passez-moi un responsable',
    'conseiller svp',
    'je veux parler à un humain',
    'parler à quelqu’un',
  ],
  it: [
    'non voglio parlare con un bot',
    'potete chiamarmi?',
    'voglio parlare con il responsabile',
    'operatore',
    'vorrei parlare con un operatore',
  ],
  pt: [
    'não quero falar com um robô',
    'alguém pode me ligar?',
    'quero falar com o gerente',
    'atendente',
    'quero falar com uma pessoa',
    'falar com alguem',
  ],
  nl: [
    'ik wil niet met een bot praten',
    'kan iemand mij bellen?',
    'ik wil met een leidinggevende spreken',
    'medewerker',
    'ik wil een medewerker spreken',
  ],
  pl: [
    'nie chcę rozmawiać z botem',
    'czy ktoś może... proszę do mnie zadzwonić',
    'chcę rozmawiać z kierownikiem',
    'konsultant',
    'chcę rozmawiać z człowiekiem',
  ],
  tr: [
    'bir botla konuşmak istemiyorum',
    'biri beni arayabilir mi?',
    'yetkili biriyle görüşmek istiyorum',
    'temsilci',
    'gerçek bir insanla görüşmek istiyorum',
  ],
  ru: [
    'не хочу говорить с ботом',
    'может кто-нибудь позвонить?',
    'позовите менеджера',
    'оператор',
    'хочу поговорить с человеком',
    'Соедините меня с оператором',
  ],
  uk: [
    'не хочу говорити з ботом',
    'передзвоніть мені, будь ласка',
    'покличте керівника',
    'оператор',
    'хочу поговорити з людиною',
  ],
  ar: [
    'لا أريد التحدث مع روبوت',
    'هل يمكنكم الاتصال بي؟',
    'أريد التحدث مع المدير',
    'موظف',
    'أريد التحدث مع شخص',
    'اريد موظف',
  ],
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
    'can someone call the shop an art gallery',
    'Who is your manager of the year?',
    'The human body needs water',
    'Is the bot in the box?',
    'I want a bot for my desk',
    'Please call me Bob',
    'Does it help a person to sleep?',
    'you put me through hell',
    'Mein Chef findet die Jacke gut',
    'Ich telefoniere gerade',
    '¿A qué número puedo llamar?',
    'Quel est le numéro de téléphone du magasin ?',
    'Qual è il numero di telefono?',
    'Hoe werkt de robotstofzuiger?',
    'كم سعر الروبوت؟',
    'Мне позвонил курьер',
    'اتصل بي المندوب ولم يأت',
  ]
  for (const text of others) assert.ok(!wantsPerson(text), text)
})

test('a workspace adds its own words', () => {
  assert.ok(wantsPerson('Concierge!', ['concierge']))
  assert.ok(!wantsPerson('the concierge desk was closed', ['concierge']))
  assert.ok(wantsPerson('please ring the front desk for me', ['front desk']))
  assert.ok(!wantsPerson('anything', ['', ' ']))
})

test('whether it is a machine is no wish for a person', () => {
  const ASKED = [
    'Are you a bot?',
    'are you a real person',
    'Hi, am I talking to a human or a robot?',
    'Bist du ein Mensch?',
    'Spreche ich mit einem Bot?',
    '¿Eres un robot?',
    'Você é uma pessoa real?',
    'Êtes-vous un robot ?',
    'Sei un bot o una persona?',
    'Ben je een mens?',
    'Czy jesteś botem?',
    'Sen bot musun?',
    'Вы робот?',
    'Ти бот?',
    'هل أنت روبوت؟',
  ]
  for (const text of ASKED) {
    assert.ok(asksWhetherMachine(text), text)
    assert.ok(!wantsPerson(text), text)
  }
  for (const text of [
    'I want to talk to a real person',
    'Are you a bot? I want a human.',
    'This is a robot.',
    'Is this a machine for washing?',
    'Are you a shop?',
    'human',
    'Es un robot de cocina',
    '',
  ])
    assert.ok(!asksWhetherMachine(text), text)
})

test('a wish says in which languages it is one', () => {
  for (const [text, language] of [
    ['Ich möchte mit jemandem sprechen', 'de'],
    ['Quero falar com um atendente', 'pt'],
    ['je veux parler à un humain', 'fr'],
    ['أريد التحدث مع شخص', 'ar'],
  ] as const)
    assert.deepEqual(wishLanguages(text), [language], text)
  assert.ok(wishLanguages('agente').includes('es') && wishLanguages('agente').includes('it'))
  assert.deepEqual(wishLanguages('my order'), [])
})
