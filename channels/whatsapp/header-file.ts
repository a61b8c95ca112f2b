// A file that goes into a template's header: uploaded to the provider once, then named in every send.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media

import { DeliveryError, type KeptFiles, type TemplateFile } from '../contract/channel.ts'
import type { JsonObject } from '../protocol/read-json.ts'
import { type GraphAccount, uploadMedia } from './client.ts'
import { readPicture } from './picture.ts'

const MIB = 1024 * 1024
const DAY_MS = 24 * 3_600_000
/** The provider keeps it for 30 days. */
const KEPT_MS = 29 * DAY_MS
/** WhatsApp names no limit. Phones fail to decode larger ones, and no screen shows them. */
const SIDE_MAX = 10_000
const PIXELS_MAX = 50_000_000

const RULES = {
  image: { mimeTypes: /^image\/(jpeg|png)$/, words: 'a JPEG or PNG image', bytesMax: 5 * MIB },
  video: { mimeTypes: /^video\/(mp4|3gpp)$/, words: 'an MP4 or 3GP video', bytesMax: 16 * MIB },
  document: { mimeTypes: /^(application|text)\//, words: 'a document', bytesMax: 100 * MIB },
} as const

type About = { mimeType: string; size: number }

/** How much of a file problemOfHeaderFile has to see: an image whole, of others the beginning. */
export const headerBytesOf = ({ mimeType, size }: About): number =>
  RULES.image.mimeTypes.test(mimeType) ? Math.min(size, RULES.image.bytesMax) : Math.min(size, 64)

/** Why WhatsApp wouldn't accept the file in a header of the given kind, to follow the field's name; null if it would. */
export const problemOfHeaderFile = (
  type: TemplateFile['type'],
  { mimeType, size }: About,
  start: Buffer,
): string | null => {
  const { mimeTypes, words, bytesMax } = RULES[type]
  if (!mimeTypes.test(mimeType)) return `must be ${words}`
  if (size === 0) return 'must not be empty'
  if (size > bytesMax) return `must be at most ${bytesMax / MIB} MiB`
  if (type === 'image') return problemOfPicture(mimeType, start)
  // Both kinds of video begin with the box that names their format.
  if (type === 'video' && start.toString('latin1', 4, 8) !== 'ftyp') return `must be ${words}`
  return null
}

const problemOfPicture = (mimeType: string, bytes: Buffer): string | null => {
  const picture = bytes.length >= 3 ? readPicture(bytes) : undefined
  if (!picture || picture.width === 0 || picture.height === 0) return 'must be a JPEG or PNG image'
  if (picture.mimeType !== mimeType) return `must be what its type says: it is ${picture.mimeType}`
  if (picture.isAnimated) return 'must not be animated: WhatsApp only shows the first frame'
  if (picture.bitsPerColor > 8 || picture.colors > 3) return 'must have 8 bits per color, in RGB'
  const { width, height } = picture
  if (Math.max(width, height) > SIDE_MAX || width * height > PIXELS_MAX)
    return `must have at most ${SIDE_MAX.toLocaleString('en')} pixels per side and ${PIXELS_MAX / 1_000_000} million in all: it has ${width} × ${height}`
  return null
}

/** A send that names an id the provider no longer has. */
const GONE_CODES = ['100', '131009', '131052', '131053']

export const keptFiles = (
  graphAccount: (account: Parameters<KeptFiles['keep']>[0]) => GraphAccount,
): KeptFiles => ({
  // An id is only valid for the number that it was uploaded to.
  ownerOf: (account) => graphAccount(account).phoneNumberId,
  keptMs: KEPT_MS,
  keep: async (account, { name, mimeType, size, open }, options) => {
    const { mediaId } = await uploadMedia(graphAccount(account), { name, mimeType, size, open }, options)
    return mediaId
  },
  isGone: ({ outcome, code }) => outcome === 'refused' && GONE_CODES.includes(code),
})

/** The header's component of a send. */
export const headerFileComponent = ({ type, fileName, externalId }: TemplateFile) => {
  if (!externalId)
    throw new DeliveryError('refused', 'FILE_LOST', 'The header’s file is no longer available.')
  const file: JsonObject = { id: externalId, ...(type === 'document' && { filename: fileName }) }
  return { type: 'header' as const, parameters: [{ type, [type]: file }] }
}
