// What is inside a step of any type: where it leads, what it says, what it reads and writes.

import { parseTemplate } from './render.ts'
import type { Condition, LocalizedText, Step } from './schema.ts'
import { storePaths } from './writable-paths.ts'

/** `isExit`: the run always leaves the block by one of the step's targets, so the steps behind it aren't reached. */
export const targetsOf = (step: Step): { targets: string[]; isExit: boolean } => {
  const onFailed = step.onFailed ? [step.onFailed] : []
  const own = ownTargets(step)
  // A step that is switched off leads nowhere but to the next.
  if (step.isOff) return { targets: [], isExit: false }
  return { targets: [...own.targets, ...onFailed].filter((one) => one !== undefined), isExit: own.isExit }
}

const ownTargets = (step: Step): { targets: (string | undefined)[]; isExit: boolean } => {
  switch (step.type) {
    case 'ask': {
      const isExit =
        step.answer === 'choice' &&
        step.skipIf === undefined &&
        step.options?.every(({ goto }) => goto) === true
      const options = step.options?.map(({ goto }) => goto) ?? []
      return { targets: [...options, step.retry?.then, step.timeout?.then], isExit }
    }
    case 'branch':
      return { targets: [...step.paths.map(({ goto }) => goto), step.else], isExit: true }
    case 'hours':
      return { targets: [step.open, step.closed], isExit: true }
    case 'split':
      return { targets: step.paths.map(({ goto }) => goto), isExit: true }
    case 'goto':
      return { targets: [step.to], isExit: true }
    case 'people':
      return { targets: [], isExit: true }
    case 'assign':
      return { targets: typeof step.to === 'string' ? [] : [step.to.else], isExit: false }
    case 'call':
      return { targets: [step.paths?.notFound, step.paths?.refused], isExit: false }
    case 'ai':
      return { targets: [step.onDone, step.onGiveUp], isExit: step.onDone !== undefined }
    case 'flow':
      return { targets: [], isExit: step.as === 'instead' }
    default:
      return { targets: [], isExit: false }
  }
}

/** Whether the customer's reply, the time or somebody else has to come before the run goes on. */
export const isPause = (step: Step): boolean =>
  !step.isOff &&
  (['ask', 'wait', 'call', 'ai'].includes(step.type) || (step.type === 'flow' && step.as === 'part'))

export type StepText = { text: LocalizedText; isForTeam: boolean }

/** The texts of a step; templates' parameters and notes too. */
export const textsOf = (step: Step): StepText[] => {
  const texts = (isForTeam: boolean, ...all: (LocalizedText | undefined)[]) =>
    all.flatMap((text) => (text === undefined ? [] : [{ text, isForTeam }]))
  switch (step.type) {
    case 'send':
      return texts(false, step.text, ...(step.ifWindowClosed?.parameters ?? []))
    case 'ask':
      return texts(
        false,
        step.text,
        step.retry?.text,
        step.listLabel,
        ...(step.options ?? []).flatMap(({ title, description }) => [title, description]),
      )
    case 'people':
      return texts(false, step.text)
    case 'note':
      return texts(true, step.text)
    default:
      return []
  }
}

export const spellings = (text: LocalizedText): string[] =>
  typeof text === 'string' ? [text] : Object.values(text)

/** Every text that goes to the customer. */
export const customerTexts = (step: Step): string[] =>
  textsOf(step).flatMap(({ text, isForTeam }) => (isForTeam ? [] : spellings(text)))

export const conditionsOf = (step: Step): Condition[] => {
  if (step.type === 'branch') return step.paths.map(({ when }) => when)
  if (step.type !== 'ask') return []
  const shown = step.options?.map(({ showIf }) => showIf) ?? []
  return [step.skipIf, ...shown].filter((one) => one !== undefined)
}

/** The comparisons of a condition, however deep. */
export const comparisonsOf = (condition: Condition): Extract<Condition, { op: string }>[] => {
  if ('all' in condition) return condition.all.flatMap(comparisonsOf)
  if ('any' in condition) return condition.any.flatMap(comparisonsOf)
  return 'not' in condition ? comparisonsOf(condition.not) : [condition]
}

/** All paths that a step reads: in texts, conditions and values. */
export const readsOf = (step: Step): string[] => [
  ...textsOf(step).flatMap(({ text }) => spellings(text).flatMap(pathsIn)),
  ...conditionsOf(step).flatMap((condition) => comparisonsOf(condition).map(({ value }) => value)),
  ...valuesOf(step),
]

export const pathsIn = (text: string): string[] =>
  parseTemplate(text).flatMap((part) => (typeof part === 'string' || part.problem ? [] : [part.path]))

const valuesOf = (step: Step): string[] => {
  if (step.type === 'set') return step.set.flatMap(({ from }) => from ?? [])
  if (step.type === 'call') return Object.values(step.with ?? {}).flatMap(({ from }) => from ?? [])
  return step.type === 'flow' ? Object.values(step.with ?? {}) : []
}

/** All paths that a step writes. */
export const writesOf = (step: Step): string[] => {
  switch (step.type) {
    case 'ask':
      return storePaths(step.store)
    case 'set':
      return step.set.map(({ to }) => to)
    case 'call':
      return step.keep === undefined ? [] : [`call.${step.keep}`]
    case 'ai':
      return (step.collect ?? []).map((name) => `run.${name}`)
    default:
      return []
  }
}

export const speaks = ({ type }: Step): boolean => type === 'send' || type === 'ask' || type === 'ai'
