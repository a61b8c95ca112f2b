import Type, { type Static } from 'typebox'
import { Id, Moment, nullable, Text } from '../../schema.ts'

const DraftSource = Type.Object({
  type: Type.String(),
  id: Id,
  title: Type.String(),
  url: nullable(Type.String()),
  quote: Type.String({ description: 'The sentences of it that the draft is closest to.' }),
  isInternal: Type.Boolean({
    description: 'Customers may not see it: the draft may say what they should not read.',
  }),
})
export type DraftSource = Static<typeof DraftSource>

export const ReplyDraft = Type.Object({
  id: Id,
  text: Type.String(),
  sources: Type.Array(DraftSource),
  isStale: Type.Boolean({ description: 'The customer has written since.' }),
  isWithheld: Type.Boolean({
    description: 'The AI agent wasn’t sure enough to send it, and handed the conversation over.',
  }),
  isForMe: Type.Boolean({ description: 'The caller asked for it. Otherwise it is for everyone.' }),
  program: nullable(Type.String({ description: 'The API token that proposed it; null for the AI agent.' })),
  createdAt: Moment,
})
export type ReplyDraft = Static<typeof ReplyDraft>

export const ReplyDrafts = Type.Object({
  isAvailable: Type.Boolean({ description: 'Whether the AI agent writes drafts: it is on and not stopped.' }),
  hasModel: Type.Boolean({ description: 'Without a model, drafts are saved answers word for word.' }),
  isWriting: Type.Boolean(),
  drafts: Type.Array(ReplyDraft, { description: 'Several to choose from, if none is certain.' }),
  without: nullable(
    Type.Object(
      { reason: Type.String(), summary: Type.String() },
      { description: 'Why there is no draft, if the last attempt found none and nobody has written since.' },
    ),
  ),
})
export type ReplyDrafts = Static<typeof ReplyDrafts>

export const DraftParams = Type.Object({ draftId: Id })

export const SummaryBody = Type.Object({
  language: Type.String({
    pattern: '^[a-z]{2,3}$',
    description: 'ISO 639: the language to write the summary in.',
  }),
})
export const Summary = Type.Object({ text: Type.String() })
export type Summary = Static<typeof Summary>

export const REWRITES = ['translate', 'shorten', 'friendlier', 'more_formal'] as const
export const REWRITTEN_MAX = 4_000

export const RewriteBody = Type.Object({
  text: Text(REWRITTEN_MAX, { description: 'What the caller wrote and hasn’t sent.' }),
  as: Type.Enum([...REWRITES], {
    description: 'translate: into the language of the customer. The others stay in the text’s own.',
  }),
})
export type RewriteBody = Static<typeof RewriteBody>
export const Rewritten = Type.Object({
  text: Type.String(),
  language: nullable(
    Type.String({
      description: 'ISO 639-1: what it was translated into. Null otherwise, or if the model chose it.',
    }),
  ),
  toCheck: Type.Array(Type.String(), {
    description: 'Figures, dates, addresses and links that only one of the two texts has.',
  }),
})
export type Rewritten = Static<typeof Rewritten>
