// An uploaded file as the texts of articles.
import { ARTICLE_MAX } from '../../schema.ts'
import { decodeText } from './decode-text.ts'
import { Unreadable } from './problem.ts'
import { readCsv } from './read-csv.ts'
import { readDocx } from './read-docx.ts'
import { readPdf } from './read-pdf.ts'
import { escapeMarkdown, stripInvisible } from './to-markdown.ts'

export type FileTask = { job: 'file'; name: string; bytes: Uint8Array }
/** As many as the text needs, because an article's length is limited. */
export type FileTexts = { texts: string[] }

const TEXTS_MAX = 20

const plainText = (bytes: Buffer): string => {
  if (bytes.subarray(0, 8_192).includes(0) && !/^(\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2)))
    throw new Unreadable('FILE_DAMAGED', 'The file isn’t text. Check what its name ends with.')
  return stripInvisible(decodeText(bytes, null))
}

/** By the ending of the name; each reader checks what the file really is. */
const READERS: Record<string, (bytes: Buffer) => string | Promise<string>> = {
  pdf: readPdf,
  docx: readDocx,
  md: plainText,
  txt: (bytes) => escapeMarkdown(plainText(bytes)),
  csv: (bytes) => readCsv(plainText(bytes)),
}

/** Ends each part at a paragraph if it can, or else at a line, or anywhere. */
const split = (text: string): string[] => {
  const parts: string[] = []
  let rest = text.trim()
  while (rest.length > ARTICLE_MAX) {
    const start = rest.slice(0, ARTICLE_MAX)
    const at =
      [start.lastIndexOf('\n\n'), start.lastIndexOf('\n')].find((end) => end > ARTICLE_MAX / 2) ?? ARTICLE_MAX
    parts.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return [...parts, rest]
}

/** Throws Unreadable. */
export const readFile = async ({ name, bytes }: FileTask): Promise<FileTexts> => {
  const read = READERS[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]
  if (!read)
    throw new Unreadable('FILE_UNSUPPORTED', 'Only .pdf, .docx, .md, .txt and .csv files can be read.')
  // A copy in this thread's memory arrives as plain bytes.
  const text = await read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (text.trim() === '')
    throw new Unreadable(
      'FILE_EMPTY',
      'The file has no text. If it’s a scan, run text recognition (OCR) first.',
    )
  const texts = split(text)
  if (texts.length > TEXTS_MAX)
    throw new Unreadable('FILE_TOO_LARGE', 'The file has more than 2 million characters of text. Split it.')
  return { texts }
}
