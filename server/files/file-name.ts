// Names and types of files, which come from strangers: made harmless before they are kept, and again where they are shown.

const NAME_MAX = 255
const FALLBACK_NAME = 'file'
const FALLBACK_TYPE = 'application/octet-stream'
/** Control, format (zero-width, bidi), surrogate and private characters, and what separates lines and paragraphs. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu
const MIME_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

/** The last part of a path, in its plain form, without what nobody sees and without a dot in front. Never empty. */
export const cleanFileName = (given: string, fallback = FALLBACK_NAME): string => {
  const last = given.normalize('NFKC').replace(INVISIBLE, '').split(/[/\\]/).at(-1) ?? ''
  // Windows cuts dots and spaces off the end, and takes what is after a colon for a stream.
  const name = last
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return shortened(name) || fallback
}

/** Keeps the ending, by which systems know what a file is. */
const shortened = (name: string): string => {
  const characters = [...name]
  if (characters.length <= NAME_MAX) return name
  const ending = /\.[\p{L}\p{N}]{1,12}$/u.exec(name)?.[0] ?? ''
  return characters.slice(0, NAME_MAX - ending.length).join('') + ending
}

/** Lower case, without parameters; what is no type is any bytes. */
export const cleanMimeType = (given: string | null | undefined): string => {
  const plain = (given ?? '').split(';', 1)[0]!.trim().toLowerCase()
  return MIME_PATTERN.test(plain) ? plain : FALLBACK_TYPE
}

/** Of files that come without a name of their own, as pictures do on phones. */
const ENDINGS: Record<string, string> = {
  'application/pdf': 'pdf',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'video/3gpp': '3gp',
  'video/mp4': 'mp4',
}

/** The name with an ending that says what it is, where it has none. */
export const withEnding = (name: string, mimeType: string): string => {
  const ending = ENDINGS[cleanMimeType(mimeType)]
  return ending && !/\.[\p{L}\p{N}]{1,12}$/u.test(name) ? `${name}.${ending}` : name
}

/** What an attachment is, by the type of its content. */
export const kindOf = (mimeType: string): 'image' | 'audio' | 'video' | 'file' => {
  const [family] = cleanMimeType(mimeType).split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file'
}
