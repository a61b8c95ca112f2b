// What the editor does to a definition. Every function returns a new one and keeps what it didn't touch, so that only
// the rows that changed are drawn again.
import { type Block, END_TARGETS, type FlowDefinition, type Step } from '../../../../flow-engine/schema.ts'
import { mapTargets } from './map-targets.ts'

export type Place = { block: string; at: number }

const withBlock = (definition: FlowDefinition, id: string, block: Block): FlowDefinition => ({
  ...definition,
  blocks: { ...definition.blocks, [id]: block },
})

export const placeOfStep = (definition: FlowDefinition, stepId: string): Place | undefined => {
  for (const [block, { steps }] of Object.entries(definition.blocks)) {
    const at = steps.findIndex(({ id }) => id === stepId)
    if (at >= 0) return { block, at }
  }
  return undefined
}

export const stepIdsOf = (definition: FlowDefinition): Set<string> =>
  new Set(Object.values(definition.blocks).flatMap(({ steps }) => steps.map(({ id }) => id)))

/** A new step id; `taken` are ids that are about to be used. */
export const freeStepId = (taken: ReadonlySet<string>): string => {
  let number = taken.size + 1
  while (taken.has(`s${number}`)) number += 1
  return `s${number}`
}

const ID_MAX = 40

/** A block's id from its title: letters and digits of the Latin alphabet, never a reserved one. */
export const freeBlockId = (taken: ReadonlySet<string>, title: string): string => {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/-$/, '')
    .slice(0, ID_MAX - 4)
  const base = plain === '' ? 'block' : plain
  const isFree = (id: string): boolean => !taken.has(id) && !END_TARGETS.some((end) => end === id)
  if (isFree(base)) return base
  let number = 2
  while (!isFree(`${base}-${number}`)) number += 1
  return `${base}-${number}`
}

export const insertSteps = (
  definition: FlowDefinition,
  { block, at }: Place,
  steps: readonly Step[],
): FlowDefinition => {
  const own = definition.blocks[block]!
  return withBlock(definition, block, { ...own, steps: own.steps.toSpliced(at, 0, ...steps) })
}

export const replaceStep = (definition: FlowDefinition, step: Step): FlowDefinition => {
  const place = placeOfStep(definition, step.id)
  if (!place) return definition
  const own = definition.blocks[place.block]!
  return withBlock(definition, place.block, { ...own, steps: own.steps.with(place.at, step) })
}

/** A block without steps can't be stored, so its last step goes together with it. The last block stays. */
export const removeStep = (definition: FlowDefinition, stepId: string): FlowDefinition => {
  const place = placeOfStep(definition, stepId)
  if (!place) return definition
  const own = definition.blocks[place.block]!
  if (own.steps.length === 1) return removeBlock(definition, place.block)
  return withBlock(definition, place.block, { ...own, steps: own.steps.toSpliced(place.at, 1) })
}

/** Moves a step up (-1) or down (1), at the end of its block into the next one of `order`. */
export const moveStep = (
  definition: FlowDefinition,
  stepId: string,
  by: -1 | 1,
  order: readonly string[],
): FlowDefinition => {
  const place = placeOfStep(definition, stepId)
  if (!place) return definition
  const own = definition.blocks[place.block]!
  const step = own.steps[place.at]!
  const to = place.at + by
  if (to >= 0 && to < own.steps.length)
    return withBlock(definition, place.block, {
      ...own,
      steps: own.steps.toSpliced(place.at, 1).toSpliced(to, 0, step),
    })
  const neighbour = order[order.indexOf(place.block) + by]
  if (neighbour === undefined || own.steps.length === 1) return definition
  const others = withBlock(definition, place.block, { ...own, steps: own.steps.toSpliced(place.at, 1) })
  const at = by > 0 ? 0 : others.blocks[neighbour]!.steps.length
  return insertSteps(others, { block: neighbour, at }, [step])
}

export const addBlock = (
  definition: FlowDefinition,
  block: Block,
): { definition: FlowDefinition; id: string } => {
  const id = freeBlockId(new Set(Object.keys(definition.blocks)), block.title ?? '')
  return { definition: withBlock(definition, id, block), id }
}

export const changeBlock = (
  definition: FlowDefinition,
  id: string,
  change: Partial<Block>,
): FlowDefinition => {
  const block = { ...definition.blocks[id]!, ...change }
  for (const name of ['title', 'next'] as const) if (!block[name]) delete block[name]
  return withBlock(definition, id, block)
}

/** What led to the block then leads nowhere; the checks name each place. The last block stays. */
export const removeBlock = (definition: FlowDefinition, id: string): FlowDefinition => {
  const { [id]: _, ...blocks } = definition.blocks
  const first = Object.keys(blocks)[0]
  if (first === undefined) return definition
  return { ...definition, blocks, start: definition.start === id ? first : definition.start }
}

export type Fragment = { steps: Step[] } | { blocks: Record<string, Block> }

/**
 * Copies of steps or blocks, with ids that are free in this definition. Links between copied blocks lead to the copies;
 * links to blocks that don't exist here are kept, and the checks name them.
 */
export const withFreeIds = (definition: FlowDefinition, fragment: Fragment): Fragment => {
  const stepIds = stepIdsOf(definition)
  const renamed = (step: Step): Step => {
    const id = freeStepId(stepIds)
    stepIds.add(id)
    return { ...step, id }
  }
  if ('steps' in fragment) return { steps: fragment.steps.map(renamed) }
  const blockIds = new Set(Object.keys(definition.blocks))
  const newIds = new Map<string, string>()
  for (const [id, { title }] of Object.entries(fragment.blocks)) {
    const free = blockIds.has(id) ? freeBlockId(blockIds, title ?? id) : id
    blockIds.add(free)
    newIds.set(id, free)
  }
  const retarget = (target: string): string => newIds.get(target) ?? target
  return {
    blocks: Object.fromEntries(
      Object.entries(fragment.blocks).map(([id, { steps, next, ...rest }]) => [
        newIds.get(id)!,
        {
          ...rest,
          steps: steps.map((step) => renamed(mapTargets(step, retarget))),
          ...(next !== undefined && { next: retarget(next) }),
        },
      ]),
    ),
  }
}
