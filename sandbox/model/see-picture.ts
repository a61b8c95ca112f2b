// What the sandbox's models see in a picture: the description that it carries, or its colour. Whoever wants a picture with
// certain words in it puts them into its comment.
import { inflateSync } from 'node:zlib'

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Larger ones are refused, as by the providers. */
export const PICTURE_MAX_BYTES = 5 * 1024 * 1024
const INFLATED_MAX_BYTES = 64 * 1024 * 1024

const COLOURS: Record<string, readonly [number, number, number]> = {
  black: [0, 0, 0],
  white: [255, 255, 255],
  grey: [128, 128, 128],
  red: [220, 30, 30],
  green: [30, 160, 60],
  blue: [30, 70, 220],
  yellow: [240, 220, 40],
  orange: [245, 140, 20],
  purple: [130, 40, 160],
}

export type Seen = { mimeType: string; shows: string }

/** Undefined if it isn't a picture of a kind that the providers read. */
export const seePicture = (bytes: Buffer): Seen | undefined => {
  if (bytes.subarray(0, 8).equals(PNG)) return { mimeType: 'image/png', shows: inPng(bytes) ?? PLAIN }
  if (bytes.subarray(0, 3).toString('hex') === 'ffd8ff')
    return { mimeType: 'image/jpeg', shows: inJpeg(bytes) ?? PLAIN }
  if (/^GIF8[79]a/.test(bytes.subarray(0, 6).toString('latin1')))
    return { mimeType: 'image/gif', shows: inGif(bytes) ?? PLAIN }
  if (bytes.subarray(0, 4).toString() === 'RIFF' && bytes.subarray(8, 12).toString() === 'WEBP')
    return { mimeType: 'image/webp', shows: PLAIN }
  return undefined
}

const PLAIN = 'something'

const inPng = (bytes: Buffer): string | null => {
  const data: Buffer[] = []
  let header: Buffer | null = null
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.subarray(at + 4, at + 8).toString('latin1')
    const inside = bytes.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') header = inside
    if (type === 'IDAT') data.push(inside)
    const words = type === 'tEXt' ? /^Description\0([\s\S]+)$/.exec(inside.toString('utf8'))?.[1] : undefined
    if (words !== undefined) return words
    at += 12 + length
  }
  // Eight bits each of red, green and blue, with or without transparency.
  if (header?.[8] !== 8 || (header[9] !== 2 && header[9] !== 6)) return null
  try {
    const pixels = inflateSync(Buffer.concat(data), { maxOutputLength: INFLATED_MAX_BYTES })
    return colourOf([pixels[1] ?? 0, pixels[2] ?? 0, pixels[3] ?? 0])
  } catch {
    return null
  }
}

const colourOf = (pixel: readonly number[]): string => {
  const distanceTo = (colour: readonly number[]): number =>
    Math.hypot(...colour.map((part, at) => part - pixel[at]!))
  const [name] = Object.entries(COLOURS).sort(([, one], [, other]) => distanceTo(one) - distanceTo(other))[0]!
  return `the colour ${name}`
}

const inJpeg = (bytes: Buffer): string | null => {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda; ) {
    const length = bytes.readUInt16BE(at + 2)
    if (bytes[at + 1] === 0xfe) return bytes.subarray(at + 4, at + 2 + length).toString('utf8')
    at += 2 + length
  }
  return null
}

const inGif = (bytes: Buffer): string | null => {
  const at = bytes.indexOf(Buffer.from([0x21, 0xfe]))
  return at < 0 ? null : bytes.subarray(at + 3, at + 3 + (bytes[at + 2] ?? 0)).toString('utf8')
}
