// What must hold for every flow, whatever happens to its runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { advance } from './advance.ts'
import { jsonBytes } from './byte-length.ts'
import { checkDefinition } from './check-definition.ts'
import type { Env, RunState, Sprint } from './contract.ts'
import { END_REASONS } from './end-reasons.ts'
import {
  RUN_MESSAGES_MAX,
  RUN_STEPS_MAX,
  SPRINT_EFFECTS_MAX,
  SPRINT_MESSAGES_MAX,
  STATE_BYTES_MAX,
} from './limits.ts'
import type { FlowDefinition } from './schema.ts'
import { arbitraryFlow } from './testing/arbitrary-flow.ts'
import { arbitraryEnv, arbitraryHappening, type Happening, toInput } from './testing/arbitrary-happening.ts'

/** FLOW_RUNS=10000 looks closer. */
const RUNS = Number(process.env.FLOW_RUNS ?? 300)

const happenings = fc.array(arbitraryHappening, { minLength: 1, maxLength: 12 })

/** Every sprint of a run, with the state before it. */
const play = (
  flow: FlowDefinition,
  first: Env,
  list: readonly Happening[],
  look: (sprint: Sprint, before: RunState | null, again: () => Sprint) => void,
): void => {
  let state: RunState | null = null
  let env = first
  for (const happening of [list[0]!, ...list]) {
    const before: RunState | null = state
    const { input, now } = toInput(before, env.now, happening)
    env = { ...env, now }
    const again = (): Sprint => advance(flow, before, input, env)
    const sprint = again()
    look(sprint, before, again)
    state = sprint.state
  }
}

test('the random flows are accepted by the checks', () => {
  fc.assert(
    fc.property(arbitraryFlow, (flow) => {
      const checked = checkDefinition(flow)
      assert.deepEqual(checked.ok ? [] : checked.problems, [])
    }),
    { numRuns: 300 },
  )
})

test('the random runs come to every type of step, effect and wait', () => {
  const steps = new Set<string>()
  const effects = new Set<string>()
  const waits = new Set<string>()
  fc.assert(
    fc.property(arbitraryFlow, arbitraryEnv, happenings, (flow, env, list) => {
      play(flow, env, list, (sprint) => {
        for (const { type } of sprint.effects) effects.add(type)
        for (const { type } of sprint.log) if (type) steps.add(type)
        if (sprint.state.wait) waits.add(sprint.state.wait.for)
      })
    }),
    { numRuns: 600, seed: 11 },
  )
  assert.deepEqual([steps.size, effects.size, waits.size], [16, 13, 5])
})

test('no input to any flow throws, and no sprint or run exceeds its limits', () => {
  fc.assert(
    fc.property(arbitraryFlow, arbitraryEnv, happenings, (flow, env, list) => {
      play(flow, env, list, ({ state, effects }, before) => {
        const messages = effects.filter(
          (one) =>
            one.type === 'send' ||
            one.type === 'sendTemplate' ||
            (one.type === 'handOver' && one.text !== null),
        )
        assert.ok(effects.length <= SPRINT_EFFECTS_MAX)
        assert.ok(messages.length <= SPRINT_MESSAGES_MAX)
        assert.ok(state.stepsTaken <= RUN_STEPS_MAX)
        assert.ok(state.messagesSent <= RUN_MESSAGES_MAX)
        assert.equal(state.messagesSent, (before?.messagesSent ?? 0) + messages.length)
        assert.ok(jsonBytes(state) <= STATE_BYTES_MAX)
        for (const effect of effects) {
          if (effect.type === 'send') {
            assert.ok(effect.text.length <= env.sending.bodyMax)
            assert.ok(effect.text.trim() !== '')
          }
        }
      })
    }),
    { numRuns: RUNS },
  )
})

test('a run either waits for something or has ended with a reason of its status', () => {
  fc.assert(
    fc.property(arbitraryFlow, arbitraryEnv, happenings, (flow, env, list) => {
      play(flow, env, list, ({ state, effects }, before) => {
        if (state.status === 'running') {
          assert.ok(state.wait)
          assert.ok(state.at)
          assert.ok(state.wait.until !== null || state.wait.for === 'part')
          assert.equal(state.endReason, null)
          return
        }
        assert.equal(END_REASONS[state.endReason!].status, state.status)
        assert.equal(state.wait, null)
        if (before?.status === state.status) assert.deepEqual(effects, [])
        // A customer whose dialog fails is never left alone.
        if (before?.status !== 'failed' && state.status === 'failed' && flow.kind === 'dialog')
          assert.equal(effects.at(-1)?.type, 'handOver')
      })
    }),
    { numRuns: RUNS },
  )
})

test('a background flow never writes to the customer', () => {
  const flows = arbitraryFlow.filter(({ kind }) => kind === 'background')
  fc.assert(
    fc.property(flows, arbitraryEnv, happenings, (flow, env, list) => {
      play(flow, env, list, ({ effects }) => {
        for (const effect of effects) {
          assert.ok(!['send', 'sendTemplate', 'startAi'].includes(effect.type))
          if (effect.type === 'handOver') assert.ok(effect.isSilent && effect.text === null)
        }
      })
    }),
    { numRuns: 300 },
  )
})

test('the same arguments give the same bytes and stay as they were', () => {
  fc.assert(
    fc.property(arbitraryFlow, arbitraryEnv, happenings, (flow, env, list) => {
      const given = JSON.stringify([flow, env])
      play(flow, env, list, (sprint, before, again) => {
        const kept = JSON.stringify(before)
        assert.equal(JSON.stringify(again()), JSON.stringify(sprint))
        assert.equal(JSON.stringify(before), kept)
      })
      assert.equal(JSON.stringify([flow, env]), given)
    }),
    { numRuns: RUNS },
  )
})

test('a state that was stored as JSON goes on in the same way', () => {
  fc.assert(
    fc.property(arbitraryFlow, arbitraryEnv, happenings, (flow, env, list) => {
      play(flow, env, list, (sprint) => {
        assert.deepEqual(JSON.parse(JSON.stringify(sprint)), sprint)
      })
    }),
    { numRuns: RUNS },
  )
})

test('an input that is not used changes nothing', () => {
  let count = 0
  fc.assert(
    fc.property(arbitraryFlow, arbitraryEnv, happenings, (flow, env, list) => {
      play(flow, env, list, ({ isUsed, state, effects, log }, before) => {
        if (isUsed) return
        count++
        assert.deepEqual([state, effects, log], [before, [], []])
      })
    }),
    { numRuns: RUNS },
  )
  assert.ok(count > RUNS)
})
