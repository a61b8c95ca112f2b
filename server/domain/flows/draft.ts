// What a draft has to be to be kept at all. It may be unfinished: whether it can be published is checked then.
import { checkDocument } from '../../../flow-engine/check-definition.ts'
import { isRecord } from '../../../flow-engine/check-shape.ts'
import { BLOCK_STEPS_MAX, BLOCKS_MAX } from '../../../flow-engine/shapes.ts'
import { invalid } from '../../platform/errors.ts'
import type { FlowSummary } from './schema.ts'

const EMPTY = {
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'message', isFirst: true }],
  start: 'start',
  blocks: { start: { steps: [] } },
}

export type Draft = { text: string; kind: FlowSummary['kind'] }

/**
 * A draft as it is stored; undefined is an empty one. Throws VALIDATION_ERROR for what is larger, deeper or odder than any
 * flow, and for what has no blocks of steps.
 */
export const readDraft = (value: unknown = EMPTY): Draft => {
  const [problem] = checkDocument(value)
  const message = problem?.message ?? oddityOf(value)
  if (message !== undefined) throw invalid({ field: 'definition', message })
  const kind = isRecord(value) && value.kind === 'background' ? 'background' : 'dialog'
  return { text: JSON.stringify(value), kind }
}

const oddityOf = (value: unknown): string | undefined => {
  if (!isRecord(value) || !isRecord(value.blocks) || !Array.isArray(value.triggers))
    return 'must be a flow: an object with triggers and blocks'
  const blocks = Object.entries(value.blocks)
  if (blocks.length > BLOCKS_MAX) return `can have at most ${BLOCKS_MAX} blocks`
  for (const [id, block] of blocks) {
    if (!isRecord(block) || !Array.isArray(block.steps) || !block.steps.every(isRecord))
      return `must have steps in block “${id.slice(0, 40)}”`
    if (block.steps.length > BLOCK_STEPS_MAX)
      return `can have at most ${BLOCK_STEPS_MAX} steps in block “${id.slice(0, 40)}”`
  }
  return undefined
}
