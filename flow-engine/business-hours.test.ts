import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BusinessHours, closesAt, isOpen, isUsable, opensAt } from './business-hours.ts'
import { OFFICE_HOURS } from './testing/make-env.ts'
import { isTimeZone, toMoment, toWallTime } from './zone-time.ts'

const at = (text: string): number => Date.parse(text)
const show = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString().slice(0, 16)

const hours = (weekly: BusinessHours['weekly'], more: Partial<BusinessHours> = {}): BusinessHours => ({
  ...OFFICE_HOURS,
  weekly,
  ...more,
})
const daily = (from: string, to: string): BusinessHours['weekly'] =>
  Object.fromEntries(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].map((day) => [day, [{ from, to }]]))

test('it is open from the first minute to before the last', () => {
  assert.ok(!isOpen(OFFICE_HOURS, at('2026-11-23T07:59:59Z')))
  assert.ok(isOpen(OFFICE_HOURS, at('2026-11-23T08:00:00Z')))
  assert.ok(isOpen(OFFICE_HOURS, at('2026-11-23T15:59:59Z')))
  assert.ok(!isOpen(OFFICE_HOURS, at('2026-11-23T16:00:00Z')))
})

test('over the weekend it opens on Monday, and an exception moves that on', () => {
  const saturday = at('2026-11-21T12:00:00Z')
  assert.equal(show(opensAt(OFFICE_HOURS, saturday)), '2026-11-23T08:00')
  const holiday = {
    ...OFFICE_HOURS,
    exceptions: [
      { date: '2026-11-23', periods: [] },
      { date: '2026-11-24', periods: [{ from: '10:00', to: '12:00' }] },
    ],
  }
  assert.equal(show(opensAt(holiday, saturday)), '2026-11-24T09:00')
  assert.equal(show(closesAt(holiday, at('2026-11-24T09:30:00Z'))), '2026-11-24T11:00')
  assert.equal(closesAt(OFFICE_HOURS, saturday), null)
})

test('a yearly holiday is every year, and a single date goes before it', () => {
  const holiday = {
    ...OFFICE_HOURS,
    exceptions: [
      { date: '12-25', name: 'Christmas', periods: [] },
      { date: '2028-12-25', periods: [{ from: '10:00', to: '12:00' }] },
    ],
  }
  // A Friday, a Saturday and a Monday.
  assert.equal(show(opensAt(holiday, at('2026-12-25T00:00:00Z'))), '2026-12-28T08:00')
  assert.equal(show(opensAt(holiday, at('2028-12-24T00:00:00Z'))), '2028-12-25T09:00')
  assert.equal(isOpen(holiday, at('2029-12-25T10:00:00Z')), false)
})

test('a day that ends at midnight goes on with the next', () => {
  const night = hours({ fri: [{ from: '22:00', to: '24:00' }], sat: [{ from: '00:00', to: '02:00' }] })
  assert.equal(show(closesAt(night, at('2026-11-27T22:30:00Z'))), '2026-11-28T01:00')
  assert.ok(isOpen(night, at('2026-11-27T23:00:00Z')))
})

test('always open never closes, and never open never opens', () => {
  assert.equal(closesAt(hours(daily('00:00', '24:00')), at('2026-11-23T10:00:00Z')), null)
  assert.equal(opensAt(hours({}), at('2026-11-23T10:00:00Z')), null)
  assert.equal(
    opensAt(
      hours({
        mon: [
          { from: '17:00', to: '09:00' },
          { from: '25:00', to: '26:00' },
        ],
      }),
      0,
    ),
    null,
  )
})

test('the clocks go forward: an opening in the skipped hour is the moment of the change', () => {
  // Berlin, 29 March 2026: 02:00 becomes 03:00, which is 01:00 UTC.
  const early = hours(daily('02:30', '08:00'))
  assert.equal(show(opensAt(early, at('2026-03-29T00:00:00Z'))), '2026-03-29T01:00')
  assert.equal(opensAt(early, at('2026-03-29T01:00:00Z')), at('2026-03-29T01:00:00Z'))
  const within = hours(daily('02:10', '02:50'))
  assert.equal(show(opensAt(within, at('2026-03-29T00:00:00Z'))), '2026-03-30T00:10')
  assert.equal(show(closesAt(hours(daily('00:00', '02:30')), at('2026-03-29T00:30:00Z'))), '2026-03-29T01:00')
  // The office opens at nine, before and after.
  assert.equal(show(opensAt(OFFICE_HOURS, at('2026-03-27T20:00:00Z'))), '2026-03-30T07:00')
})

test('the clocks go back: it opens at the first of the doubled times and closes at the last', () => {
  // Berlin, 25 October 2026: 03:00 becomes 02:00, at 01:00 UTC.
  const night = hours(daily('02:30', '02:45'))
  assert.equal(show(opensAt(night, at('2026-10-25T00:00:00Z'))), '2026-10-25T00:30')
  assert.equal(show(closesAt(night, at('2026-10-25T00:40:00Z'))), '2026-10-25T01:45')
  assert.ok(isOpen(night, at('2026-10-25T01:10:00Z')))
  assert.equal(toMoment(at('2026-10-25T02:30:00Z'), 'Europe/Berlin', 'earlier'), at('2026-10-25T00:30:00Z'))
  assert.equal(toMoment(at('2026-10-25T02:30:00Z'), 'Europe/Berlin', 'later'), at('2026-10-25T01:30:00Z'))
})

test('a wall time and its moment lead to each other in every kind of zone', () => {
  for (const zone of [
    'Europe/Berlin',
    'Asia/Kathmandu',
    'Pacific/Apia',
    'America/St_Johns',
    'Africa/Casablanca',
    'UTC',
  ])
    for (let day = 0; day < 365; day += 7) {
      const moment = Date.UTC(2026, 0, 1, 10) + day * 86_400_000
      assert.equal(toMoment(toWallTime(moment, zone), zone, 'earlier'), moment, `${zone} ${day}`)
    }
})

test('a zone that the data doesn’t know makes hours unusable, and the years from 1 to 9999 work', () => {
  assert.equal(isUsable(hours({}, { timeZone: 'Mars/Olympus' })), false)
  assert.ok(isTimeZone('Europe/Berlin') && !isTimeZone('') && !isTimeZone('__proto__'))
  assert.ok(opensAt(OFFICE_HOURS, Date.UTC(9999, 0, 1)))
  assert.ok(opensAt(OFFICE_HOURS, at('0001-06-01T00:00:00Z')))
})
