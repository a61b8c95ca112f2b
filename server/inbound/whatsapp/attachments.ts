// The files of a message. They are not fetched here: that would hold up the webhook, and a file that cannot be had must
// not lose the message.
import type { Content, Media } from '../../../channels/channel.ts'
import type { NewAttachment } from '../../resources/attachments/queries.ts'

const TYPES = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'file',
  sticker: 'sticker',
} satisfies Record<Media['type'], NewAttachment['type']>

const NAME_MAX = 255

export const attachmentsOf = ({ media, location, contacts }: Content): NewAttachment[] => [
  ...(media ? [ofMedia(media)] : []),
  ...(location ? [inline('location', location.name ?? 'Location', 'application/json', { ...location })] : []),
  ...(contacts.length > 0
    ? [inline('contacts', contacts[0]?.name ?? 'Contacts', 'application/json', { contacts })]
    : []),
]

const ofMedia = ({ type, mediaId, url, sha256, mimeType, fileName }: Media): NewAttachment => ({
  type: TYPES[type],
  name: [...(fileName ?? type)].slice(0, NAME_MAX).join(''),
  mimeType: mimeType ?? 'application/octet-stream',
  size: 0,
  state: 'pending',
  source: { mediaId, url, sha256 },
})

const inline = (
  type: NewAttachment['type'],
  name: string,
  mimeType: string,
  source: Record<string, unknown>,
): NewAttachment => ({
  type,
  name: [...name].slice(0, NAME_MAX).join(''),
  mimeType,
  size: Buffer.byteLength(JSON.stringify(source)),
  state: 'inline',
  source,
})
