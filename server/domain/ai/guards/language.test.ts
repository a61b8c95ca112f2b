// The language of a customer's messages: certain texts count, doubtful ones leave what is known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageOf } from './language.ts'

test('sentences are recognized, whatever is known of the contact', async () => {
  const SENTENCES: [text: string, language: string][] = [
    ['Where is my order? I have been waiting for a week.', 'en'],
    ['Wo ist meine Bestellung? Ich warte seit einer Woche.', 'de'],
    ['¿Dónde está mi pedido? Llevo una semana esperando.', 'es'],
    ['Onde está o meu pedido? Estou esperando há uma semana.', 'pt'],
    ['Où est ma commande ? J’attends depuis une semaine.', 'fr'],
    ['Dove è il mio ordine? Aspetto da una settimana.', 'it'],
    ['Waar is mijn bestelling? Ik wacht al een week.', 'nl'],
    ['Gdzie jest moje zamówienie? Czekam już tydzień.', 'pl'],
    ['Siparişim nerede? Bir haftadır bekliyorum.', 'tr'],
    ['Где мой заказ? Я жду уже неделю.', 'ru'],
    ['Де моє замовлення? Я чекаю вже тиждень.', 'uk'],
    ['أين طلبي؟ أنا أنتظر منذ أسبوع', 'ar'],
    ['סליחה, איפה ההזמנה שלי?', 'he'],
    ['注文した商品はどこですか', 'ja'],
    ['我的订单在哪里？', 'zh'],
    ['제 주문은 어디에 있나요?', 'ko'],
    ['मेरा ऑर्डर कहाँ है? मैं एक हफ्ते से इंतज़ार कर रहा हूँ।', 'hi'],
  ]
  for (const contact of [null, 'en-GB', 'de', 'sv'])
    assert.deepEqual(
      await Promise.all(
        SENTENCES.map(async ([text]) => [text, (await languageOf([text], contact))?.slice(0, 2)]),
      ),
      SENTENCES,
    )
})

test('what is too short or no language at all leaves what is known', async () => {
  for (const text of [
    'ok',
    'Hola',
    'iPhone 15 Pro Max',
    'Lukas Müller',
    '4711',
    '',
    '😀',
    'a@b.example',
    'https://a.example/wo-ist-meine-bestellung',
    'DHL?',
  ])
    for (const contact of [null, 'en-GB', 'de-AT', 'tr'])
      assert.equal(await languageOf([text], contact), contact, `${text} for ${contact}`)
})

test('the contact’s own variant stays, and so does their language where scripts are shared', async () => {
  assert.equal(await languageOf(['Wo ist meine Bestellung, bitte?'], 'de-AT'), 'de-AT')
  assert.equal(await languageOf(['配送状況'], 'ja'), 'ja')
  assert.equal(await languageOf(['配送状況'], 'zh-TW'), 'zh-TW')
  assert.equal(await languageOf(['Дякую'], 'uk'), 'uk')
  assert.equal(await languageOf(['спасибо'], 'de'), 'ru')
  assert.equal(await languageOf(['where is my order'], 'de'), 'en')
})

test('several messages count together', async () => {
  assert.equal(await languageOf(['Hola', 'quiero saber', 'cuándo llega mi pedido'], 'en'), 'es')
})
