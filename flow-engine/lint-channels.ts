// What each channel would make of a step: titles that it cuts, options that it shows as text, messages that it splits
// or that come too late.
import type { PlacedStep } from './definition-index.ts'
import { cutText, foldText } from './fold-text.ts'
import { type ChannelFacts, type LintFacts, SMS_SEGMENTS_MAX } from './lint-contract.ts'
import { type Problem, problemAt } from './problems.ts'
import type { FlowDefinition, LocalizedText, StepOf } from './schema.ts'
import { countSegments } from './sms-segments.ts'
import { customerTexts, spellings } from './step-parts.ts'

export const lintChannels = (
  definition: FlowDefinition,
  placed: PlacedStep,
  { channels }: LintFacts,
): Problem[] => {
  if (placed.step.isOff) return []
  return channelsOf(definition, channels).flatMap((channel) => [
    ...lintLength(placed, channel),
    ...(placed.step.type === 'ask' && placed.step.options ? lintOptions(placed, placed.step, channel) : []),
  ])
}

/** The channels on which a flow can start; all, if a trigger names none. */
export const channelsOf = ({ triggers }: FlowDefinition, channels: readonly ChannelFacts[]): ChannelFacts[] =>
  channels.filter(
    ({ name }) =>
      triggers.length === 0 || triggers.some((trigger) => trigger.channels?.includes(name) ?? true),
  )

const lintLength = (placed: PlacedStep, { name, bodyMax, isSms }: ChannelFacts): Problem[] => {
  if (placed.step.type !== 'send' && placed.step.type !== 'ask') return []
  const own = placed.step.text === undefined ? [] : spellings(placed.step.text)
  const longest = Math.max(0, ...own.map((text) => text.length))
  if (longest > bodyMax)
    return [problemAt('long_text', placed, `has ${longest} characters. ${name} cuts it after ${bodyMax}.`)]
  if (!isSms) return []
  const segments = Math.max(0, ...customerTexts(placed.step).map(countSegments))
  return segments > SMS_SEGMENTS_MAX
    ? [problemAt('long_text', placed, `takes ${segments} text messages, each of which is billed.`)]
    : []
}

const lintOptions = (placed: PlacedStep, step: StepOf<'ask'>, channel: ChannelFacts): Problem[] => {
  const { name, choices } = channel
  const options = step.options ?? []
  if (!choices) return lintTitles(placed, options, name, Number.POSITIVE_INFINITY)
  const isShort = options.every(({ title }) => longestOf(title) <= choices.buttonTitleMax)
  const asButtons = options.length <= choices.buttonsMax && (isShort || choices.listMax === 0)
  if (!asButtons && options.length > choices.listMax) {
    const most = Math.max(choices.buttonsMax, choices.listMax)
    const says = `${name} shows at most ${most} options. These ${options.length} will be numbered text.`
    return [
      problemAt('shown_as_text', placed, says),
      ...lintTitles(placed, options, name, Number.POSITIVE_INFINITY),
    ]
  }
  const titles = lintTitles(placed, options, name, asButtons ? choices.buttonTitleMax : choices.listTitleMax)
  return asButtons ? titles : [...titles, ...lintDescriptions(placed, step, channel, choices.descriptionMax)]
}

const longestOf = (text: LocalizedText): number => Math.max(...spellings(text).map((one) => one.length))

const lintTitles = (
  placed: PlacedStep,
  options: NonNullable<StepOf<'ask'>['options']>,
  channel: string,
  titleMax: number,
): Problem[] => {
  const long = options
    .flatMap(({ title }) => spellings(title))
    .filter((title) => title.length > titleMax)
    .map((title) =>
      problemAt(
        'title_too_long',
        placed,
        `${channel} shows at most ${titleMax} characters of “${title}”: “${cutText(title, titleMax)}”.`,
        'error',
      ),
    )
  return [...long, ...lintDoubles(placed, options, channel, titleMax)]
}

/** Titles that are the same once they are cut can't be told apart, and WhatsApp refuses them. */
const lintDoubles = (
  placed: PlacedStep,
  options: NonNullable<StepOf<'ask'>['options']>,
  channel: string,
  titleMax: number,
): Problem[] => {
  const languages = [
    ...new Set(options.flatMap(({ title }) => (typeof title === 'string' ? [] : Object.keys(title)))),
  ]
  for (const language of languages.length > 0 ? languages : ['']) {
    const shown = options.map(({ title }) => {
      const own = typeof title === 'string' ? title : (title[language] ?? Object.values(title)[0]!)
      return foldText(own.slice(0, Math.min(titleMax, own.length))) || own
    })
    const double = shown.find((title, at) => shown.indexOf(title) !== at)
    if (double !== undefined)
      return [
        problemAt(
          'doubled_title',
          placed,
          `on ${channel}, two options are both shown as “${double}”.`,
          'error',
        ),
      ]
  }
  return []
}

const lintDescriptions = (
  placed: PlacedStep,
  step: StepOf<'ask'>,
  { name }: ChannelFacts,
  descriptionMax: number,
): Problem[] =>
  (step.options ?? [])
    .flatMap(({ description }) => (description === undefined ? [] : spellings(description)))
    .filter((description) => description.length > descriptionMax)
    .map((description) =>
      problemAt(
        'title_too_long',
        placed,
        `${name} shows at most ${descriptionMax} characters of “${cutText(description, 60)}”.`,
        'error',
      ),
    )
