// Replies that people keep, shared or their own. One may also add tags, assign and close: a macro.
import Type, { type Static } from 'typebox'
import { MESSAGE_BODY_MAX } from '../conversations/schema.ts'
import { ChannelEnum, Id, Moment, Name, nullable, Text } from '../schema.ts'

const TAGS_MAX = 10
/** Whoever uses it is assigned. */
export const ME = 'me'

const Shortcut = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,29}$',
  patternSays: 'must be lowercase letters, digits, "-" and "_", such as "refund"',
})

const Folder = nullable(Text(60))

/** Another name for a folder; null: its replies are in none. */
export const FolderChange = Type.Object({ from: Text(60), to: Folder })
export type FolderChange = Static<typeof FolderChange>

export const NewSavedReply = Type.Object(
  {
    name: Name(80),
    shortcut: nullable(Shortcut),
    folder: Folder,
    body: Type.String({ maxLength: MESSAGE_BODY_MAX }),
    /** Empty: all. */
    channels: Type.Array(ChannelEnum, { maxItems: 10, uniqueItems: true }),
    tagIds: Type.Array(Id, { maxItems: TAGS_MAX, uniqueItems: true }),
    /** An agent, or `me`: whoever uses it. */
    assigneeId: nullable(Type.String({ maxLength: 25 })),
    closes: Type.Boolean(),
  },
  { title: 'NewSavedReply' },
)
export type NewSavedReply = Static<typeof NewSavedReply>

export const SavedReply = Type.Object({
  id: Id,
  isShared: Type.Boolean(),
  ...NewSavedReply.properties,
  useCount: Type.Integer(),
  lastUsedAt: nullable(Moment),
})
export type SavedReply = Static<typeof SavedReply>

export const SavedReplyList = Type.Object({ savedReplies: Type.Array(SavedReply) })

/** The caller chooses the id of a new one, so that saving twice is saving once. */
export const SavedReplyParams = Type.Object({ replyId: Id })
export const UseParams = Type.Object({ conversationId: Id, replyId: Id })

/** A reply as it would be sent to one contact, and what is to be done after it. */
export const UsedReply = Type.Object({
  body: Type.String(),
  /** Values that the text names and the contact has not, without a fallback. */
  missing: Type.Array(Type.String()),
  tags: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  assignee: nullable(Type.Object({ id: Id, nickname: Type.String() })),
  closes: Type.Boolean(),
})
export type UsedReply = Static<typeof UsedReply>

export const SavedReplyChanged = Type.Object({ success: Type.Literal(true) })
