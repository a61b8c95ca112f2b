import type { ChoicesMetadata } from '../conversations/schema.ts'
import type { VisitorChoice, VisitorChoices } from './schema.ts'

/** The options as visitors see them: nothing of the flow that offers them. */
export const toVisitorChoices = (choices: ChoicesMetadata | null): VisitorChoices | null =>
  choices && {
    text: choices.text,
    options: choices.options.map(({ number, title, description = null }) => ({ number, title, description })),
  }

export const toVisitorChoice = (messageId: string | null, number: unknown): VisitorChoice | null =>
  messageId !== null && typeof number === 'number' ? { messageId, number } : null
