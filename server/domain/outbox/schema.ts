// What people have sent and can still undo, and what could not be sent when its time came.
import Type, { type Static } from 'typebox'
import { UndoSeconds } from '../accounts/schema.ts'
import { Attachment } from '../attachments/schema.ts'
import { ComposeBody } from '../conversations/inbox-schema.ts'
import { Sent } from '../conversations/schema.ts'
import { OutgoingEmail } from '../emails/schema.ts'
import { Id, Moment, nullable, Text } from '../schema.ts'
import { TemplateBody } from '../templates/schema.ts'

const HOLDING = {
  undoSeconds: Type.Optional(UndoSeconds),
  seenMessageId: Type.Optional(
    nullable(
      Text(25, {
        description:
          'The newest message that the sender has seen. Sending is refused if somebody else has replied since. Left out: whatever was replied.',
      }),
    ),
  ),
}

const TAGS_MAX = 10

/** What follows a reply, in the transaction that sends it: what a saved reply does besides its text. */
export const Afterwards = Type.Object({
  tagIds: Type.Array(Id, { maxItems: TAGS_MAX, uniqueItems: true, description: 'Added to the contact.' }),
  assigneeId: nullable(Type.String({ maxLength: 25 })),
  closes: Type.Boolean(),
})
export type Afterwards = Static<typeof Afterwards>

export const FollowedUp = Type.Object({
  success: Type.Literal(true),
  tagIdsAdded: Type.Array(Id, { description: 'Those that the contact did not have.' }),
})

/** A reply, as the console sends it. */
export const HoldableReply = Type.Object(
  {
    ...ComposeBody.properties,
    ...HOLDING,
    thenClose: Type.Optional(Type.Boolean({ description: 'Close the conversation once it is sent.' })),
    after: Type.Optional(Afterwards),
  },
  { atLeastOneOf: ['body', 'attachmentIds', 'email'] },
)
export type HoldableReply = Static<typeof HoldableReply>

/** A template, as the console sends it. */
export const HoldableTemplate = Type.Object({ ...TemplateBody.properties, ...HOLDING })
export type HoldableTemplate = Static<typeof HoldableTemplate>

export const HeldMessage = Type.Object({
  id: Id,
  conversationId: Id,
  contactName: nullable(Type.String({ description: 'Null if the author no longer sees the conversation.' })),
  body: Type.String({ description: 'Of a template: as the customer will read it.' }),
  attachments: Type.Array(Attachment),
  replyTo: nullable(Id),
  sendTo: nullable(Type.String()),
  draftId: nullable(Id),
  template: nullable(TemplateBody),
  email: nullable(OutgoingEmail),
  thenClose: Type.Boolean(),
  after: nullable(
    Type.Object(
      {
        tags: Type.Array(Type.Object({ id: Id, name: Type.String() })),
        assignee: nullable(Type.Object({ id: Id, nickname: Type.String() })),
        closes: Type.Boolean(),
      },
      { description: 'What follows, without tags and agents that are gone.' },
    ),
  ),
  msLeft: Type.Integer({ description: 'Until it is sent.' }),
  problem: nullable(
    Type.Object({ code: Type.String(), message: Type.String() }, { description: 'Why it was not sent.' }),
  ),
  createdAt: Moment,
})
export type HeldMessage = Static<typeof HeldMessage>

export const Held = Type.Object({ held: HeldMessage })
export type Held = Static<typeof Held>

/** A message that was sent, or one that is held. */
export const SentOrHeld = Type.Union([Sent, Held])
export type SentOrHeld = Sent | Held

/** For one person in one workspace. */
export const HELD_MAX = 200
export const HeldMessages = Type.Object({ held: Type.Array(HeldMessage, { maxItems: HELD_MAX }) })
export const HeldParams = Type.Object({ heldId: Id })
