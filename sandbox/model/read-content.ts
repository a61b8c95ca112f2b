// What a user says, in words and pictures. A picture becomes words for what it shows: the models that see nothing else.
import { objectOf } from '../http.ts'
import type { Wire } from './exchange.ts'
import { readText } from './read-tools.ts'
import { isBad } from './refuse.ts'
import { PICTURE_MAX_BYTES, seePicture } from './see-picture.ts'

const PICTURES_MAX = 20
const DATA_URL = /^data:([a-z]+\/[a-z]+);base64,([A-Za-z0-9+/]+={0,2})$/

/** The types of parts that are text. */
export const readSaid = (wire: Wire, where: string, content: unknown, types: readonly string[]): string => {
  if (!Array.isArray(content)) return readText(wire, where, content, types)
  const pictures = content.filter((part) => isPicture(objectOf(part)))
  if (pictures.length > PICTURES_MAX) throw isBad(wire, `Too many images: at most ${PICTURES_MAX}.`, where)
  return content
    .map((part, at) =>
      isPicture(objectOf(part))
        ? readPicture(wire, `${where}[${at}]`, objectOf(part))
        : readText(wire, where, [part], types),
    )
    .join('\n')
}

/** As each protocol calls it. */
const TYPES: Record<Wire, string> = { chat: 'image_url', responses: 'input_image', messages: 'image' }

const isPicture = ({ type }: Record<string, unknown>): boolean =>
  Object.values(TYPES).some((one) => one === type)

export const hasPictures = (body: unknown): boolean =>
  Object.values(TYPES).some((type) => JSON.stringify(body).includes(`"type":"${type}"`))

export const readPicture = (wire: Wire, where: string, part: Record<string, unknown>): string => {
  if (part.type !== TYPES[wire]) throw isBad(wire, `Invalid value: '${part.type}'.`, where, 'invalid_value')
  const { mimeType, data } = sourceOf(wire, where, part)
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > PICTURE_MAX_BYTES) throw isBad(wire, `${where}: image exceeds 5 MB maximum`, where)
  const seen = seePicture(bytes)
  if (!seen) throw isBad(wire, `${where}: Could not process image`, where, 'invalid_image')
  if (seen.mimeType !== mimeType)
    throw isBad(wire, `${where}: the image was specified as ${mimeType} but appears to be ${seen.mimeType}`)
  return `[picture: ${seen.shows}]`
}

const sourceOf = (
  wire: Wire,
  where: string,
  part: Record<string, unknown>,
): { mimeType: string; data: string } => {
  if (wire === 'messages') {
    const { type, media_type: mimeType, data } = objectOf(part.source)
    if (type === 'base64' && typeof mimeType === 'string' && typeof data === 'string')
      return { mimeType, data }
    throw isBad(wire, `${where}.source: Field required`)
  }
  const url = wire === 'chat' ? objectOf(part.image_url).url : part.image_url
  const [, mimeType, data] = DATA_URL.exec(String(url)) ?? []
  if (mimeType === undefined || data === undefined)
    throw isBad(wire, 'Invalid image URL: the sandbox only takes data URLs.', where, 'invalid_image_url')
  return { mimeType, data }
}

/** What the picture that was shown last shows. */
export const shownIn = (text: string): string | undefined =>
  [...text.matchAll(/\[picture: ([^\]]*)\]/g)].at(-1)?.[1]
