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
        'A signed URL, valid for one to two hours. Get the message again for a new one. Returns 404 until the file has been downloaded from the provider.',
    }),
  },
  { title: 'Attachment' },
)
export type Attachment = Static<typeof Attachment>

export const Uploaded = Type.Object({ attachment: Attachment }, { title: 'Uploaded' })
