// What may be said about what was done, is being done or will be done.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phrasesOf } from '../guards/phrases.ts'
import { checkReply, type Known } from './check-reply.ts'
import { deedsOf } from './deed-stems.ts'
import { DONE_WORDS } from './done-words.ts'
import { PROMISE_WORDS } from './promise-words.ts'

const KNOWN: Known = {
  sources: [{ id: 'a1', url: null, language: 'en', text: 'Returns are free within 14 days.' }],
  results: [],
  customerTexts: [],
  ownDomains: [],
  privateWords: [],
  lastReplies: [],
  language: null,
  lengthMax: 1_000,
}

const isPromise = (text: string, known: Partial<Known> = {}): boolean =>
  checkReply({ text, cited: ['a1'], isFactual: true }, { ...KNOWN, ...known }).some(
    ({ code }) => code === 'promise',
  )

test('nothing is promised that nobody did or will do, in twelve languages', () => {
  const PROMISES = [
    'I have refunded your order.',
    'I’ve just cancelled it for you.',
    'I will check and get back to you.',
    'A colleague will call you today.',
    'You will be refunded.',
    'This is a binding offer.',
    'Ich habe Ihnen den Betrag erstattet.',
    'Ich werde das für Sie prüfen.',
    'Eine Kollegin meldet sich.',
    'He cancelado su pedido.',
    'Le llamaremos hoy.',
    'Já cancelei o pedido.',
    'Vou verificar e retornar.',
    'Je vous ai remboursé.',
    'Nous vous rappellerons.',
    'Ho annullato l’ordine.',
    'La richiameremo.',
    'Ik heb het bedrag terugbetaald.',
    'Een collega belt u terug.',
    'Anulowałem zamówienie.',
    'Skontaktujemy się z Panią.',
    'Siparişinizi iptal ettim.',
    'Sizi arayacağız.',
    'Я отменил заказ.',
    'С вами свяжется коллега.',
    'Я скасувала замовлення.',
    'Ми вам передзвонимо.',
    'لقد قمت بإلغاء الطلب',
    'سنتصل بك اليوم',
  ]
  assert.deepEqual(
    PROMISES.filter((text) => !isPromise(text)),
    [],
  )
})

test('nor said to be done or under way, whoever is said to have done it', () => {
  const CLAIMS = [
    'Your order has been cancelled.',
    'Your refund has been processed.',
    'Your refund has already been issued and can take a few days.',
    'Good news: your refund is on its way!',
    'I’m processing your refund.',
    'We’re now cancelling your subscription.',
    'The team has been notified.',
    'It has been taken care of.',
    'Everything was sent out, it has been dispatched.',
    'Your order is now cancelled.',
    'As you asked when we spoke, your order was refunded.',
    'Ihre Bestellung wurde storniert.',
    'Die Erstattung wurde veranlasst.',
    'Ihr Paket ist unterwegs.',
    'Unser Team wurde benachrichtigt.',
    'Ich storniere das für Sie.',
    'Ihre Rückerstattung wird gerade bearbeitet.',
    'Su pedido ha sido cancelado.',
    'Se ha cancelado su pedido.',
    'El reembolso está en camino.',
    'Estoy tramitando su devolución.',
    'Seu pedido foi cancelado.',
    'O reembolso já foi processado.',
    'Estamos processando o seu reembolso.',
    'Votre commande a été annulée.',
    'L’équipe a bien été prévenue.',
    'Votre remboursement est en cours de traitement.',
    'Je suis en train de traiter votre remboursement.',
    'Il suo ordine è stato annullato.',
    'L’ordine è stato annullato.',
    'Il rimborso è in corso.',
    'Sto elaborando il suo rimborso.',
    'Uw bestelling is geannuleerd.',
    'Het team is op de hoogte gebracht.',
    'Uw terugbetaling is onderweg.',
    'Zamówienie zostało anulowane.',
    'Pani zwrot został zrealizowany.',
    'Siparişiniz iptal edildi.',
    'İadeniz işleme alındı.',
    'Ваш заказ отменён.',
    'Возврат уже оформлен.',
    'Ваше замовлення скасовано.',
    'تم إلغاء طلبك',
    'جارٍ معالجة طلبك',
  ]
  assert.deepEqual(
    CLAIMS.filter((text) => !isPromise(text)),
    [],
  )
})

