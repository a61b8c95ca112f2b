// Names and types of files come from untrusted senders: they are sanitised before they are stored and again before
// they are shown.

const NAME_MAX = 255
const FALLBACK_NAME = 'file'
const FALLBACK_TYPE = 'application/octet-stream'
/** Control, format (zero-width, bidi), surrogate and private-use characters, and line and paragraph separators. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu
const MIME_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

/** The last part of a path, normalised, without invisible characters or a leading dot. Never empty. */
export const cleanFileName = (given: string, fallback = FALLBACK_NAME): string => {
  const last = given.normalize('NFKC').replace(INVISIBLE, '').split(/[/\\]/).at(-1) ?? ''
  // Windows strips trailing dots and spaces, and treats what follows a colon as a stream name.
  const name = last
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|(?<![. ])[. ]+$/g, '')
  return shortened(name) || fallback
}

/** Keeps the extension, which systems use to tell the file type. */
const shortened = (name: string): string => {
  const characters = [...name]
  if (characters.length <= NAME_MAX) return name
  const ending = /\.[\p{L}\p{N}]{1,12}$/u.exec(name)?.[0] ?? ''
  return characters.slice(0, NAME_MAX - ending.length).join('') + ending
}

/** Lower case, without parameters; an invalid type becomes application/octet-stream. */
export const cleanMimeType = (given: string | null | undefined): string => {
  const plain = (given ?? '').split(';', 1)[0]!.trim().toLowerCase()
  return MIME_PATTERN.test(plain) ? plain : FALLBACK_TYPE
}

/** For files that have no name of their own, such as photos from phones. */
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

/** Adds an extension for the type if the name has none. */
export const withEnding = (name: string, mimeType: string): string => {
  const ending = ENDINGS[cleanMimeType(mimeType)]
  return ending && !/\.[\p{L}\p{N}]{1,12}$/u.test(name) ? `${name}.${ending}` : name
}

/** The kind of attachment, from its content type. */
export const kindOf = (mimeType: string): 'image' | 'audio' | 'video' | 'file' => {
  const [family] = cleanMimeType(mimeType).split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file'
}
