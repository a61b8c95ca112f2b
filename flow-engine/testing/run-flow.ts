// Plays inputs through a flow of a few steps, for tests that look at single sprints.
import { advance } from '../advance.ts'
import type { Effect, Env, Input, RunState, Sprint } from '../contract.ts'
import type { Block, FlowDefinition, Step } from '../schema.ts'
import { makeEnv } from './make-env.ts'

/** A flow whose blocks are these; a list of steps is the block `main`. */
export const makeFlow = (
  blocks: Step[] | Record<string, Block>,
  more: Partial<FlowDefinition> = {},
): FlowDefinition => ({
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'message' }],
  start: Array.isArray(blocks) ? 'main' : Object.keys(blocks)[0]!,
  blocks: Array.isArray(blocks) ? { main: { steps: blocks, next: 'end' } } : blocks,
  ...more,
})

/** The sprints that these inputs bring, one after the other in the same world. */
export const playInputs = (
  flow: FlowDefinition,
  inputs: readonly Input[],
  env: Env = makeEnv(),
): Sprint[] => {
  let state: RunState | null = null
  return inputs.map((input) => {
    const sprint: Sprint = advance(flow, state, input, env)
    state = sprint.state
    return sprint
  })
}

/** The texts of messages. */
export const textsOf = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) => (effect.type === 'send' ? [effect.text] : []))
