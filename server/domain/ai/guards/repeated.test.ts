// A question that comes again is recognized; a new one that looks like it isn't.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRepeated } from './repeated.ts'

test('a question that is asked again is recognized', () => {
  const PAIRS: [earlier: string, later: string][] = [
    ['Where is my order?', 'Where is my order?'],
    ['Where is my order?', 'where is my order!!'],
    ['Where is my order?', 'Hello? Again: where is my order please'],
    ['How can I return the shoes?', 'how can i retrun the shoes'],
    ['Wie lange habe ich Zeit für die Rückgabe?', 'wie lange hab ich zeit für die rückgabe'],
    ['¿Dónde está mi pedido?', 'donde esta mi pedido por favor'],
    ['Où est ma commande ?', 'Mais où est ma commande'],
    ['Где мой заказ?', 'где мой заказ'],
    ['我的订单在哪里，什么时候到？', '我的订单在哪里，什么时候到'],
    ['Where is order 4711?', 'Where is order 4711??'],
  ]
  assert.deepEqual(
    PAIRS.filter(([earlier, later]) => !isRepeated(later, ['Hi', earlier, 'Something else entirely'])),
    [],
  )
})

test('other questions, answers and short words aren’t repetitions', () => {
  const PAIRS: [earlier: string, later: string][] = [
    ['ok', 'ok'],
    ['Yes', 'yes'],
    ['Where is order 4711?', 'Where is order 4712?'],
    ['Where is my order?', 'Where is my refund?'],
    ['How can I return the shoes?', 'How can I exchange the shoes for a larger size?'],
    ['Can I pay by card?', 'Can I pay by invoice?'],
    ['Where is my order?', 'I ordered on Monday, and the tracking says it is in Hamburg.'],
    ['', ''],
  ]
  assert.deepEqual(
    PAIRS.filter(([earlier, later]) => isRepeated(later, [earlier])),
    [],
  )
})
