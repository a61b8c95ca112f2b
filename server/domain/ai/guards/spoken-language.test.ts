// The language of a few words, and what is said if they don’t tell.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessLanguage, spokenLanguage } from './spoken-language.ts'

const SAID: [text: string, language: string][] = [
  ['Ich möchte mit jemandem sprechen', 'de'],
  ['Wo ist meine Bestellung?', 'de'],
  ['Where is my order?', 'en'],
  ['hola', 'es'],
  ['¿Dónde está mi pedido?', 'es'],
  ['Onde está o meu pedido?', 'pt'],
  ['Olá, bom dia', 'pt'],
  ['Bonjour', 'fr'],
  ['Où est ma commande ?', 'fr'],
  ['Buongiorno', 'it'],
  ['Dove è il mio ordine?', 'it'],
  ['Waar is mijn bestelling?', 'nl'],
  ['Gdzie jest moje zamówienie?', 'pl'],
  ['Siparişim nerede?', 'tr'],
  ['Var är min beställning?', 'sv'],
  ['Где мой заказ?', 'ru'],
  ['Я хочу поговорить с человеком', 'ru'],
  ['Де моє замовлення?', 'uk'],
  ['Дякую', 'ru'],
  ['أين طلبي؟', 'ar'],
  ['סליחה, איפה ההזמנה שלי?', 'he'],
  ['注文した商品はどこですか', 'ja'],
]

test('a few words tell the language', () => {
  // Ukrainian words without letters of their own can’t be told from Russian ones.
  for (const [text, language] of SAID) assert.equal(guessLanguage(text)?.language, language, text)
})

test('what tells nothing is no language', () => {
  for (const text of ['ok', '', '👍', '4711', 'Lukas Müller', 'iPhone 15 Pro', 'DHL', 'a@b.example', 'Hallo'])
    assert.equal(guessLanguage(text), null, text)
})

test('what is known of a customer counts, unless they certainly write another language', () => {
  assert.equal(spokenLanguage('Hola', 'de-AT'), 'de-AT')
  assert.equal(spokenLanguage('Wo ist meine Bestellung?', 'de-AT'), 'de-AT')
  assert.equal(spokenLanguage('ok', 'pt-BR'), 'pt-BR')
  assert.equal(
    spokenLanguage('Ich möchte wissen, wo meine Bestellung ist und wann sie ankommt', 'en-GB'),
    'de',
  )
  assert.equal(spokenLanguage('Где мой заказ?', 'de'), 'ru')
  assert.equal(spokenLanguage('ok', null), null)
})

test('the languages of a phrase decide where the rest doesn’t', () => {
  assert.equal(spokenLanguage('agente', null, { among: ['es', 'it'] }), 'es')
  assert.equal(spokenLanguage('un operatore, per favore', null, { among: ['es', 'it'] }), 'it')
  assert.equal(spokenLanguage('agente', null, { among: ['es', 'it'], remembered: 'it' }), 'it')
  assert.equal(spokenLanguage('???', null, { remembered: 'it' }), 'it')
  assert.equal(spokenLanguage('hi there', null, { remembered: 'de' }), 'en')
  assert.equal(spokenLanguage('Mensch', null, { among: ['de'] }), 'de')
})
