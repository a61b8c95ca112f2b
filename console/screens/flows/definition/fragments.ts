// Steps and blocks on the clipboard, as JSON that another flow, or a text editor, understands.
import type { Block, Step } from '../../../../flow-engine/schema.ts'
import type { Fragment } from './change-definition.ts'
import { isStepType } from './is-sound.ts'

const MARK = 'foyer-flow'

export const writeFragment = (fragment: Fragment): string =>
  JSON.stringify({ format: MARK, ...fragment }, null, 2)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSteps = (value: unknown): value is Step[] =>
  Array.isArray(value) && value.length > 0 && value.every((step) => isRecord(step) && isStepType(step.type))

/** Undefined if the text is anything else. Whether the steps fit is for the checks. */
export const readFragment = (text: string): Fragment | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value) || value.format !== MARK) return undefined
  if (isSteps(value.steps)) return { steps: value.steps }
  if (!isRecord(value.blocks)) return undefined
  const blocks = Object.entries(value.blocks)
  const areBlocks = blocks.length > 0 && blocks.every(([, block]) => isRecord(block) && isSteps(block.steps))
  // Each block has steps of known types, which is what the outline needs to draw it.
  return areBlocks ? { blocks: value.blocks as Record<string, Block> } : undefined
}
