// Splits an email into text, HTML and files with mailparser, limited by head.ts and the bounds here, and with our own
// charset decoding.
import { type HeaderValue, MailParser } from 'mailparser'
import { attachmentOf } from './attachment.ts'
import { Base64Decoding } from './base64.ts'
import { TextDecoding } from './charset.ts'
import { cleanText } from './clean-text.ts'
import { unflow } from './flowed.ts'
import { type Head, headBytes } from './head.ts'
import { ATTACHMENTS_MAX, type MailAttachment } from './mail.ts'

const PIECE_BYTES = 64 * 1024
const PARTS_MAX = 600
const PART_HEAD_MAX = 64_000
/** How far to search for parts that the headers don't declare. */
const BOUNDARY_WITHIN = 64_000

export type Collected = {
  headers: Map<string, HeaderValue>
  text: string
  html: string
  attachments: MailAttachment[]
  isCut: boolean
}

const isEmpty = ({ text, html, attachments }: Collected): boolean =>
  text.trim() === '' && html === '' && attachments.length === 0

/** If the parts are not where the headers say, it searches for them; without any, the body is text. */
export const collectParts = async (head: Head, body: Buffer): Promise<Collected> => {
  const as = (contentType: string): Head => ({
    ...head,
    headers: [
      ...head.headers.filter(({ name }) => !name.startsWith('content-')),
      { name: 'content-type', value: contentType },
    ],
  })
  const first = await collect(head, body)
  if (!isEmpty(first) || body.length === 0) return first
  const beginning = body.subarray(0, BOUNDARY_WITHIN).toString('latin1')
  const boundary = /^--([^\r\n"]{1,200}?)[ \t]{0,20}\r?\n(?=content-)/im.exec(beginning)?.[1]
  const second = boundary ? await collect(as(`multipart/mixed; boundary="${boundary}"`), body) : first
  return isEmpty(second) && beginning.trim() !== '' ? collect(as('text/plain'), body) : second
}

type Part = {
  type: 'text' | 'attachment'
  text?: string
  html?: string | false
  contentType?: string
  filename?: string
  cid?: string
  content?: NodeJS.ReadableStream
  release?: () => void
}

/** Methods and events missing from the library's types. */
type Internals = {
  getDecoder: () => { decodeStream: (charset: string) => NodeJS.ReadWriteStream }
  createNode: (node: unknown) => {
    contentType?: string
    charset?: string
    encoding?: string
    decoder?: NodeJS.ReadWriteStream
    isAttachment?: boolean
    node: { flowed: boolean; delSp: boolean }
  }
  on(event: string, listener: (...args: never[]) => void): void
  once(event: string, listener: () => void): void
  read(): Part | null
  write(bytes: Buffer): boolean
  end(): void
}

/** All text goes through our own decoding, whatever charset is declared. This encodes the flow and the charset. */
const MARKED = /^x-given-(fixed|flowed|delsp)-(.*)$/s

/** The library's parser with its decoding replaced by ours. */
const makeParser = (onCut: () => void): Internals => {
  class Parser extends MailParser {
    getDecoder() {
      const own = (MailParser.prototype as unknown as Internals).getDecoder.call({ options: {} })
      const fallback = async (charset: string, bytes: Buffer): Promise<string> => {
        const stream = own.decodeStream(charset)
        stream.end(bytes)
        const chunks: string[] = []
        for await (const chunk of stream) chunks.push(chunk.toString())
        return chunks.join('')
      }
      return {
        decodeStream: (marked: string) => {
          const [, flow, charset = ''] = MARKED.exec(marked) ?? []
          return new TextDecoding(charset, {
            fallback: (bytes) => fallback(charset, bytes),
            onCut,
            ...(flow !== 'fixed' && { shape: (text) => unflow(text, flow === 'delsp') }),
          })
        },
      }
    }

    createNode(node: unknown) {
      const made = (MailParser.prototype as unknown as Internals).createNode.call(this, node)
      if (made.encoding === 'base64') {
        made.decoder = new Base64Decoding()
        // The library does the same for its own.
        made.decoder.on('end', () => {
          ;(this as unknown as { decoderEnded: boolean }).decoderEnded = true
        })
      }
      if (made.isAttachment) return made
      const { flowed, delSp } = made.node
      const flow = !flowed || made.contentType === 'text/html' ? 'fixed' : delSp ? 'delsp' : 'flowed'
      made.charset = `x-given-${flow}-${made.charset ?? ''}`
      // The library would join quoted lines to the text after them.
      made.node.flowed = false
      return made
    }
  }
  // Options and methods missing from the library's type.
  const parser = new Parser({
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    skipTextLinks: true,
    keepDeliveryStatus: true,
    ignoreEmbedded: true,
    checksumAlgo: 'md5',
    maxHeadSize: PART_HEAD_MAX,
    maxChildNodes: PARTS_MAX,
  } as never)
  return parser as unknown as Internals
}

const collect = (head: Head, body: Buffer): Promise<Collected> =>
  new Promise((resolve, reject) => {
    const collected: Collected = { headers: new Map(), text: '', html: '', attachments: [], isCut: false }
    const onCut = () => {
      collected.isCut = true
    }
    const parser = makeParser(onCut)
    let isDone = false
    const end = (error?: Error) => {
      if (isDone) return
      isDone = true
      if (error && isEmpty(collected)) return reject(error)
      if (error) onCut()
      resolve(collected)
    }
    parser.on('error', (error: Error) => end(error))
    parser.on('headers', (headers: Map<string, HeaderValue>) => {
      collected.headers = headers
    })
    let isReading = false
    const read = (): void => {
      isReading = true
      const part = parser.read()
      if (part === null) {
        isReading = false
        return
      }
      if (part.type === 'text') {
        collected.text = part.text ?? ''
        collected.html = cleanText(part.html || '')
        read()
        return
      }
      const chunks: Buffer[] = []
      const stream = part.content!
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (collected.attachments.length < ATTACHMENTS_MAX) {
          const { filename: name = '', contentType: mimeType = '', cid = null } = part
          collected.attachments.push(attachmentOf({ name, mimeType, content: Buffer.concat(chunks), cid }))
        } else onCut()
        part.release?.()
        read()
      })
    }
    parser.on('readable', () => {
      if (!isReading) read()
    })
    parser.on('end', () => end())
    // In pieces: all at once, it would be buffered in several places.
    const write = (at: number): void => {
      for (let from = at; !isDone && from < body.length; from += PIECE_BYTES)
        if (!parser.write(body.subarray(from, from + PIECE_BYTES))) {
          parser.once('drain', () => write(from + PIECE_BYTES))
          return
        }
      parser.end()
    }
    parser.write(headBytes(head))
    write(0)
  })
