// What the rows of the outline show, worked out once for each step: a row is drawn again only if its own words change.
import type { FlowDefinition, Step } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'
import { howShown, type ShownOn } from '../channel-facts.ts'
import { textIn } from '../definition/localized.ts'
import { exitsOf } from '../definition/map-targets.ts'
import { orderBlocks } from '../definition/order-blocks.ts'
import { stepWords } from '../definition/step-words.ts'
import { conditionWords, cut, type Names, targetWords } from '../definition/words.ts'

export type ExitLink = { label: string; target: string; title: string }
export type StepModel = { step: Step; summary: string; exits: ExitLink[]; shown: ShownOn[] }
export type BlockModel = {
  id: string
  title: string
  isStart: boolean
  steps: StepModel[]
  next: ExitLink | null
}

type Texts = string | { [language: string]: string }

const wordsOf =
  ({ language }: FlowDefinition, names: Names) =>
  (part: unknown): string => {
    if (typeof part === 'string') return cut(part, 30)
    if (typeof part !== 'object' || part === null) return ''
    const isCondition = 'op' in part || 'all' in part || 'any' in part || 'not' in part
    // A part of a step is a text or a condition.
    return isCondition
      ? cut(conditionWords(part as Parameters<typeof conditionWords>[0], names), 40)
      : cut(textIn(part as Texts, language), 30)
  }

export const makeModeler = () => {
  const known = new WeakMap<Step, { around: string; names: Names; model: StepModel }>()
  return (definition: FlowDefinition, names: Names): BlockModel[] => {
    // What a row shows besides its own step.
    const around = JSON.stringify([
      definition.language,
      Object.entries(definition.blocks).map(([id, { title }]) => [id, title]),
      definition.triggers.map(({ channels }) => channels),
    ])
    const words = wordsOf(definition, names)
    const modelOf = (step: Step): StepModel => {
      const found = known.get(step)
      if (found?.around === around && found.names === names) return found.model
      const model = {
        step,
        summary: stepWords(step, definition, names),
        exits: exitsOf(step, words).map((exit) => ({ ...exit, title: targetWords(definition, exit.target) })),
        shown: step.type === 'ask' ? howShown(step, definition) : [],
      }
      known.set(step, { around, names, model })
      return model
    }
    return orderBlocks(definition).map((id) => {
      const { title, steps, next } = definition.blocks[id]!
      return {
        id,
        title: title ?? id,
        isStart: id === definition.start,
        steps: steps.map(modelOf),
        next:
          next === undefined ? null : { label: t`Then`, target: next, title: targetWords(definition, next) },
      }
    })
  }
}
