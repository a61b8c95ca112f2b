import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasonForPeople } from './for-people.ts'

const reasonOf = (text: string, more: { earlier?: string[]; topics?: string[] } = {}) =>
  reasonForPeople({ texts: [text], earlier: [], topics: [], ...more })

test('people take over danger, threats, anger and what is asked again', () => {
  assert.equal(reasonOf('I want to end my life'), 'self_harm')
  assert.equal(reasonOf('I will kill you all'), 'sensitive')
  assert.equal(reasonOf('You are thieves, this is unacceptable!'), 'angry')
  assert.equal(reasonOf('Where is my order 1182?', { earlier: ['where is my order 1182'] }), 'repeated')
  assert.equal(reasonOf('Where is my order 1183?', { earlier: ['where is my order 1182'] }), null)
})

test('subjects of the workspace are found as words, whatever their case and accents', () => {
  const topics = ['Preisnachlass', 'São Paulo']
  assert.equal(reasonOf('Gibt es einen PREISNACHLASS?', { topics }), 'sensitive')
  assert.equal(reasonOf('Is there a shop in Sao Paulo?', { topics }), 'sensitive')
  assert.equal(reasonOf('Preisnachlassregeln', { topics }), null)
})

test('health and law may be answered from what is written, so they are not left to people here', () => {
  assert.equal(reasonOf('Can I take ibuprofen while pregnant?'), null)
})
