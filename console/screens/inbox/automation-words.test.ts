import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateTimeOf, timeOf } from '../../state/dates.ts'
import { pauseWords, runWords } from './automation-words.ts'

const now = new Date(2026, 10, 23, 12)
const today = new Date(2026, 10, 23, 18, 20).toISOString()
const tomorrow = new Date(2026, 10, 24, 6, 20).toISOString()

test('a waiting flow says what for and until when', () => {
  assert.equal(
    runWords({ waitingFor: 'reply', wakesAt: today }, now),
    `is waiting for a reply until ${timeOf(today)}`,
  )
  assert.equal(runWords({ waitingFor: 'reply', wakesAt: null }, now), 'is waiting for a reply')
  assert.equal(
    runWords({ waitingFor: 'time', wakesAt: tomorrow }, now),
    `continues at ${dateTimeOf(tomorrow)}`,
  )
  assert.equal(runWords({ waitingFor: 'call', wakesAt: null }, now), 'is waiting for an action')
  assert.equal(runWords({ waitingFor: null, wakesAt: null }, now), 'is running')
})

test('a pause says who began it, until when, and why', () => {
  const says = (reason: string, by: string, byName: string | null, until: string | null) =>
    pauseWords({ reason, by, byName, until }, now)
  assert.equal(says('paused', 'anna', 'Anna', null), 'Automation paused by Anna')
  assert.equal(
    says('person_took_over', 'anna', 'Anna', tomorrow),
    `Automation paused by Anna until ${dateTimeOf(tomorrow)}`,
  )
  assert.equal(
    says('person_took_over', 'phone:x', null, null),
    'Automation paused · someone replied from the phone',
  )
  assert.equal(
    says('handed_over', 'flow:x', 'Welcome', today),
    `Automation paused until ${timeOf(today)} · Welcome handed over to the team`,
  )
  assert.equal(
    says('looks_automated', 'system', null, null),
    'Automation paused · the customer appears to be a program',
  )
})
