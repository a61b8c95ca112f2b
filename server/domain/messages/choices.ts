// The options of a flow's question, as `metadata.choices` of its message. The body has them as numbered text, so that
// every reader and every channel without buttons has the whole question.
import Type from 'typebox'
import { Value } from 'typebox/value'
import { layChoices, numberedParts, numberedText, type OutboundChoices } from '../../../channels/channel.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { EffectChoices } from '../../../flow-engine/contract.ts'
import { MORE_OPTIONS } from '../../../flow-engine/read-reply.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName, Metadata } from '../../platform/db/tables.ts'
import { ChoicesMetadata } from '../conversations/schema.ts'
import { choiceToken, readChoiceToken } from './choice-token.ts'

/** As a flow offers them: the run and step that a tap goes to, and the options. */
export type OfferedChoices = EffectChoices & { runId: string; stepId: string }

/** The question and its options as text that can be answered with a number. */
export const readableBody = (text: string, { options, from }: OfferedChoices): string =>
  numberedText(text, options, from)

/**
 * The same in messages of at most `bodyMax`, for a channel that shows these options as text; null where one message is
 * enough, or the channel has buttons or a list for them.
 */
export const readableParts = (
  { channels }: Pick<Ctx, 'channels'>,
  channel: ChannelName,
  text: string,
  offered: OfferedChoices,
): string[] | null => {
  const { bodyMax } = channels[channel]
  if (bodyMax === undefined || readableBody(text, offered).length <= bodyMax) return null
  const isText = layChoices(DEFINITIONS[channel].choices, { text, ...offered }).as === 'text'
  return isText ? numberedParts(text, offered.options, { from: offered.from, max: bodyMax }) : null
}

/** As they are stored with the message. */
export const choicesMetadata = (text: string, choices: OfferedChoices): ChoicesMetadata => ({
  text,
  ...choices,
})

/** `metadata.choices` of a message; null for messages without options. */
export const readChoices = (choices: unknown): ChoicesMetadata | null =>
  Value.Check(ChoicesMetadata, choices) ? choices : null

const UntitledChoice = Type.Object({ id: Type.String(), title: Type.Null() })
const UNNAMED_TAP = 'Tapped a button'

/**
 * A customer's message, with the title of what they tapped as its text where the provider gave only the token: it no
 * longer has the message with the buttons. `offered`: `metadata.choices` of that message, if we have it.
 */
export const nameTap = <T extends { body: string; metadata?: Metadata | null }>(
  { seal, workspaceId }: Pick<Ctx, 'seal' | 'workspaceId'>,
  message: T,
  offered: unknown,
): Pick<T, 'body' | 'metadata'> => {
  const { body, metadata } = message
  const choice = metadata?.choice
  if (!Value.Check(UntitledChoice, choice)) return { body, metadata }
  const tapped = readChoiceToken(seal, workspaceId, choice.id)
  if (!tapped) return { body, metadata }
  const choices = readChoices(offered)
  const isTheirs = choices?.runId === tapped.runId && choices.stepId === tapped.stepId
  const title = isTheirs ? choices.options.find(({ number }) => number === tapped.number)?.title : undefined
  return {
    body: title ?? UNNAMED_TAP,
    metadata: { ...metadata, choice: { ...choice, title: title ?? null } },
  }
}

/** What a message offered, for its channel: each option by its token. */
export const toOutboundChoices = (
  { seal, workspaceId }: Pick<Ctx, 'seal' | 'workspaceId'>,
  stored: unknown,
): OutboundChoices | null => {
  const choices = readChoices(stored)
  if (!choices) return null
  const { text, label, more, options, runId, stepId } = choices
  const tokenOf = (number: number) => choiceToken(seal, { workspaceId, runId, stepId, number })
  return {
    text,
    label,
    options: options.map(({ number, title, description }) => ({
      id: tokenOf(number),
      title,
      ...(description && { description }),
    })),
    more: { title: more, idFrom: (index) => tokenOf(MORE_OPTIONS + options[index]!.number) },
  }
}
