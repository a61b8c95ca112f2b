// Which attachments are shown as pictures, and how files are called.
import type { Attachment } from '../../state/types.ts'
import { t } from '../../words/t.ts'

/** Image types that browsers display without running scripts; the server serves everything else as a download. */
const SHOWN_IMAGES = /^image\/(png|jpeg|gif|webp|avif)$/

export const isPicture = ({ type, mimeType }: Attachment): boolean =>
  (type === 'image' || type === 'sticker') && SHOWN_IMAGES.test(mimeType)

/** Removes control characters that change the text direction, so a name can't disguise its extension. */
export const plainName = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  name.replace(/[\u0000-\u001f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '') || t`File`
