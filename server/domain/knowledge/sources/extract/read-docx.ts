import mammoth from 'mammoth'
import { checkZip } from './check-zip.ts'
import { parseHtml } from './parse-html.ts'
import { Unreadable } from './problem.ts'
import { toMarkdown } from './to-markdown.ts'

const OLDER_FORMAT = Buffer.from('d0cf11e0', 'hex')

/** A Word document as Markdown. Throws Unreadable. */
export const readDocx = async (bytes: Buffer): Promise<string> => {
  // Word encrypts a document into a container of an older format.
  if (bytes.subarray(0, 4).equals(OLDER_FORMAT))
    throw new Unreadable(
      'FILE_ENCRYPTED',
      'The file is protected by a password, or in the format of Word 2003. Save it as .docx without a password.',
    )
  checkZip(bytes)
  const html = await mammoth
    .convertToHtml(
      { buffer: bytes },
      { convertImage: mammoth.images.imgElement(async () => ({ src: '' })), externalFileAccess: false },
    )
    .catch(() => {
      throw new Unreadable(
        'FILE_DAMAGED',
        'The file isn’t a Word document. Save it as .docx and upload it again.',
      )
    })
  const { body } = parseHtml(html.value)
  return body ? toMarkdown(body) : ''
}
