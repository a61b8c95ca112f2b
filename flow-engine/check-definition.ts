// Accepts or refuses a definition: what the schema says, and what no schema can say. Warnings are in lint.ts.
import { jsonBytes } from './byte-length.ts'
import { checkShape } from './check-shape.ts'
import { checkSteps } from './check-steps.ts'
import { listSteps } from './definition-index.ts'
import { findEndlessLoops } from './find-paths.ts'
import { foldText } from './fold-text.ts'
import { PROBLEMS_MAX, type Problem, type ProblemCode } from './problems.ts'
import {
  CONDITION_DEPTH_MAX,
  DEFINITION_BYTES_MAX,
  DOCUMENT_DEPTH_MAX,
  type FlowDefinition,
  isReservedName,
  STEPS_MAX,
} from './schema.ts'

export type Checked = { ok: true; definition: FlowDefinition } | { ok: false; problems: Problem[] }

/** Accepts any value, so it can be given what an import brought. Never throws. Every problem names its step. */
export const checkDefinition = (value: unknown): Checked => {
  const unfit = checkDocument(value)
  if (unfit.length > 0) return { ok: false, problems: unfit }
  const misshapen = checkShape(value)
  if (misshapen.length > 0) return { ok: false, problems: misshapen.slice(0, PROBLEMS_MAX) }
  // checkShape finds something wrong with everything else; schema.test.ts compares it with the whole schema.
  const definition = value as FlowDefinition
  const problems = checkMeaning(definition)
  return problems.length > 0
    ? { ok: false, problems: problems.slice(0, PROBLEMS_MAX) }
    : { ok: true, definition }
}

const inWhole = (code: ProblemCode, message: string): Problem => ({
  severity: 'error',
  code,
  block: null,
  stepId: null,
  message,
})

/**
 * Before anything else reads it: size, depth, numbers, names and characters. Walks without recursion, since a document
 * of 10,000 levels would overflow the stack.
 */
export const checkDocument = (value: unknown): Problem[] => {
  const open: { value: unknown; depth: number; conditions: number }[] = [{ value, depth: 0, conditions: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth, conditions } = next
    if (depth > DOCUMENT_DEPTH_MAX || conditions > CONDITION_DEPTH_MAX)
      return [inWhole('too_deep', `Conditions can be nested ${CONDITION_DEPTH_MAX} levels deep.`)]
    const problem = checkScalar(value)
    if (problem) return [inWhole('bad_value', problem)]
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (isReservedName(name))
        return [inWhole('reserved_name', `“${name}” can’t be used as a name. Choose another.`)]
      const isNested = !Array.isArray(value) && ['all', 'any', 'not'].includes(name)
      open.push({ value: inner, depth: depth + 1, conditions: conditions + (isNested ? 1 : 0) })
    }
  }
  const bytes = jsonBytes(value ?? null)
  if (bytes <= DEFINITION_BYTES_MAX) return []
  const sizes = `${Math.ceil(bytes / 1024)} KiB, and ${DEFINITION_BYTES_MAX / 1024} KiB is the limit`
  return [inWhole('too_large', `The flow is too large: ${sizes}.`)]
}

const checkScalar = (value: unknown): string | undefined => {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'Numbers must be finite.'
  if (typeof value !== 'string') return undefined
  // PostgreSQL stores neither.
  return value.includes('\u0000') || !value.isWellFormed()
    ? 'Texts can’t contain NUL or half characters.'
    : undefined
}

const checkMeaning = (definition: FlowDefinition): Problem[] => {
  const steps = listSteps(definition)
  if (steps.length > STEPS_MAX)
    return [inWhole('too_many_steps', `The flow has ${steps.length} steps. The limit is ${STEPS_MAX}.`)]
  const problems = [...checkWhole(definition), ...checkSteps(definition)]
  if (problems.length > 0) return problems
  return findEndlessLoops(definition).map(({ block, stepId, loop }) => ({
    ...inWhole(
      'endless_loop',
      `Step ${stepId}: the loop ${loop.join(' → ')} never waits or asks, so it would run forever. Add a question or a wait.`,
    ),
    block,
    stepId,
  }))
}

const checkWhole = (definition: FlowDefinition): Problem[] => {
  const problems: Problem[] = []
  if (!Object.hasOwn(definition.blocks, definition.start))
    problems.push(
      inWhole('unknown_block', `The flow starts with block “${definition.start}”, which doesn’t exist.`),
    )
  if (definition.onPerson === 'continue' && definition.kind === 'dialog')
    problems.push(
      inWhole('background_speaks', 'Only a background flow can continue when a teammate takes over.'),
    )
  for (const [at, trigger] of definition.triggers.entries()) {
    const unheard = trigger.words?.find((word) => foldText(word) === '')
    if (unheard !== undefined)
      problems.push(
        inWhole(
          'bad_value',
          `Trigger ${at + 1}: the word “${unheard}” has no letters or digits, so no message would have it.`,
        ),
      )
    if (trigger.words?.length === 0)
      problems.push(
        inWhole('bad_value', `Trigger ${at + 1} has an empty list of words. Add a word, or remove the list.`),
      )
    const needed = NEEDED_BY_TRIGGERS[trigger.on]
    if (needed && trigger[needed] === undefined)
      problems.push(inWhole('incomplete_trigger', `The trigger “${trigger.on}” needs “${needed}”.`))
  }
  return problems
}

const NEEDED_BY_TRIGGERS: { [on in FlowDefinition['triggers'][number]['on']]?: 'after' | 'tagId' | 'field' } =
  {
    customer_silent: 'after',
    team_silent: 'after',
    tagged: 'tagId',
    field_changed: 'field',
  }
