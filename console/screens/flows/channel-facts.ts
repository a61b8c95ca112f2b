// What each channel makes of a message with options: for the checks, and for the line below each step.

import { type ChoiceLimits, type LaidOption, layChoices } from '../../../channels/choices.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import { CHANNELS, type ChannelName } from '../../../channels/names.ts'
import { builtInText } from '../../../flow-engine/built-in-texts.ts'
import { MESSAGE_TEXT_MAX } from '../../../flow-engine/limits.ts'
import type { ChannelFacts } from '../../../flow-engine/lint-contract.ts'
import type { FlowDefinition, Step, StepOf } from '../../../flow-engine/schema.ts'
import { countSegments } from '../../../flow-engine/sms-segments.ts'
import { channelName } from '../../ui/channel-name.ts'
import { t } from '../../words/t.ts'
import { textIn } from './definition/localized.ts'
import { cut } from './definition/words.ts'

const SMS_BODY_MAX = 1_600
/** As in flow-engine/read-reply.ts, which brings the phone numbers of all countries along. */
const RATINGS = { min: 1, max: 5 }
const WINDOW_HOURS: Partial<Record<ChannelName, number>> = { whatsapp: 24, facebook: 24 }

export const CHANNEL_FACTS: ChannelFacts[] = CHANNELS.map((name) => ({
  name,
  bodyMax: name === 'sms' ? SMS_BODY_MAX : MESSAGE_TEXT_MAX,
  replyWindowHours: WINDOW_HOURS[name] ?? null,
  choices: DEFINITIONS[name].choices,
  isSms: name === 'sms',
}))

/** The channels that a flow can start on; all, if a trigger names none. */
export const flowChannels = ({ triggers }: FlowDefinition): ChannelName[] =>
  CHANNELS.filter(
    (name) =>
      triggers.length === 0 ||
      triggers.some(
        ({ channels }) => channels === undefined || channels.length === 0 || channels.includes(name),
      ),
  )

export type ShownOn = { channels: ChannelName[]; words: string }

/** How a step looks on each of the flow's channels, those that look the same together; empty if it says nothing. */
export const howShown = (step: Step, definition: FlowDefinition): ShownOn[] => {
  if (step.type !== 'send' && step.type !== 'ask' && step.type !== 'people') return []
  const text = textIn(step.text, definition.language)
  if (text === '' && step.type !== 'ask') return []
  const options = step.type === 'ask' ? offered(step, definition) : []
  const groups = Map.groupBy(flowChannels(definition), (channel) =>
    [optionWords(channel, step, text, options, definition), lengthWords(channel, text)]
      .filter(Boolean)
      .join(', '),
  )
  return [...groups].map(([words, channels]) => ({ channels, words }))
}

/** "Web chat, Telegram: 3 buttons" */
export const shownWords = ({ channels, words }: ShownOn, all: number): string =>
  `${channels.length === all && all > 1 ? t`All channels` : channels.map(channelName).join(', ')}: ${words}`

const offered = (step: StepOf<'ask'>, { language }: FlowDefinition): LaidOption[] => {
  if (step.options)
    return step.options.map(({ title, description }) => ({
      title: textIn(title, language) || '…',
      ...(description && { description: textIn(description, language) }),
    }))
  if (step.answer === 'yesno') return [{ title: t`Yes` }, { title: t`No` }]
  if (step.answer !== 'rating') return []
  const { min = RATINGS.min, max = RATINGS.max } = step
  const count = Math.floor(max) - Math.ceil(min) + 1
  return count < 2 || count > 10
    ? []
    : Array.from({ length: count }, (_, at) => ({ title: String(Math.ceil(min) + at) }))
}

const optionWords = (
  channel: ChannelName,
  step: Step,
  text: string,
  options: readonly LaidOption[],
  { language }: FlowDefinition,
): string => {
  if (options.length === 0) return t`text`
  const label = (step.type === 'ask' && textIn(step.listLabel, language)) || builtInText('choose', language)
  const limits = DEFINITIONS[channel].choices ?? undefined
  const layout = layChoices(limits, { text, label, options, more: builtInText('more', language) })
  switch (layout.as) {
    case 'buttons':
      return options.length === 1 ? t`1 button` : t`${options.length} buttons`
    case 'list':
      return t`a list of ${options.length} behind “${cut(label, 20)}”`
    case 'text':
      return limits === undefined ? t`numbered text` : t`numbered text (${whyText(limits, options)})`
  }
}

/** Why options don't fit a channel that has buttons. */
const whyText = (
  { buttons, list, hasUniqueTitles }: ChoiceLimits,
  options: readonly LaidOption[],
): string => {
  const titles = options.map(({ title }) => title)
  if (hasUniqueTitles && new Set(titles).size < titles.length) return t`two titles are the same`
  const titleMax = list?.titleMax ?? buttons.titleMax
  const long = titles.find((title) => title.length > titleMax)
  if (long !== undefined) return t`“${cut(long, 30)}” is over ${titleMax} characters`
  return options.length > buttons.max && !list
    ? t`more than ${buttons.max} options`
    : t`the texts are too long`
}

const lengthWords = (channel: ChannelName, text: string): string | undefined => {
  if (channel !== 'sms') return undefined
  const segments = countSegments(text)
  return segments > 1 ? t`${segments} billed parts` : undefined
}
