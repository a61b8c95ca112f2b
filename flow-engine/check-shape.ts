// Says in plain words where a definition doesn't fit the schema, and names the step. The schema's own messages would
// name all 16 types of steps for one wrong key.
import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { cutText } from './fold-text.ts'
import { PROBLEMS_MAX, type Problem } from './problems.ts'
import { BLOCK_STEPS_MAX, BLOCKS_MAX, Block, FlowDefinition, STEPS, StepId, type StepType } from './schema.ts'

export type Place = { block: string | null; stepId: string | null; name: string }

/**
 * Where a value isn't a definition; empty if it is one. Each step is only compared with the shape of its own type, which
 * takes a tenth of the time of trying all 16.
 */
export const checkShape = (value: unknown): Problem[] => {
  const problems: Problem[] = []
  const add = (schema: TSchema, part: unknown, place: Place) => {
    if (problems.length < PROBLEMS_MAX && !Check(schema, part))
      problems.push(...describe(schema, part, place))
  }
  const blocks = isRecord(value) && isRecord(value.blocks) ? Object.entries(value.blocks) : []
  const stubs = Object.fromEntries(blocks.map(([id]) => [id, { steps: [STUB] }]))
  const whole = isRecord(value) && isRecord(value.blocks) ? { ...value, blocks: stubs } : value
  add(FlowDefinition, whole, { block: null, stepId: null, name: 'The flow' })
  for (const [id, block] of blocks.slice(0, BLOCKS_MAX)) checkBlock(id, block, problems, add)
  return problems
}

/** Stands for the steps where only what is around them is looked at. */
const STUB = { id: 's1', type: 'close' }

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const checkBlock = (
  id: string,
  block: unknown,
  problems: Problem[],
  add: (schema: TSchema, value: unknown, place: Place) => void,
): void => {
  const place = { block: id, stepId: null, name: `Block “${cutText(id, 60)}”` }
  if (!isRecord(block) || !Array.isArray(block.steps)) {
    add(Block, block, place)
    return
  }
  const { steps } = block
  add(Block, { ...block, steps: [STUB] }, place)
  if (steps.length === 0 || steps.length > BLOCK_STEPS_MAX)
    problems.push({
      ...wrong(`${place.name} has ${steps.length} steps. It needs 1 to ${BLOCK_STEPS_MAX}.`),
      block: id,
    })
  steps.slice(0, BLOCK_STEPS_MAX).forEach((step: unknown, at) => {
    checkStep(step, at, place, problems, add)
  })
}

const checkStep = (
  step: unknown,
  at: number,
  { block, name }: Place,
  problems: Problem[],
  add: (schema: TSchema, value: unknown, place: Place) => void,
): void => {
  const id = isRecord(step) && Check(StepId, step.id) ? String(step.id) : null
  const place = { block, stepId: id, name: id ? `Step ${id}` : `${name}, step ${at + 1}` }
  if (!isRecord(step)) {
    problems.push({ ...wrong(`${place.name} isn’t a step.`), block })
    return
  }
  if (isStepType(step.type)) {
    add(STEPS[step.type], step, { ...place, name: `${place.name} (${step.type})` })
    return
  }
  const types = Object.keys(STEPS).join(', ')
  const given = cutText(JSON.stringify(step.type) ?? 'none', 60)
  problems.push({ ...wrong(`${place.name} has the type ${given}. Types are ${types}.`), block, stepId: id })
}

const isStepType = (type: unknown): type is StepType => typeof type === 'string' && Object.hasOwn(STEPS, type)

const wrong = (message: string): Problem => ({
  severity: 'error',
  code: 'wrong_shape',
  block: null,
  stepId: null,
  message,
})

type SchemaError = ReturnType<typeof Errors>[number]

/** One problem for each place in the value, the innermost first: the outer ones only say that something inside is wrong. */
export const describe = (schema: TSchema, value: unknown, place: Place): Problem[] => {
  const errors = Errors(schema, value).filter(({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf')
  const byField = new Map<string, SchemaError>()
  for (const error of errors) if (!byField.has(error.instancePath)) byField.set(error.instancePath, error)
  const fields = [...byField.keys()]
  const innermost = fields.filter((field) => !fields.some((other) => other.startsWith(`${field}/`)))
  if (innermost.length === 0)
    return [{ ...wrong(`${place.name} doesn’t fit the format.`), ...placeOf(place) }]
  return innermost.map((field) => {
    const name = field === '' ? '' : ` “${cutText(field.slice(1).replaceAll('/', '.'), 80)}”`
    return { ...wrong(`${place.name}:${name} ${explain(byField.get(field)!)}.`), ...placeOf(place) }
  })
}

const placeOf = ({ block, stepId }: Place) => ({ block, stepId })

const explain = (error: SchemaError): string => {
  const { keyword, message } = error
  const params = error.params as {
    requiredProperties?: string[]
    additionalProperties?: string[]
    limit?: number
  }
  const names = (list: readonly string[] = []) =>
    list
      .slice(0, 5)
      .map((name) => `“${cutText(name, 60)}”`)
      .join(', ')
  switch (keyword) {
    case 'required':
      return `needs ${names(params.requiredProperties)}`
    case 'additionalProperties':
      return `can’t contain ${names(params.additionalProperties)}`
    case 'pattern':
      return 'has characters or a form that isn’t allowed'
    case 'maxLength':
      return `can have at most ${params.limit} characters`
    case 'maxItems':
    case 'maxProperties':
      return `can have at most ${params.limit} entries`
    case 'uniqueItems':
      return 'can’t contain duplicates'
    default:
      return message
  }
}
