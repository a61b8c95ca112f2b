// What each channel would make of a step: options that it shows as text, messages that it splits or cuts.
import type { PlacedStep } from './definition-index.ts'
import { type ChannelFacts, type LintFacts, SMS_SEGMENTS_MAX } from './lint-contract.ts'
import {
  asNumberedText,
  lintDoubles,
  lintOptions,
  type ShownOptions,
  shownInEach,
  whyAsText,
} from './lint-options.ts'
import { type Problem, problemAt } from './problems.ts'
import type { FlowDefinition } from './schema.ts'
import { countSegments } from './sms-segments.ts'
import { customerTexts, spellings } from './step-parts.ts'

export const lintChannels = (
  definition: FlowDefinition,
  placed: PlacedStep,
  { channels }: LintFacts,
): Problem[] => {
  const { step } = placed
  if (step.isOff) return []
  const shown = step.type === 'ask' && step.options ? shownInEach(step, definition) : []
  return [
    ...lintDoubles(placed, shown),
    ...channelsOf(definition, channels).flatMap((channel) => [
      ...lintLength(placed, shown, channel),
      ...lintOptions(placed, shown, channel),
    ]),
  ]
}

/** The channels on which a flow can start; all, if a trigger names none. */
export const channelsOf = ({ triggers }: FlowDefinition, channels: readonly ChannelFacts[]): ChannelFacts[] =>
  channels.filter(
    ({ name }) =>
      triggers.length === 0 || triggers.some((trigger) => trigger.channels?.includes(name) ?? true),
  )

const lintLength = (
  placed: PlacedStep,
  shown: readonly ShownOptions[],
  { name, bodyMax, isSms, choices }: ChannelFacts,
): Problem[] => {
  if (placed.step.type !== 'send' && placed.step.type !== 'ask') return []
  const own = placed.step.text === undefined ? [] : spellings(placed.step.text)
  const longest = Math.max(0, ...own.map((text) => text.length))
  if (longest > bodyMax)
    return [problemAt('long_text', placed, `has ${longest} characters. ${name} cuts it after ${bodyMax}.`)]
  const whole = shown.filter((one) => !choices || whyAsText(choices, one)).map(asNumberedText)
  const wholeLength = Math.max(0, ...whole.map((text) => text.length))
  if (wholeLength > bodyMax) {
    const says = `has ${wholeLength} characters with its options as text. ${name} allows ${bodyMax}.`
    return [problemAt('long_text', placed, says, 'error')]
  }
  if (!isSms) return []
  const segments = Math.max(0, ...[...customerTexts(placed.step), ...whole].map(countSegments))
  return segments > SMS_SEGMENTS_MAX
    ? [problemAt('long_text', placed, `takes ${segments} text messages, each of which is billed.`)]
    : []
}
