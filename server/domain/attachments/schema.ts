import Type, { type Static } from 'typebox'
import { Id } from '../schema.ts'

export const Attachment = Type.Object(
  {
    id: Id,
    type: Type.Enum(['image', 'audio', 'video', 'file', 'sticker', 'location', 'contacts']),
    name: Type.String(),
    mimeType: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    url: Type.String({
      description:
        'A signed URL, valid for one to two hours; get the file again for a new one. Returns 404 until the file has been downloaded from the provider.',
    }),
  },
  { title: 'Attachment' },
)
export type Attachment = Static<typeof Attachment>

export const AttachmentParams = Type.Object({ attachmentId: Id })

export const UploadForm = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description: 'Its name and type are those of its part of the form.',
    }),
  },
  { title: 'UploadAttachment', examples: [{ file: 'hours.txt' }] },
)

export const AttachmentAnswer = Type.Object(
  { attachment: Attachment },
  {
    title: 'AttachmentAnswer',
    examples: [
      {
        attachment: {
          id: 'cmi8q2f5c0000x7h2k9d3m1vb',
          type: 'file',
          name: 'invoice.pdf',
          mimeType: 'application/pdf',
          size: 48_211,
          url: 'https://inbox.example.com/files/cmi8q2f5c0000x7h2k9d3m1vb?e=1795257600&s=gWc1Zs',
        },
      },
    ],
  },
)
