// What each step has to fulfil besides its shape.

import { listSteps, type PlacedStep } from './definition-index.ts'
import { DAY_MS, HOUR_MS, readDuration, WAIT_MAX_MS, waitMs } from './duration.ts'
import { cutText, isBlank } from './fold-text.ts'
import { PATTERNS_SIZE_MAX } from './limits.ts'
import { isPattern, patternSize } from './patterns.ts'
import type { Problem, ProblemCode } from './problems.ts'
import { parseTemplate } from './render.ts'
import { type Condition, END_TARGETS, type FlowDefinition, isReservedName, type StepOf } from './schema.ts'
import { comparisonsOf, conditionsOf, speaks, spellings, targetsOf, textsOf, writesOf } from './step-parts.ts'
import { isWritable } from './writable-paths.ts'

/** Background flows live beside dialogs and can't wait for long. */
const BACKGROUND_WAIT_MAX_MS = HOUR_MS

type Report = (code: ProblemCode, says: string) => void

export const checkSteps = (definition: FlowDefinition): Problem[] => {
  const problems: Problem[] = []
  const seen = new Set<string>()
  for (const placed of listSteps(definition)) {
    const { step, block } = placed
    const report: Report = (code, says) =>
      problems.push({ severity: 'error', code, block, stepId: step.id, message: `Step ${step.id}: ${says}` })
    if (seen.has(step.id)) report('doubled_step', 'another step has the same id.')
    seen.add(step.id)
    checkStep(definition, placed, report)
  }
  checkBlockEnds(definition, problems)
  const conditions = triggerConditions(definition)
  checkConditions(conditions, (code, says) =>
    problems.push({ severity: 'error', code, block: null, stepId: null, message: `The triggers: ${says}` }),
  )
  return [...problems, ...checkPatternSizes(definition, conditions)]
}

const triggerConditions = ({ audience, triggers }: FlowDefinition): Condition[] =>
  [audience, ...triggers.map(({ when }) => when)].filter((one) => one !== undefined)

const patternsOf = (conditions: readonly Condition[]): string[] =>
  conditions
    .flatMap(comparisonsOf)
    .flatMap(({ op, to }) => (op === 'matches' && typeof to === 'string' ? [to] : []))

/** RE2 takes time in proportion to the pattern as well: a sprint may have to match all of a flow's. */
const checkPatternSizes = (definition: FlowDefinition, ofTriggers: readonly Condition[]): Problem[] => {
  let size = patternsOf(ofTriggers).reduce((sum, pattern) => sum + patternSize(pattern), 0)
  const tooMuch = (block: string | null, stepId: string | null, where: string): Problem[] => [
    {
      severity: 'error',
      code: 'bad_pattern',
      block,
      stepId,
      message: `${where}: the patterns of this flow take too long together. Use fewer, and smaller numbers of repetitions.`,
    },
  ]
  if (size > PATTERNS_SIZE_MAX) return tooMuch(null, null, 'The triggers')
  for (const { step, block } of listSteps(definition)) {
    const own = step.type === 'ask' && step.pattern !== undefined ? [step.pattern] : []
    for (const pattern of [...own, ...patternsOf(conditionsOf(step))]) size += patternSize(pattern)
    if (size > PATTERNS_SIZE_MAX) return tooMuch(block, step.id, `Step ${step.id}`)
  }
  return []
}

