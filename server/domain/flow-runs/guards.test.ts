import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  EQUAL_TEXTS_MAX,
  EQUAL_TEXTS_WITHIN_MS,
  type Guards,
  heardMessage,
  looksAutomated,
  MESSAGES_PER_DAY_MAX,
  MESSAGES_PER_HOUR_MAX,
  maySend,
  mayStart,
  NO_GUARDS,
  personWrote,
  QUICK_REPLIES_MAX,
  QUICK_REPLY_MS,
  STARTS_OF_FLOW_PER_HOUR_MAX,
  STARTS_PER_HOUR_MAX,
  sentMessages,
  startedDialog,
  wasAnswer,
} from './guards.ts'

const NOW = Date.UTC(2026, 10, 23)
const HOUR_MS = 3_600_000

type Turn = { text?: string; afterMs: number; isTap?: boolean; isAnswer?: boolean }

/** We say something, they reply: again and again. */
const play = (turns: readonly Turn[], everyMs: number): Guards =>
  turns.reduce<Guards>((guards, { text = '', afterMs, isTap = false, isAnswer = false }, index) => {
    const at = NOW + index * everyMs
    const heard = heardMessage(sentMessages(guards, at, 1), { at: at + afterMs, text, isTap })
    return isAnswer ? wasAnswer(heard) : heard
  }, NO_GUARDS)

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

test('the same text three times in two minutes looks like a program, whatever its case', () => {
  const texts = ['Out of office!', 'out of OFFICE', 'Out of office']
  const turns = texts.map((text) => ({ text, afterMs: 10_000 }))
  assert.equal(looksAutomated(play(turns, 20_000)), true)
  assert.equal(looksAutomated(play(turns.slice(1), 20_000)), false)
  assert.equal(looksAutomated(play(turns, EQUAL_TEXTS_WITHIN_MS / 2 + 1)), false)
  assert.equal(EQUAL_TEXTS_MAX, 3)
})

test('the same answer to several questions is a person’s', () => {
  const turns = times(4, () => ({ text: '5', afterMs: 10_000, isAnswer: true }))
  assert.equal(looksAutomated(play(turns, 20_000)), false)
})

test('six replies within two seconds each look like a program, unless they were tapped', () => {
  const turns = times(QUICK_REPLIES_MAX, (index) => ({ text: `No. ${index}`, afterMs: QUICK_REPLY_MS - 1 }))
  assert.equal(looksAutomated(play(turns, 10_000)), true)
  assert.equal(looksAutomated(play(turns.slice(1), 10_000)), false)
  assert.equal(
    looksAutomated(
      play(
        turns.map((turn) => ({ ...turn, afterMs: QUICK_REPLY_MS })),
        10_000,
      ),
    ),
    false,
  )
  assert.equal(
    looksAutomated(
      play(
        turns.map((turn) => ({ ...turn, isTap: true })),
        10_000,
      ),
    ),
    false,
  )
  assert.equal(looksAutomated(play(turns, 20_000)), false)
})

test('20 automated messages an hour and 60 a day, until a person writes', () => {
  const hour = sentMessages(NO_GUARDS, NOW, MESSAGES_PER_HOUR_MAX - 1)
  assert.equal(maySend(hour, NOW, 1), true)
  assert.equal(maySend(hour, NOW, 2), false)
  assert.equal(maySend(hour, NOW + HOUR_MS, 2), true)
  const day = times(MESSAGES_PER_DAY_MAX, (index) => NOW + index * 10 * 60_000).reduce(
    (guards, at) => sentMessages(guards, at, 1),
    NO_GUARDS,
  )
  assert.equal(maySend(day, NOW + 23 * HOUR_MS, 1), false)
  assert.equal(maySend(day, NOW + 24 * HOUR_MS, 1), true)
  assert.equal(maySend(personWrote(day), NOW + 23 * HOUR_MS, 1), true)
})

test('ten dialogs start in an hour, and three of one flow', () => {
  const start = (flows: string[]) =>
    flows.reduce((guards, flowId) => startedDialog(guards, flowId, NOW), NO_GUARDS)
  const same = start(times(STARTS_OF_FLOW_PER_HOUR_MAX, () => 'a'))
  assert.equal(mayStart(same, 'a', NOW), false)
  assert.equal(mayStart(same, 'b', NOW), true)
  assert.equal(mayStart(same, 'a', NOW + HOUR_MS), true)
  const many = start(times(STARTS_PER_HOUR_MAX, String))
  assert.equal(mayStart(many, 'new', NOW), false)
  assert.equal(mayStart(many, 'new', NOW + HOUR_MS), true)
})

test('what is remembered stays small', () => {
  let guards: Guards = NO_GUARDS
  for (let index = 0; index < 500; index++) {
    guards = sentMessages(heardMessage(guards, { at: NOW, text: 'x'.repeat(4_000), isTap: false }), NOW, 5)
    guards = startedDialog(guards, `c${String(index).padStart(24, '0')}`, NOW)
  }
  assert.ok(JSON.stringify(guards).length < 2_500)
})
