import Type, { type Static } from 'typebox'
import type { MentionRange } from '../contacts/schema.ts'
import { Id } from '../schema.ts'
import { AddNoteBody, NoteChange } from './schema.ts'

export type { MentionRange }

const MENTIONED_MAX = 50

const mentionedIds = Type.Optional(
  Type.Array(Id, { maxItems: MENTIONED_MAX, description: 'Whose @name in the body is a mention.' }),
)

const ATTACHMENT_IDS_MAX = 20

/** As the console writes notes: with mentions and files. */
export const InboxNoteBody = Type.Object(
  {
    ...AddNoteBody.properties,
    mentionedIds,
    attachmentIds: Type.Optional(
      Type.Array(Id, {
        maxItems: ATTACHMENT_IDS_MAX,
        uniqueItems: true,
        description: 'Files that you uploaded and that no message or note has yet.',
      }),
    ),
  },
  { title: 'AddInboxNote', exactlyOneOf: ['conversationId', 'phone'] },
)
export const InboxNoteChange = Type.Object({ ...NoteChange.properties, mentionedIds })

/** `canSee`: the conversation. Nobody else can be mentioned in it. */
const Mentionable = Type.Object({ id: Id, nickname: Type.String(), canSee: Type.Boolean() })
export type Mentionable = Static<typeof Mentionable>

export const MentionableList = Type.Object({ people: Type.Array(Mentionable) })
