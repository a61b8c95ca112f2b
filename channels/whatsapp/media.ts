// Files on WhatsApp: a customer's files are downloaded from the provider; an agent's are uploaded there and then sent
// by id.
import {
  DeliveryError,
  type FetchedMedia,
  type MediaOptions,
  type OutboundAttachment,
  type OutboundLimits,
} from '../contract/channel.ts'
import { startTimeLimit } from '../protocol/exchange.ts'
import {
  downloadMedia,
  type GraphAccount,
  type MediaContent,
  mediaInfo,
  type SendInput,
  type Sent,
  sendMedia,
  uploadMedia,
} from './client.ts'

const MIB = 1024 * 1024
const CAPTION_MAX = 1024
const DOCUMENT_BYTES_MAX = 100 * MIB

/** Types that are sent as such, with their size limits; all others are sent as documents. */
const KINDS = [
  { type: 'image', noun: 'images', mimeTypes: /^image\/(jpeg|png)$/, bytesMax: 5 * MIB, hasCaption: true },
  {
    type: 'audio',
    noun: 'audio files',
    mimeTypes: /^audio\/(aac|amr|mpeg|mp4|ogg)$/,
    bytesMax: 16 * MIB,
    hasCaption: false,
  },
  { type: 'video', noun: 'videos', mimeTypes: /^video\/(mp4|3gpp)$/, bytesMax: 16 * MIB, hasCaption: true },
] as const

const DOCUMENT = {
  type: 'document',
  noun: 'documents',
  bytesMax: DOCUMENT_BYTES_MAX,
  hasCaption: true,
} as const

type Kind = (typeof KINDS)[number] | typeof DOCUMENT

type About = Pick<OutboundAttachment, 'name' | 'mimeType' | 'size'>

const kindOf = ({ mimeType }: About): Kind =>
  KINDS.find(({ mimeTypes }) => mimeTypes.test(mimeType)) ?? DOCUMENT

const refusalOf = ({
  body,
  attachments,
}: {
  body: string
  attachments: readonly About[]
}): string | undefined => {
  const [file] = attachments
  if (!file) return undefined
  const { noun, bytesMax, hasCaption } = kindOf(file)
  if (file.size === 0) return `WhatsApp doesn’t accept empty files: ${file.name}.`
  if (file.size > bytesMax)
    return `WhatsApp accepts ${noun} up to ${bytesMax / MIB} MiB. ${file.name} is larger.`
  if (!hasCaption && body !== '') return 'WhatsApp can’t show text with audio. Send the text separately.'
  if ([...body].length > CAPTION_MAX)
    return `WhatsApp shows at most ${CAPTION_MAX} characters with a file. Send the text separately.`
  return undefined
}

/** One file per message: several would be separate messages, some of which could fail. */
export const limits: OutboundLimits = { max: 1, bytesMax: DOCUMENT_BYTES_MAX, refuses: refusalOf }

/**
 * Sends a file with the text as its caption. Only the send can have an unknown outcome; repeating the upload before it
 * is harmless.
 */
export const sendFile = async (
  account: GraphAccount,
  input: SendInput & { body: string; file: OutboundAttachment },
  { timeoutMs }: { timeoutMs: number },
): Promise<Sent> => {
  const { body, file, ...to } = input
  const refusal = refusalOf({ body, attachments: [file] })
  if (refusal) throw new DeliveryError('refused', 'FILE_REFUSED', refusal)
  const leftMs = startTimeLimit(timeoutMs)
  const kind = kindOf(file)
  const { name, size, open } = file
  const upload = { name, size, open, mimeType: uploadType(file, kind) }
  const { mediaId } = await uploadMedia(account, upload, { timeoutMs: leftMs() })
  return sendMedia(account, { ...to, ...contentOf(kind, mediaId, file.name, body) }, { timeoutMs: leftMs() })
}

const contentOf = (
  { type, hasCaption }: Kind,
  mediaId: string,
  fileName: string,
  body: string,
): MediaContent => ({
  type,
  mediaId,
  ...(hasCaption && body !== '' && { caption: body }),
  ...(type === 'document' && { fileName }),
})

/** Other images and videos are uploaded as bytes: WhatsApp only accepts applications and texts as documents. */
const uploadType = ({ mimeType }: About, { type }: Kind): string =>
  type !== 'document' || /^(application|text)\//.test(mimeType) ? mimeType : 'application/octet-stream'

// Downloading -----------------------------------------------------------------------------------------------------

/**
 * Downloads the file of an inbound message. The webhook may include a URL, valid for five minutes. Otherwise, or if it
 * has expired, the file's id gives a new one; the provider keeps the file for a week.
 */
export const fetchFile = async (
  account: GraphAccount,
  source: Record<string, unknown>,
  { timeoutMs, bytesMax }: MediaOptions,
): Promise<FetchedMedia> => {
  const { mediaId, url } = source
  const leftMs = startTimeLimit(timeoutMs)
  if (typeof url === 'string') {
    const early = await download(account, url, { timeoutMs: leftMs(), bytesMax }).catch((error) => {
      // A URL on another host is not used, but the id may still work.
      if (isCode(error, 'MEDIA_GONE', 'REDIRECTED')) return undefined
      throw error
    })
    if (early) return early
  }
  if (typeof mediaId !== 'string')
    throw new DeliveryError('refused', 'MEDIA_GONE', 'WhatsApp no longer has the file.')
  const info = await mediaInfo(account, mediaId, { timeoutMs: leftMs() })
  if (info.size !== null && info.size > bytesMax)
    throw new DeliveryError('refused', 'MEDIA_TOO_LARGE', `The file is larger than ${bytesMax} bytes.`)
  return download(account, info.url, { timeoutMs: leftMs(), bytesMax })
}

const download = async (
  account: GraphAccount,
  url: string,
  options: { timeoutMs: number; bytesMax: number },
): Promise<FetchedMedia> => {
  const { content, mimeType, size } = await downloadMedia(account, url, options)
  // A file is never empty.
  if (size === 0)
    content.destroy(new DeliveryError('retry', 'ANSWER_UNREADABLE', 'WhatsApp’s response has no file.'))
  return { content, mimeType }
}

const isCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof DeliveryError && codes.includes(error.code)
