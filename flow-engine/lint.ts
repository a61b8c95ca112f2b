// Looks over an accepted definition before it is published, with what the workspace has. Errors would make every run
// fail there; warnings are for the author to weigh.

import { listSteps, type PlacedStep } from './definition-index.ts'
import { isPrivatePath } from './facts.ts'
import { findReachable } from './find-paths.ts'
import { findLanguage } from './language.ts'
import { lintChannels } from './lint-channels.ts'
import type { LintFacts } from './lint-contract.ts'
import { lintOrder } from './lint-order.ts'
import { lintOthers } from './lint-others.ts'
import { PROBLEMS_MAX, type Problem, type ProblemCode, problemAt } from './problems.ts'
import { NOUNS, type Reference, referencesOf } from './references.ts'
import type { FlowDefinition, LocalizedText } from './schema.ts'
import { pathsIn, targetsOf, textsOf } from './step-parts.ts'

/** The definition has passed checkDefinition. Every problem names its block and step where it has one. */
export const lintDefinition = (definition: FlowDefinition, facts: LintFacts): Problem[] =>
  [
    ...lintReferences(definition, facts),
    ...lintShape(definition),
    ...listSteps(definition).flatMap((placed) => [
      ...lintAsk(placed),
      ...lintTranslations(definition, placed, facts),
      ...lintNote(definition, placed),
      ...lintChannels(definition, placed, facts),
    ]),
    ...lintOrder(definition, facts),
    ...lintOthers(definition, facts),
  ].slice(0, PROBLEMS_MAX)

const lintReferences = (definition: FlowDefinition, facts: LintFacts): Problem[] => {
  const places = new Map(listSteps(definition).map(({ step, block }) => [step.id, block]))
  const deleted = referencesOf(definition)
    .filter((reference) => !exists(reference, facts))
    .map(({ kind, id, language, stepId }): Problem => {
      const name = `“${id}”${language ? ` (${language})` : ''}`
      const place = stepId === null ? 'A trigger' : `Step ${stepId}`
      const block = stepId === null ? null : (places.get(stepId) ?? null)
      const isOff = kind === 'flow' && facts.others.some((other) => other.id === id)
      const message = isOff
        ? `${place}: the flow ${name} isn’t live. Resume it, or choose another.`
        : `${place}: the ${NOUNS[kind]} ${name} no longer exists. Choose another.`
      return { severity: 'error', code: 'deleted_reference', block, stepId, message }
    })
  const needsDefault = listSteps(definition).filter(
    ({ step }) =>
      (step.type === 'hours' && step.hoursId === undefined) ||
      (step.type === 'wait' && step.until === 'opening'),
  )
  if (facts.hasDefaultHours) return deleted
  const says = 'the workspace has no business hours yet. Add them in the settings.'
  return [...deleted, ...needsDefault.map((placed) => problemAt('deleted_reference', placed, says, 'error'))]
}

const exists = ({ kind, id, language }: Reference, facts: LintFacts): boolean => {
  switch (kind) {
    case 'tag':
      return facts.tagIds.includes(id)
    case 'agent':
      return facts.agentIds.includes(id)
    case 'team':
      return facts.teamIds.includes(id)
    case 'action':
      return facts.actionIds.includes(id)
    case 'hours':
      return facts.hoursIds.includes(id)
    case 'attachment':
      return facts.attachmentIds.includes(id)
    case 'account':
      return facts.accountIds.includes(id)
    case 'flow':
      return id === facts.flow.id || facts.others.some((other) => other.id === id && other.isLive)
    case 'template':
      return facts.templates.some((template) => template.name === id && template.language === language)
  }
}

/** What no run comes to, and blocks that just stop. */
const lintShape = (definition: FlowDefinition): Problem[] => {
  const reachable = findReachable(definition)
  return Object.entries(definition.blocks).flatMap(([block, { steps, next }]): Problem[] => {
    const problem = (
      severity: Problem['severity'],
      code: ProblemCode,
      message: string,
      stepId: string | null = null,
    ) => ({
      severity,
      code,
      block,
      stepId,
      message,
    })
    if (!reachable.has(block, 0))
      return [
        problem(
          'warning',
          'unreachable_block',
          `Block “${block}” is never reached. Link to it or delete it.`,
        ),
      ]
    const unreached = steps.findIndex((_, at) => !reachable.has(block, at))
    const last = steps.at(-1)!
    if (unreached >= 0) {
      const { id } = steps[unreached]!
      return [
        problem(
          'warning',
          'unreachable_step',
          `Step ${id}: never reached, because step ${steps[unreached - 1]!.id} always goes elsewhere.`,
          id,
        ),
      ]
    }
    if (next !== undefined || targetsOf(last).isExit) return []
    return [
      problem(
        'warning',
        'no_end',
        `Block “${block}” stops after step ${last.id}. Choose what comes next, or “end”.`,
        last.id,
      ),
    ]
  })
}

const lintAsk = (placed: PlacedStep): Problem[] => {
  const { step } = placed
  if (step.type !== 'ask' || step.isOff) return []
  const problems: Problem[] = []
  if (step.retry?.then === undefined)
    problems.push(
      problemAt(
        'no_way_out',
        placed,
        'says nothing about replies that aren’t understood. After three, the conversation goes to the team.',
      ),
    )
  if (step.timeout === undefined)
    problems.push(
      problemAt(
        'no_way_out',
        placed,
        'says nothing about customers who don’t reply. After a day, the flow ends.',
      ),
    )
  return problems
}

/** A text in some languages lacks the others; a plain text says the same to everyone and is left alone. */
const lintTranslations = (
  definition: FlowDefinition,
  placed: PlacedStep,
  { languages }: LintFacts,
): Problem[] => {
  const wanted = new Set([definition.language, ...languages])
  const missing = new Set(
    textsOf(placed.step).flatMap(({ text, isForTeam }) => (isForTeam ? [] : missingIn(text, [...wanted]))),
  )
  if (missing.size === 0) return []
  return [problemAt('missing_translation', placed, `has no text in ${[...missing].join(', ')}.`)]
}

const missingIn = (text: LocalizedText, wanted: readonly string[]): string[] =>
  typeof text === 'string'
    ? []
    : wanted.filter((language) => findLanguage(Object.keys(text), language) === undefined)

const lintNote = (definition: FlowDefinition, placed: PlacedStep): Problem[] => {
  if (placed.step.type !== 'note') return []
  const read = pathsIn(placed.step.text).filter((path) => isPrivatePath(definition, path))
  return read.length === 0
    ? []
    : [
        problemAt(
          'private_in_note',
          placed,
          `${read.join(', ')} is private and will be left out of the note.`,
        ),
      ]
}
