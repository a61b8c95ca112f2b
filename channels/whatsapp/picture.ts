// What a JPEG or PNG says about itself. Reads only what comes before the pixels, and never decodes them.
// https://www.w3.org/TR/png-3/, https://www.w3.org/Graphics/JPEG/itu-t81.pdf (Annex B)

export type Picture = {
  mimeType: 'image/jpeg' | 'image/png'
  width: number
  height: number
  /** An APNG, of which WhatsApp shows the first frame. */
  isAnimated: boolean
  bitsPerColor: number
  /** 1: gray, 3: RGB, 4: CMYK; a PNG never has four. */
  colors: number
}

/** Undefined if it is neither, or ends before its size is known. */
export const readPicture = (bytes: Buffer): Picture | undefined =>
  bytes.subarray(0, 8).equals(PNG)
    ? readPng(bytes)
    : bytes.readUIntBE(0, 3) === 0xffd8ff
      ? readJpeg(bytes)
      : undefined

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Length, type and checksum of a chunk. */
const CHUNK_FRAME = 12

const readPng = (bytes: Buffer): Picture | undefined => {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  const picture: Picture = {
    mimeType: 'image/png',
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    isAnimated: false,
    bitsPerColor: bytes[24]!,
    colors: bytes[25] === 0 || bytes[25] === 4 ? 1 : 3,
  }
  for (let at = 8; at + CHUNK_FRAME <= bytes.length; at += CHUNK_FRAME + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (type === 'acTL') return { ...picture, isAnimated: true }
    if (type === 'IDAT') return picture
  }
  return undefined
}

/** Frame headers, which have the size; the others in this range are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const START_OF_SCAN = 0xda

const readJpeg = (bytes: Buffer): Picture | undefined => {
  let at = 2
  while (at + 10 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    // Any number of fill bytes may come before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === START_OF_SCAN) return undefined
    if (isFrame(marker))
      return {
        mimeType: 'image/jpeg',
        bitsPerColor: bytes[at + 4]!,
        height: bytes.readUInt16BE(at + 5),
        width: bytes.readUInt16BE(at + 7),
        colors: bytes[at + 9]!,
        isAnimated: false,
      }
    const length = bytes.readUInt16BE(at + 2)
    if (length < 2) return undefined
    at += 2 + length
  }
  return undefined
}
