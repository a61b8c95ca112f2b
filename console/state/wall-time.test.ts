import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentAt, wallTimeOf } from './wall-time.ts'

const at = (wall: string, zone: string) => momentAt(wall, zone)?.toISOString() ?? null

test('a time in a time zone is the moment at which clocks there show it, on both sides of a change', () => {
  assert.equal(at('2026-03-28T09:00', 'Europe/Berlin'), '2026-03-28T08:00:00.000Z')
  assert.equal(at('2026-03-30T09:00', 'Europe/Berlin'), '2026-03-30T07:00:00.000Z')
  assert.equal(at('2026-10-24T09:00', 'Europe/Berlin'), '2026-10-24T07:00:00.000Z')
  assert.equal(at('2026-10-26T09:00', 'Europe/Berlin'), '2026-10-26T08:00:00.000Z')
  assert.equal(at('2026-03-08T12:00', 'America/New_York'), '2026-03-08T16:00:00.000Z')
  assert.equal(at('2026-06-01T00:00', 'Asia/Kolkata'), '2026-05-31T18:30:00.000Z')
  assert.equal(at('2026-12-31T23:59', 'Pacific/Kiritimati'), '2026-12-31T09:59:00.000Z')
  assert.equal(at('2026-04-05T01:45', 'Australia/Lord_Howe'), '2026-04-04T14:45:00.000Z')
})

test('a time that clocks skip is none, and of one that they show twice it is the first', () => {
  assert.equal(at('2026-03-29T02:30', 'Europe/Berlin'), null)
  assert.equal(at('2026-03-29T01:59', 'Europe/Berlin'), '2026-03-29T00:59:00.000Z')
  assert.equal(at('2026-03-29T03:00', 'Europe/Berlin'), '2026-03-29T01:00:00.000Z')
  assert.equal(at('2026-10-25T02:30', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z')
  for (const none of ['', 'soon', '2026-13-01T00:00']) assert.equal(at(none, 'Europe/Berlin'), null)
})

test('what clocks show leads back to the moment', () => {
  for (const iso of ['2026-03-29T00:59:00.000Z', '2026-03-29T01:00:00.000Z', '2026-10-25T00:30:00.000Z'])
    assert.equal(at(wallTimeOf(iso, 'Europe/Berlin'), 'Europe/Berlin'), iso)
})
