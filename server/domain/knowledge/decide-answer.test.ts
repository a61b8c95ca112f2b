import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAnswer, OFFER_CERTAINTY, SAY_CERTAINTY, SAY_LEAD } from './decide-answer.ts'

const answer = (certainty: number, more: object = {}) => ({
  type: 'answer' as const,
  needsReview: false,
  certainty,
  ...more,
})
const isSaid = (...ranked: Parameters<typeof decideAnswer>[0]) => decideAnswer(ranked).say !== null

test('an answer is said at the line, with a lead over the next', () => {
  assert.ok(isSaid(answer(SAY_CERTAINTY)))
  assert.ok(!isSaid(answer(SAY_CERTAINTY - 0.001)))
  assert.ok(isSaid(answer(0.9), answer(0.9 - SAY_LEAD - 0.001)))
  assert.ok(!isSaid(answer(0.9), answer(0.9 - SAY_LEAD + 0.001)))
})

test('two equal answers are both offered, and so is one that is less certain than a later one', () => {
  assert.deepEqual(decideAnswer([answer(1), answer(1)]).offer.length, 2)
  assert.ok(!isSaid(answer(0.7), answer(0.2), answer(0.9)))
})

test('articles and answers past their review date are never said, only offered', () => {
  assert.equal(decideAnswer([answer(1, { type: 'article' as const })]).offer.length, 1)
  assert.equal(decideAnswer([answer(1, { needsReview: true })]).offer.length, 1)
})

test('at most three are offered, nothing that is far off, and nothing where nothing was found', () => {
  assert.equal(decideAnswer(Array.from({ length: 8 }, () => answer(0.3))).offer.length, 3)
  assert.deepEqual(decideAnswer([answer(OFFER_CERTAINTY - 0.01)]), { say: null, offer: [] })
  assert.deepEqual(decideAnswer([]), { say: null, offer: [] })
})
