// An email that a person writes: whom it goes to, and what it has beside its text.
import Type, { type Static } from 'typebox'
import { Email, Id, Text } from '../schema.ts'

/** Of To, Cc and Bcc together. */
export const RECIPIENTS_MAX = 50
export const EMAIL_BODY_MAX = 50_000
export const EMAIL_HTML_MAX = 200_000
export const EMAIL_SUBJECT_MAX = 500
const NAME_MAX = 200
const FILES_MAX = 100

export const Recipient = Type.Object({
  name: Type.Optional(Type.String({ trim: true, maxLength: NAME_MAX })),
  address: Email(),
})
export type Recipient = Static<typeof Recipient>

const Recipients = Type.Array(Recipient, { maxItems: RECIPIENTS_MAX })

export const OutgoingEmail = Type.Object({
  to: Type.Array(Recipient, { minItems: 1, maxItems: RECIPIENTS_MAX }),
  cc: Type.Optional(Recipients),
  bcc: Type.Optional(Recipients),
  subject: Type.Optional(Text(EMAIL_SUBJECT_MAX)),
  html: Type.Optional(
    Type.String({
      maxLength: EMAIL_HTML_MAX,
      description:
        'Only of formatted text; `body` has the same as plain text. Images are attachments: `cid:` and their id.',
    }),
  ),
  quote: Type.Optional(
    Type.Object({
      messageId: Text(25, { description: 'A message of the conversation, quoted below.' }),
      as: Type.Enum(['reply', 'forward']),
      fileIds: Type.Optional(
        Type.Array(Id, {
          maxItems: FILES_MAX,
          uniqueItems: true,
          description: 'Attachments of that message to send along.',
        }),
      ),
    }),
  ),
})
export type OutgoingEmail = Static<typeof OutgoingEmail>
