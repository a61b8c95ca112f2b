// The order in which the outline shows blocks: as runs come to them. It isn't stored, because the database keeps no order
// of names, and there is nothing to arrange by hand.
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { exitsOf } from './map-targets.ts'

const none = (): string => ''

/** The blocks that a block leads to, in order, without repetitions. */
export const blocksAfter = (definition: FlowDefinition, id: string): string[] => {
  const { steps, next } = definition.blocks[id]!
  const targets = [
    ...steps.flatMap((step) => exitsOf(step, none).map(({ target }) => target)),
    ...(next === undefined ? [] : [next]),
  ]
  return [...new Set(targets)].filter((target) => Object.hasOwn(definition.blocks, target))
}

/** Every block once: from the start along the links, depth first; those that nothing leads to at the end. */
export const orderBlocks = (definition: FlowDefinition): string[] => {
  const seen = new Set<string>()
  const roots = [definition.start, ...Object.keys(definition.blocks)]
  for (const root of roots) {
    const open = [root]
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id) || !Object.hasOwn(definition.blocks, id)) continue
      seen.add(id)
      open.push(...blocksAfter(definition, id).reverse())
    }
  }
  return [...seen]
}