const checkStep = (definition: FlowDefinition, { step }: PlacedStep, report: Report): void => {
  for (const target of targetsOf({ ...step, isOff: false }).targets) checkTarget(definition, target, report)
  if (definition.kind === 'background') checkBackground(step, report)
  const mayBeBlank = step.type === 'send' && step.attachmentIds !== undefined
  for (const { text } of textsOf(step))
    for (const spelling of spellings(text)) {
      checkTemplate(spelling, report)
      if (isBlank(spelling) && !mayBeBlank) report('bad_value', 'has a text without a visible character.')
    }
  checkConditions(conditionsOf(step), report)
  for (const path of writesOf(step))
    if (path.split('.').some(isReservedName))
      report('reserved_name', `“${path}” has a name in it that can’t be used.`)
  for (const path of writesOf(step))
    if (!path.startsWith('call.') && !isWritable(path))
      report(
        'not_writable',
        `“${path}” can’t be set. Use run.<name>, contact.name, contact.email, contact.phone, contact.language or contact.fields.<key>.`,
      )
  if (step.type === 'ask') checkAsk(step, report)
  const wait = step.type === 'wait' ? step.for : step.type === 'ask' ? step.timeout?.after : undefined
  if (wait !== undefined && (readDuration(wait) ?? 0) > WAIT_MAX_MS)
    report('waits_too_long', `waits for longer than ${WAIT_MAX_MS / DAY_MS} days.`)
  if (step.type === 'split' && step.paths.reduce((sum, { percent }) => sum + percent, 0) !== 100)
    report('bad_percent', 'the percentages must add up to 100.')
  if (step.type === 'set')
    for (const { value, from, to } of step.set)
      if ((value === undefined) === (from === undefined))
        report('bad_value', `“${to}” needs either a value or a path to copy from.`)
}

const checkTarget = (definition: FlowDefinition, target: string, report: Report): void => {
  const isKnown = END_TARGETS.some((one) => one === target) || Object.hasOwn(definition.blocks, target)
  if (!isKnown) report('unknown_block', `leads to block “${target}”, which doesn’t exist.`)
  if (target === 'ai' && definition.kind === 'background')
    report('background_speaks', 'a background flow can’t pass the conversation to the AI agent.')
}

const checkBlockEnds = (definition: FlowDefinition, problems: Problem[]): void => {
  for (const [block, { next, steps }] of Object.entries(definition.blocks)) {
    const last = steps.at(-1)!
    if (next !== undefined)
      checkTarget(definition, next, (code, says) =>
        problems.push({
          severity: 'error',
          code,
          block,
          stepId: last.id,
          message: `Block “${block}”: ${says}`,
        }),
      )
  }
}

const checkBackground = (step: PlacedStep['step'], report: Report): void => {
  if (speaks(step) || (step.type === 'people' && step.text !== undefined))
    report('background_speaks', 'a background flow can’t write to the customer.')
  if (step.type === 'wait' && waitMs(step.for) > BACKGROUND_WAIT_MAX_MS)
    report('background_waits', 'a background flow can wait for one hour at most.')
}

const checkTemplate = (text: string, report: Report): void => {
  for (const part of parseTemplate(text))
    if (typeof part !== 'string' && part.problem) report('bad_template', `${part.problem}.`)
    else if (typeof part === 'string' && part.includes('{{'))
      report(
        'bad_template',
        `“${cutText(part.slice(part.indexOf('{{')), 40)}” opens with {{ and never closes.`,
      )
}

const checkConditions = (conditions: readonly Condition[], report: Report): void => {
  for (const { op, to, value } of conditions.flatMap(comparisonsOf)) {
    if (op === 'isSet' || op === 'isEmpty') continue
    if (to === undefined || (Array.isArray(to) && to.length === 0))
      report('bad_value', `the condition on “${value}” has nothing to compare with.`)
    else if (op === 'matches' && !(typeof to === 'string' && isPattern(to)))
      report('bad_pattern', `the pattern of the condition on “${value}” isn’t valid.`)
  }
}

const checkAsk = (step: StepOf<'ask'>, report: Report): void => {
  if (step.pattern !== undefined && !isPattern(step.pattern))
    report(
      'bad_pattern',
      'the pattern isn’t valid. Patterns use the syntax of RE2: no look-around, no backreferences.',
    )
  if ((step.answer === 'choice') !== (step.options !== undefined))
    report('bad_options', step.options ? 'only a choice has options.' : 'a choice needs options.')
  const ids = step.options?.map(({ id }) => id) ?? []
  if (new Set(ids).size < ids.length) report('doubled_option', 'two options have the same id.')
  if (step.min !== undefined && step.max !== undefined && step.min > step.max)
    report('bad_range', 'the smallest answer is above the largest.')
}
