// Media uploaded by the business or sent by customers. Download URLs are valid for five minutes, ids of customers'
// media for seven days, ids of uploads for thirty.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { newNodeId } from './whatsapp/ids.ts'

export type MediaFile = {
  id: string
  bytes: Buffer
  mimeType: string
  fileName: string | null
  sha256: Buffer
  expiresAtMs: number
}

const URL_LIVES_MS = 5 * 60_000
const INBOUND_LIVES_MS = 7 * 86_400_000
const UPLOADED_LIVES_MS = 30 * 86_400_000
/** Beyond this, the oldest are deleted. */
const STORED_MAX_BYTES = 256 * 1024 * 1024

const MB = 1024 * 1024
/** The MIME types that WhatsApp accepts, by kind, with the size limit of each in bytes. */
export const MEDIA_KINDS: Record<string, { mimeTypes: RegExp; maxBytes: number }> = {
  image: { mimeTypes: /^image\/(jpeg|png)$/, maxBytes: 5 * MB },
  audio: { mimeTypes: /^audio\/(aac|amr|mpeg|mp4|ogg)$/, maxBytes: 16 * MB },
  video: { mimeTypes: /^video\/(mp4|3gpp)$/, maxBytes: 16 * MB },
  sticker: { mimeTypes: /^image\/webp$/, maxBytes: 500 * 1024 },
  document: { mimeTypes: /^(application|text)\//, maxBytes: 100 * MB },
}

export type Media = ReturnType<typeof makeMedia>

export const makeMedia = () => {
  const files = new Map<string, MediaFile>()
  let storedBytes = 0
  const key = randomBytes(32)

  const remove = (id: string): boolean => {
    const file = files.get(id)
    if (!file) return false
    storedBytes -= file.bytes.length
    return files.delete(id)
  }
  const hashOf = (id: string, expiresAtMs: number): string =>
    createHmac('sha256', key).update(`${id} ${expiresAtMs}`).digest('base64url').slice(0, 24)

  return {
    add: (
      direction: 'inbound' | 'uploaded',
      { bytes, mimeType, fileName = null }: { bytes: Buffer; mimeType: string; fileName?: string | null },
      nowMs: number,
    ): MediaFile => {
      const file: MediaFile = {
        id: newNodeId(),
        bytes,
        mimeType,
        fileName,
        sha256: createHash('sha256').update(bytes).digest(),
        expiresAtMs: nowMs + (direction === 'inbound' ? INBOUND_LIVES_MS : UPLOADED_LIVES_MS),
      }
      files.set(file.id, file)
      storedBytes += bytes.length
      for (const id of files.keys()) {
        if (storedBytes <= STORED_MAX_BYTES || id === file.id) break
        remove(id)
      }
      return file
    },
    find: (id: string, nowMs: number): MediaFile | undefined => {
      const file = files.get(id)
      return file && file.expiresAtMs > nowMs ? file : undefined
    },
    remove,
    urlOf: (baseUrl: string, id: string, nowMs: number): string => {
      const expiresAtMs = nowMs + URL_LIVES_MS
      return `${baseUrl}/whatsapp_business/attachments/?mid=${id}&ext=${expiresAtMs}&hash=${hashOf(id, expiresAtMs)}`
    },
    isUrlValid: (query: URLSearchParams, nowMs: number): boolean => {
      const expiresAtMs = Number(query.get('ext'))
      return expiresAtMs > nowMs && query.get('hash') === hashOf(query.get('mid') ?? '', expiresAtMs)
    },
  }
}

/** A sample image: a sky over hills, with a hue that depends on the seed. */
export const samplePicture = (seed: number, width = 640, height = 420): Buffer => {
  const rows = Buffer.alloc(height * (width * 3 + 1))
  const hue = (seed * 67) % 360
  const [nearR, nearG, nearB] = rgbOf(hue + 150, 0.34, 0.3)
  const [farR, farG, farB] = rgbOf(hue + 120, 0.3, 0.5)
  for (let y = 0; y < height; y++) {
    const [skyR, skyG, skyB] = rgbOf(hue + 40 * (y / height), 0.62, 0.62 + 0.26 * (y / height))
    for (let x = 0; x < width; x++) {
      const far = height * (0.62 + 0.09 * Math.sin(x / 97 + seed))
      const near = height * (0.78 + 0.07 * Math.sin(x / 61 + seed * 2))
      const isSun = (x - width * 0.72) ** 2 + (y - height * 0.3) ** 2 < (height * 0.1) ** 2
      const [r, g, b] =
        y > near
          ? [nearR, nearG, nearB]
          : y > far
            ? [farR, farG, farB]
            : isSun
              ? [255, 243, 214]
              : [skyR, skyG, skyB]
      const at = y * (width * 3 + 1) + 1 + x * 3
      rows[at] = r
      rows[at + 1] = g
      rows[at + 2] = b
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

const pngChunk = (type: string, data: Buffer): Buffer => {
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

const rgbOf = (hue: number, saturation: number, lightness: number): [number, number, number] => {
  const channel = (n: number): number => {
    const k = (n + hue / 30) % 12
    const a = saturation * Math.min(lightness, 1 - lightness)
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
