// `npm run bench:flows`: what the flow engine takes of one processor, without a database. Prints medians.
import { advance } from '../flow-engine/advance.ts'
import { checkDefinition } from '../flow-engine/check-definition.ts'
import type { FlowDefinition, Step } from '../flow-engine/schema.ts'
import { makeEnv, makeMessage, NOW, says, started } from '../flow-engine/testing/make-env.ts'
import { makeFlow } from '../flow-engine/testing/run-flow.ts'
import { type LiveFlow, makeCause, matchTriggers, prepareTriggers } from '../flow-engine/triggers.ts'
import { median } from './load.ts'

const ROUNDS = 200
const FLOWS = 200
const WORDS_PER_FLOW = 50
const STEPS = 300

/** Milliseconds of one call. */
const timeOf = (work: () => unknown): number =>
  median(
    Array.from({ length: ROUNDS }, () => {
      const begin = performance.now()
      work()
      return performance.now() - begin
    }),
  )

const flows: LiveFlow[] = Array.from({ length: FLOWS }, (_, position) => ({
  id: `flow${position}`,
  position,
  definition: {
    kind: 'dialog',
    triggers: [
      {
        on: 'message',
        words: Array.from({ length: WORDS_PER_FLOW }, (_, word) => `keyword ${position} ${word}`),
      },
    ],
  },
}))

const cause = makeCause({
  on: 'message',
  by: 'customer',
  channel: 'web',
  accountId: 'account1',
  message: makeMessage('What are your opening hours on Sunday, and do you deliver to Hamburg?'),
})

const question: FlowDefinition = makeFlow([
  { id: 's1', type: 'ask', answer: 'text', text: 'Hello {{contact.firstName|there}}. What is it about?' },
  { id: 's2', type: 'send', text: 'Thank you. A colleague will read this.' },
])

const long: FlowDefinition = makeFlow(
  Object.fromEntries(
    Array.from({ length: STEPS / 10 }, (_, block) => [
      `b${block}`,
      {
        steps: Array.from(
          { length: 10 },
          (_, step): Step => ({ id: `s${block}x${step}`, type: 'send', text: `Message ${step}` }),
        ),
        next: block === STEPS / 10 - 1 ? 'end' : `b${block + 1}`,
      },
    ]),
  ),
)

const prepared = prepareTriggers(flows)
const facts = { now: NOW, scope: () => undefined, lastStartedAt: {} }
const env = makeEnv()
const { state } = advance(question, null, started(), env)

const sprintMs = timeOf(() => advance(question, state, says('My order'), env))
console.log(
  [
    `${FLOWS} flows with ${WORDS_PER_FLOW} words each matched: ${timeOf(() => matchTriggers(prepared, cause, facts)).toFixed(2)} ms`,
    `a sprint of one answer: ${sprintMs.toFixed(3)} ms, ${Math.round(1_000 / sprintMs)} a second`,
    `a definition of ${STEPS} steps checked: ${timeOf(() => checkDefinition(long)).toFixed(1)} ms`,
  ].join('\n'),
)