test('how it goes, what may be and what is asked are no promises', () => {
  const FINE = [
    'You have 14 days to return it.',
    'We check each return when it arrives.',
    'You can cancel it yourself in your account.',
    'If you return it, we will refund the price.',
    'Wenn Sie es zurückschicken, werden wir den Preis erstatten.',
    'If you return it, the refund arrives in 3 to 5 business days.',
    'Haben Sie die Bestellung schon storniert?',
    'Die Rückgabe ist kostenlos.',
    'Puede cancelar el pedido en su cuenta.',
    'Você pode cancelar o pedido.',
    'Vous pouvez annuler la commande.',
    'Può annullare l’ordine.',
    'U kunt de bestelling annuleren.',
    'Может быть, заказ уже отправлен.',
    'Which order is it?',
    'Orders that have been shipped can’t be cancelled.',
    'You will get an email once your order has been shipped.',
    'You can cancel it until it has been dispatched.',
    'Has your order been cancelled?',
    'Was your refund processed?',
    'Your order may have been delivered to a neighbour.',
    'Your order has not been shipped yet.',
    'Refunds are processed within 14 days.',
    'Your return is free.',
    'Sobald Ihre Bestellung versandt wurde, erhalten Sie eine Mail.',
    'Wurde Ihre Bestellung schon storniert, erhalten Sie eine Mail.',
    'Bestellungen, die verschickt wurden, können nicht storniert werden.',
    'Ihre Bestellung wurde noch nicht verschickt.',
    'Die Ware wird in zwei Kartons verschickt.',
    'Cuando su pedido ha sido enviado, recibe un correo.',
    'Su pedido no ha sido enviado.',
    'Quando o pedido foi enviado, você recebe um e-mail.',
    'Dès que votre commande a été expédiée, vous recevez un e-mail.',
    'Quando l’ordine è stato spedito, riceve una mail.',
    'Zodra uw bestelling is verzonden, krijgt u een mail.',
    'Gdy zamówienie zostało wysłane, dostanie Pani e-mail.',
    'Если заказ отменён, деньги вернутся на карту.',
    'Заказ ещё не отправлен.',
    'Якщо замовлення скасовано, гроші повернуться на картку.',
    'إذا تم إلغاء الطلب ستصلك رسالة',
  ]
  assert.deepEqual(
    FINE.filter((text) => isPromise(text)),
    [],
  )
})

test('each change of a turn allows the words for it, and no others', () => {
  const cases: [text: string, known: Partial<Known>, expected: boolean][] = [
    ['I have updated your address.', { done: ['field'] }, false],
    ['I’ve noted your order number, it has been saved.', { done: ['field'] }, false],
    ['Your address has been updated.', { done: ['field'] }, false],
    ['Ihre Adresse wurde geändert.', { done: ['field'] }, false],
    ['I have refunded your order.', { done: ['field'] }, true],
    ['Your order has been cancelled.', { done: ['field'] }, true],
    ['I have refunded your order.', { done: ['tags'] }, true],
    ['Your order has been cancelled.', { done: ['tags'] }, true],
    ['I have updated your address.', { done: ['tags'] }, true],
    ['I will call you.', { done: ['field'] }, true],
    ['Your return has been started, a request was created.', { done: ['flow'] }, false],
    ['Your money has been refunded.', { done: ['flow', 'collected', 'tags', 'field'] }, true],
  ]
  for (const [text, known, expected] of cases) assert.equal(isPromise(text, known), expected, text)
})

test('an action that was done may be said in any words and any language, and no other deed', () => {
  const actions = ['Cancel order']
  for (const text of [
    'Your order has been cancelled.',
    'Ihre Bestellung wurde storniert.',
    'Votre commande a été annulée.',
    'Ваш заказ отменён.',
    'تم إلغاء طلبك',
    'Your request has been processed.',
  ])
    assert.equal(isPromise(text, { actions }), false, text)
  for (const text of [
    'Your order has been refunded.',
    'Your refund has been processed.',
    'Ihre Erstattung wurde bearbeitet.',
  ])
    assert.equal(isPromise(text, { actions }), true, text)
})

test('what a tool’s result says about somebody’s order may be said, and what it denies may not', () => {
  const results = ['{"order":"AB-1","status":"cancelled","isRefunded":false,"canShip":true}']
  for (const text of ['Your order has been cancelled.', 'Ihre Bestellung wurde storniert.'])
    assert.equal(isPromise(text, { results }), false, text)
  for (const text of [
    'Your order has been refunded.',
    'Your order has been shipped.',
    'I have sent you a refund.',
  ])
    assert.equal(isPromise(text, { results }), true, text)
  assert.equal(isPromise('Your order has been cancelled.', { results: ['{"status":"not cancelled"}'] }), true)
  assert.equal(isPromise('Your parcel is on its way.', { results: ['{"status":"in_transit"}'] }), false)
})

test('a source allows what it says in general, but not about the customer’s own order', () => {
  const sources = [
    {
      id: 'a1',
      url: null,
      language: 'en',
      text: 'We have extended the period. The prices were changed in May. The mail says: your order has been cancelled.',
    },
  ]
  assert.equal(isPromise('We have extended the period.', { sources }), false)
  assert.equal(isPromise('The prices were changed in May.', { sources }), false)
  assert.equal(isPromise('Your order has been cancelled.', { sources }), true)
})

test('a hand-over may say that people reply, and nothing more', () => {
  assert.equal(isPromise('A colleague will reply here.', { isHandOver: true }), false)
  assert.equal(isPromise('I have refunded it.', { isHandOver: true }), true)
  assert.equal(isPromise('Your order has been refunded.', { isHandOver: true }), true)
})

test('every word for a deed is known to be about something', () => {
  const words = [
    ...Object.values(PROMISE_WORDS).map(({ done }) => done),
    ...Object.values(DONE_WORDS).flatMap(({ done, states, doing }) => [done, states, doing]),
  ].flatMap(phrasesOf)
  assert.deepEqual(
    [...new Set(words)].filter((word) => deedsOf(word).size === 0),
    [],
  )
})

test('a long text takes no longer for being odd', () => {
  const started = performance.now()
  for (const part of ['your ', 'your order ', 'has been ', 'i have ', 'ihre ', 'ist ', 'se ', 'تم '])
    isPromise(part.repeat(200))
  assert.ok(performance.now() - started < 2_000)
})
