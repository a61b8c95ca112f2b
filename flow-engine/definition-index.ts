// Finds steps in a definition by their ids.
import type { FlowDefinition, Step } from './schema.ts'

export type PlacedStep = { step: Step; block: string; at: number }

const indexes = new WeakMap<FlowDefinition, Map<string, PlacedStep>>()

/** Definitions never change once they are used, so each is indexed once. */
const indexOf = (definition: FlowDefinition): Map<string, PlacedStep> => {
  let index = indexes.get(definition)
  if (!index) {
    index = new Map(listSteps(definition).map((placed) => [placed.step.id, placed]))
    indexes.set(definition, index)
  }
  return index
}

export const findStep = (definition: FlowDefinition, stepId: string): PlacedStep | undefined =>
  indexOf(definition).get(stepId)

/** All steps in the order of the blocks. */
export const listSteps = (definition: FlowDefinition): PlacedStep[] =>
  Object.entries(definition.blocks).flatMap(([block, { steps }]) =>
    steps.map((step, at) => ({ step, block, at })),
  )
