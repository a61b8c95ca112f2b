// Effects of a sprint, read for the simulator.
import type { Effect } from '../../../../flow-engine/contract.ts'

/** The last text that the customer gets; undefined if none. */
export const lastText = (effects: readonly Effect[]): string | undefined =>
  effects
    .flatMap((effect) => {
      if (effect.type === 'send' && effect.text !== '') return [effect.text]
      return effect.type === 'handOver' && effect.text !== null ? [effect.text] : []
    })
    .at(-1)

/** The ids of the options that were offered last. */
export const endsInChoices = (effects: readonly Effect[]): string[] | undefined => {
  const last = effects.findLast((effect) => effect.type === 'send' && effect.choices !== null)
  return last?.type === 'send' ? last.choices?.options.map(({ id }) => id) : undefined
}
