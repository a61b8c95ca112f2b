// Random worlds, and random things that happen to runs.
import fc from 'fast-check'
import type { Env, Input, RunState } from '../contract.ts'
import { END_REASONS, type EndReason } from '../end-reasons.ts'
import type { Json } from '../paths.ts'
import { makeEnv, makeMessage, NOW, started } from './make-env.ts'

const reply = fc.oneof(
  fc.constantFrom(
    '1',
    '2.',
    '②',
    '٣',
    'yes',
    'nein',
    'Hello',
    'maria@example.org',
    '+49 170 1234567',
    '42',
    '31.02.2027',
    'tomorrow',
  ),
  fc.constantFrom(
    'talk to a human',
    '',
    '\u200b',
    '{{contact.email}}',
    '__proto__',
    '1 and 2',
    'x'.repeat(4_500),
    '\ud800',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)

/** What happens next to a run; made into an input by `toInput`, because tokens depend on the state. */
export type Happening = {
  kind: 'says' | 'taps' | 'sends' | 'wakes' | 'waits' | 'finishes' | 'ends' | 'late'
  text: string
  step: number
  option: number
  outcome: number
  json: Json
}

export const arbitraryHappening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom(
    'says',
    'says',
    'says',
    'taps',
    'taps',
    'sends',
    'wakes',
    'wakes',
    'finishes',
    'finishes',
    'late',
    'ends',
  ),
  text: reply,
  step: fc.integer({ min: 1, max: 12 }),
  option: fc.oneof(fc.integer({ min: -1, max: 6 }), fc.integer({ min: 99, max: 104 })),
  outcome: fc.nat(20),
  json: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
})

const CALL_OUTCOMES = ['done', 'notFound', 'refused', 'failed', 'unknown'] as const
// Object.keys gives plain strings; these are the keys of END_REASONS.
const REASONS = Object.keys(END_REASONS) as EndReason[]

/** The input for a run in this state, and when it comes. A run that waits for a result gets one of the right kind. */
export const toInput = (
  state: RunState | null,
  now: number,
  happening: Happening,
): { input: Input; now: number } => {
  const { kind, text, step, option, outcome, json } = happening
  const wait = state?.wait ?? null
  if (state === null) return { input: started(), now }
  if (kind === 'says')
    return { input: { type: 'message', message: makeMessage(text), choice: null }, now: now + 1_000 }
  if (kind === 'sends')
    return {
      input: {
        type: 'message',
        message: makeMessage('', { attachments: [{ id: 'file2', type: 'image', name: 'a.png' }] }),
        choice: null,
      },
      now: now + 1_000,
    }
  if (kind === 'taps')
    return {
      input: {
        type: 'message',
        message: makeMessage(text),
        choice: { stepId: outcome < 12 && wait ? wait.stepId : `s${step}`, option },
      },
      now: now + 1_000,
    }
  if (kind === 'ends')
    return { input: { type: 'cancelled', reason: REASONS[outcome % REASONS.length]! }, now }
  const token = (wait?.token ?? 0) - (kind === 'late' ? 1 : 0)
  const collected = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : { topic: json }
  if (kind === 'finishes' && wait?.for === 'call')
    return { input: { type: 'callFinished', token, outcome: CALL_OUTCOMES[outcome % 5]!, kept: json }, now }
  if (kind === 'finishes' && wait?.for === 'ai')
    return { input: { type: 'aiFinished', token, outcome: outcome % 3 ? 'done' : 'gaveUp', collected }, now }
  if (kind === 'finishes' && wait?.for === 'part') {
    const endReason = REASONS[outcome % REASONS.length]!
    const { status } = END_REASONS[endReason]
    return { input: { type: 'partFinished', token, status, endReason, variables: collected }, now }
  }
  return { input: { type: 'woken', token }, now: Math.max(now, wait?.until ?? now) }
}

/** Worlds in which more or less of what a flow needs is there. */
export const arbitraryEnv: fc.Arbitrary<Env> = fc
  .record({
    language: fc.constantFrom('en', 'de', 'de-AT', 'ar', 'xx-1', null),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    bodyMax: fc.constantFrom(40, 1_024, 4_000),
    windowClosesAt: fc.constantFrom(null, NOW + 3_600_000, NOW - 1),
    refusal: fc.constantFrom(null, null, null, null, 'opted_out' as const),
    hours: fc.constantFrom('Europe/Berlin', 'Mars/Olympus'),
    name: fc.oneof(
      fc.constantFrom('Maria Silva', '{{contact.email}}', null),
      fc.string({ unit: 'grapheme' }),
    ),
  })
  .map(({ language, random, bodyMax, windowClosesAt, refusal, hours, name }) => {
    const env = makeEnv({
      random,
      contact: { language, name },
      sending: { bodyMax, windowClosesAt, refusal },
    })
    return { ...env, hours: env.hours.map((one) => ({ ...one, timeZone: hours })) }
  })
