import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueWords } from './due-words.ts'

test('what is due says how long is left, or for how long it has been overdue', () => {
  const now = Date.parse('2026-11-27T10:00:00.000Z')
  const cases: [number, string][] = [
    [0.5, 'Due in 1 min'],
    [12, 'Due in 12 min'],
    [90, 'Due in 1 h'],
    [1_500, 'Due in 1 day'],
    [4_400, 'Due in 3 days'],
    [0, 'Overdue 1 min'],
    [-5.5, 'Overdue 5 min'],
    [-130, 'Overdue 2 h'],
  ]
  for (const [minutes, words] of cases)
    assert.equal(dueWords(new Date(now + minutes * 60_000).toISOString(), now), words)
})
