// How a model ends its turn. Words and action are separate fields, so a hand-over that is announced is also done.
import type { JsonObject, ToolSpec } from '../../../../models/contract.ts'

export const END_REASONS = [
  'asked',
  'no_knowledge',
  'low_confidence',
  'rule',
  'sensitive',
  'identity',
  'action_failed',
] as const
export type EndReason = (typeof END_REASONS)[number]

const ACTIONS = ['reply', 'ask', 'hand_over', 'stay_silent'] as const
const OPTIONS_MAX = 5
const OPTION_LENGTH_MAX = 60
const SUMMARY_MAX = 1_000
const SOURCES_MAX = 8

export const END_TURN: ToolSpec = {
  name: 'end_turn',
  description:
    'Ends your turn. reply: the customer gets `text`. ask: the customer gets `text`, one question, and may choose one of `options`. hand_over: people take the conversation, and code tells the customer. stay_silent: nothing is owed, such as after thanks.',
  parameters: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: [...ACTIONS] },
      text: {
        type: 'string',
        description: 'Plain text for the customer. Empty for hand_over and stay_silent.',
      },
      sources: {
        type: 'array',
        items: { type: 'string' },
        description: 'For reply: the ids of the sources that say what you say.',
      },
      options: {
        type: 'array',
        items: { type: 'string' },
        description: 'For ask: up to five short answers.',
      },
      isCertain: { type: 'boolean', description: 'Whether the sources answer the whole question.' },
      isDone: { type: 'boolean', description: 'Whether your task in this conversation is done.' },
      reason: { type: 'string', enum: [...END_REASONS], description: 'For hand_over.' },
      summary: {
        type: 'string',
        description: 'For hand_over: for the team, what the customer wants and what was tried.',
      },
    },
    required: ['action', 'text'],
  },
}

export type Ending =
  | { action: 'reply'; text: string; sources: string[]; isCertain: boolean; isDone: boolean }
  | { action: 'ask'; text: string; options: string[] }
  | { action: 'hand_over'; reason: EndReason; summary: string }
  | { action: 'stay_silent' }

/** A problem is told to the model. */
export const readEnding = (given: JsonObject): Ending | { problem: string } => {
  const text = typeof given.text === 'string' ? given.text.trim() : ''
  switch (given.action) {
    case 'reply':
      return {
        action: 'reply',
        text,
        sources: textsIn(given.sources, SOURCES_MAX),
        isCertain: given.isCertain !== false,
        isDone: given.isDone === true,
      }
    case 'ask':
      return {
        action: 'ask',
        text,
        options: [
          ...new Set(textsIn(given.options, OPTIONS_MAX).map((one) => one.slice(0, OPTION_LENGTH_MAX))),
        ],
      }
    case 'hand_over':
      return {
        action: 'hand_over',
        reason: END_REASONS.find((reason) => reason === given.reason) ?? 'low_confidence',
        summary: typeof given.summary === 'string' ? given.summary.trim().slice(0, SUMMARY_MAX) : '',
      }
    case 'stay_silent':
      return { action: 'stay_silent' }
    default:
      return { problem: `\`action\` has to be one of: ${ACTIONS.join(', ')}.` }
  }
}

const textsIn = (value: unknown, max: number): string[] =>
  Array.isArray(value)
    ? value
        .filter((one): one is string => typeof one === 'string' && one.trim() !== '')
        .map((one) => one.trim())
        .slice(0, max)
    : []
