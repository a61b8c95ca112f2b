import { getDocumentProxy } from 'unpdf'
import { Unreadable } from './problem.ts'
import { escapeMarkdown, stripInvisible } from './to-markdown.ts'

const PAGES_MAX = 1_000
const CHARS_MAX = 4_000_000

/** Text with the end of its line, as the library gives it. */
type Piece = { str?: string; hasEOL?: boolean }

const open = async (bytes: Buffer) => {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      disableFontFace: true,
      useSystemFonts: false,
      enableXfa: false,
      stopAtErrors: false,
      maxImageSize: 1,
      verbosity: 0,
    })
  } catch (error) {
    if ((error as Error).name === 'PasswordException')
      throw new Unreadable(
        'FILE_ENCRYPTED',
        'The file is protected by a password. Remove it and upload the file again.',
      )
    throw new Unreadable(
      'FILE_DAMAGED',
      'The file isn’t a PDF that can be read. Save it again and upload the new copy.',
    )
  }
}

const linesOf = (pieces: readonly Piece[]): string =>
  pieces.map(({ str = '', hasEOL = false }) => str + (hasEOL ? '\n' : '')).join('')

/** The text of each page, as Markdown. Scripts, forms, annotations and images are not read. Throws Unreadable. */
export const readPdf = async (bytes: Buffer): Promise<string> => {
  const document = await open(bytes)
  if (document.numPages > PAGES_MAX)
    throw new Unreadable(
      'FILE_TOO_LARGE',
      `The file has ${document.numPages.toLocaleString('en')} pages, and at most 1,000 can be read. Split it.`,
    )
  const pages: string[] = []
  let length = 0
  for (let number = 1; number <= document.numPages && length <= CHARS_MAX; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    // Each item is text or a mark, which has none.
    const text = escapeMarkdown(stripInvisible(linesOf(items as Piece[])).trim())
    page.cleanup()
    length += text.length
    pages.push(text)
  }
  return pages.filter(Boolean).join('\n\n')
}
