// What visitors may send: by the ending of the name, because browsers guess the type by it too. No archives, nothing that
// runs, and no markup.
export const VISITOR_FILE_MAX_BYTES = 10 * 1024 * 1024

const TYPES: Record<string, string> = {
  avif: 'image/avif',
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  heic: 'image/heic',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  m4a: 'audio/mp4',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  ogg: 'audio/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  txt: 'text/plain',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The same as in widget/file-rules.ts; a test compares them. */
export const VISITOR_FILE_ENDINGS = Object.keys(TYPES)

/** Undefined: not allowed. */
export const visitorFileType = (name: string): string | undefined => {
  const ending = /\.([A-Za-z0-9]{1,5})$/.exec(name.trim())?.[1]?.toLowerCase()
  return ending !== undefined && Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined
}

const startsWith =
  (...bytes: number[]) =>
  (start: Buffer) =>
    start.subarray(0, bytes.length).equals(Buffer.from(bytes))
const hasAt = (at: number, text: string) => (start: Buffer) =>
  start.toString('latin1', at, at + text.length) === text

/** How files that are shown in the page begin. */
const BEGINNINGS: Record<string, (start: Buffer) => boolean> = {
  'image/avif': hasAt(4, 'ftyp'),
  'image/gif': hasAt(0, 'GIF8'),
  'image/heic': hasAt(4, 'ftyp'),
  'image/jpeg': startsWith(0xff, 0xd8, 0xff),
  'image/png': startsWith(0x89, 0x50, 0x4e, 0x47),
  'image/webp': (start) => hasAt(0, 'RIFF')(start) && hasAt(8, 'WEBP')(start),
  'application/pdf': (start) => start.includes('%PDF-'),
}

/** Whether a file begins as its name says; unknown types always do. */
export const beginsAs = (mimeType: string, start: Buffer): boolean => BEGINNINGS[mimeType]?.(start) ?? true
