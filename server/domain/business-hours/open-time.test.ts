import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOpenTime, openTimeBetween } from './open-time.ts'
import type { BusinessHours } from './schema.ts'

const HOUR_MS = 3_600_000
const day = [{ from: '09:00', to: '17:00' }]
const hours: BusinessHours = {
  id: 'hours',
  name: 'Office',
  isDefault: true,
  timeZone: 'Europe/Berlin',
  weekly: { mon: day, tue: day, wed: day, thu: day, fri: [{ from: '09:00', to: '12:00' }] },
  exceptions: [{ date: '2026-12-01', periods: [] }],
}
const at = (text: string): Date => new Date(`2026-${text}:00.000+01:00`)

test('time counts only while the hours are open, over nights, weekends and holidays', () => {
  // 27 November 2026 is a Friday.
  const cases: [string, number, string][] = [
    ['11-26T10:00', 1, '11-26T11:00'],
    ['11-26T16:30', 1, '11-27T09:30'],
    ['11-26T05:00', 8, '11-26T17:00'],
    ['11-27T11:00', 2, '11-30T10:00'],
    ['11-28T12:00', 1, '11-30T10:00'],
    ['11-30T16:00', 2, '12-02T10:00'],
  ]
  for (const [from, open, to] of cases) {
    assert.deepEqual(addOpenTime(hours, at(from), open * HOUR_MS), at(to), from)
    assert.equal(openTimeBetween(hours, at(from), at(to)), open * HOUR_MS, from)
  }
})

test('without hours, and with hours that never open, time always counts', () => {
  for (const none of [null, { ...hours, weekly: {}, exceptions: [] }]) {
    assert.deepEqual(addOpenTime(none, at('11-28T12:00'), HOUR_MS), at('11-28T13:00'))
    assert.equal(openTimeBetween(none, at('11-28T12:00'), at('11-28T13:00')), HOUR_MS)
  }
  assert.equal(openTimeBetween(hours, at('11-26T11:00'), at('11-26T10:00')), 0)
})
