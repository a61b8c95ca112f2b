// Everything that is wrong with a draft, for the author: what is still to be entered, what the flow engine refuses, and
// what it warns of. Loaded apart from the editor, because the schema and the patterns of the checks are large.
import { checkDefinition } from '../../../flow-engine/check-definition.ts'
import { listSteps } from '../../../flow-engine/definition-index.ts'
import { lintDefinition } from '../../../flow-engine/lint.ts'
import type { LintFacts } from '../../../flow-engine/lint-contract.ts'
import type { Problem } from '../../../flow-engine/problems.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { missingIn } from './forms/missing.ts'

/** Stands for texts that aren't written yet, so that the checks look at the rest; it also passes as a name or path. */
const BLANK = 'run'

const fillBlanks = (value: unknown): unknown => {
  if (value === '') return BLANK
  if (Array.isArray(value)) return value.map(fillBlanks)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillBlanks(inner)]))
}

/** `facts` are null until the workspace's lists are loaded; what they decide is left out then. */
export const checkDraft = (definition: FlowDefinition, facts: LintFacts | null): Problem[] => {
  const missing = listSteps(definition).flatMap(({ step, block }) =>
    missingIn(step).map(
      (message): Problem => ({ severity: 'error', code: 'wrong_shape', block, stepId: step.id, message }),
    ),
  )
  const unfinished = new Set(missing.map(({ stepId }) => stepId))
  const checked = checkDefinition(unfinished.size > 0 ? fillBlanks(definition) : definition)
  const found = checked.ok ? (facts ? lintDefinition(checked.definition, facts) : []) : checked.problems
  return [...missing, ...found.filter(({ stepId }) => stepId === null || !unfinished.has(stepId))]
}
