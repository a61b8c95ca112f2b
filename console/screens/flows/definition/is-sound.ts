// Whether a document has the outer shape of a definition: enough to be shown as an outline, however unfinished it is.
import type { FlowDefinition, StepType } from '../../../../flow-engine/schema.ts'
import { STEP_TYPES } from './step-types.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isStepType = (type: unknown): type is StepType =>
  typeof type === 'string' && Object.hasOwn(STEP_TYPES, type)

export const isSound = (value: unknown): value is FlowDefinition =>
  isRecord(value) &&
  Array.isArray(value.triggers) &&
  typeof value.language === 'string' &&
  typeof value.start === 'string' &&
  isRecord(value.blocks) &&
  Object.hasOwn(value.blocks, value.start) &&
  Object.values(value.blocks).every(
    (block) =>
      isRecord(block) &&
      Array.isArray(block.steps) &&
      block.steps.every((step) => isRecord(step) && typeof step.id === 'string' && isStepType(step.type)),
  )
