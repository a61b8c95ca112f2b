// Reads one raw mail with mailparser, inside what head.ts and the bounds below leave of it. Runs in a worker thread
// (parse.ts), because neither a library nor a pattern is proof against every mail.
import { type HeaderValue, MailParser } from 'mailparser'
import { authenticationOf, automaticOf } from './automatic.ts'
import { bounceOf } from './bounce.ts'
import { TextDecoding } from './charset.ts'
import { unflow } from './flowed.ts'
import {
  addressesIn,
  type Head,
  headBytes,
  headerOf,
  headersOf,
  messageIdOf,
  messageIdsIn,
  readHead,
  receivedFor,
  withLineFeeds,
} from './head.ts'
import { htmlToText } from './html-text.ts'
import {
  ADDRESS_MAX,
  ADDRESSES_MAX,
  ATTACHMENTS_MAX,
  type MailAddress,
  type MailAttachment,
  NAME_MAX,
  type ParsedMail,
  SUBJECT_MAX,
  TEXT_MAX,
} from './mail.ts'
import { splitQuotes } from './quotes.ts'
import { HTML_MAX, sanitizeMailHtml } from './sanitize.ts'

const PIECE_BYTES = 64 * 1024
const PARTS_MAX = 600
const PART_HEAD_MAX = 64_000
const PARTS_OF_REPORT =
  /^(?:message\/(?:delivery-status|global-delivery-status|rfc822|global|global-headers)|text\/rfc822-headers)$/

/** From this size on a mail is read from its beginning first. */
const LARGE_BYTES = 1_000_000
const BEGINNING_BYTES = 200_000
/** HTML that takes longer to make safe than to do without. */
const LARGE_HTML = 100_000

/**
 * Reads a mail. `onEarly` gets what is known of a large one before the rest of the work begins, without its files: whoever
 * cannot wait for the rest has that.
 */
export const readMail = async (given: Buffer, onEarly?: (mail: ParsedMail) => void): Promise<ParsedMail> => {
  const raw = withLineFeeds(given)
  const head = readHead(raw)
  const messageId = messageIdOf(head, raw)
  const body = raw.subarray(head.bodyAt)
  if (onEarly && body.length > LARGE_BYTES) {
    const beginning = await collectSomething(head, body.subarray(0, BEGINNING_BYTES))
    onEarly(describe({ raw, head, messageId, parts: { ...beginning, isCut: true }, withHtml: false }))
  }
  const parts = await collectSomething(head, body)
  if (onEarly && parts.html.length > LARGE_HTML)
    onEarly(describe({ raw, head, messageId, parts: { ...parts, isCut: true }, withHtml: false }))
  return describe({ raw, head, messageId, parts, withHtml: true })
}

type Read = { raw: Buffer; head: Head; messageId: string; parts: Collected; withHtml: boolean }

const describe = ({ raw, head, messageId, parts, withHtml }: Read): ParsedMail => {
  const subject = clean(textHeader(parts.headers, 'subject') || headerOf(head, 'subject'))
  const [from = null] = ['from', 'sender', 'reply-to', 'return-path'].flatMap((name) =>
    addressesOf(parts.headers, name),
  )
  const safe = withHtml && parts.html ? sanitizeMailHtml(parts.html) : null
  const plain = cleanText(parts.text.trim() === '' && !withHtml ? stripTags(parts.html) : parts.text)
  const spoken = safe ? htmlToText(safe.html) : null
  const text = plain.trim() !== '' ? plain : cleanText(spoken?.text ?? '')
  const { attachments } = parts
  return {
    messageId,
    inReplyTo: messageIdsIn(headerOf(head, 'in-reply-to')).slice(0, 10),
    references: messageIdsIn(headersOf(head, 'references').join(' ')),
    from,
    replyTo: addressesOf(parts.headers, 'reply-to')[0] ?? null,
    to: addressesOf(parts.headers, 'to'),
    cc: addressesOf(parts.headers, 'cc'),
    deliveredTo: deliveredTo(head),
    subject: subject.slice(0, SUBJECT_MAX).toWellFormed(),
    date: dateOf(headerOf(head, 'date')),
    text: text.slice(0, TEXT_MAX).toWellFormed(),
    visible: visibleOf(plain, spoken, subject).slice(0, TEXT_MAX).toWellFormed(),
    html: safe?.html.toWellFormed() ?? null,
    attachments: withHtml ? attachments : [],
    automatic: automaticOf(head, from?.address ?? null),
    loops: headersOf(head, 'x-loop').slice(0, 5),
    bounce: bounceOf({
      head,
      raw,
      messageId,
      from: `${from?.address ?? ''} ${from?.name ?? ''}`.trim(),
      text,
      deliveryStatus: contentOf(attachments, /delivery-status$/),
      enclosed: attachments
        .filter(({ mimeType }) => PARTS_OF_REPORT.test(mimeType) && !/delivery-status$/.test(mimeType))
        .slice(0, 5)
        .map(({ content }) => content.subarray(0, 200_000).toString('latin1')),
    }),
    authentication: authenticationOf(head),
    isWhole: head.isWhole && !parts.isCut && !safe?.isCut && text.length <= TEXT_MAX,
  }
}

/** Words of HTML that there is no time to read as such. */
const stripTags = (html: string): string =>
  html
    .slice(0, HTML_MAX)
    .replace(/<(?:style|script|head)\b[\s\S]{0,200000}?<\/(?:style|script|head)\s?>/gi, ' ')
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replace(/\s{2,}/g, ' ')

const isEmpty = ({ text, html, attachments }: Collected): boolean =>
  text.trim() === '' && html === '' && attachments.length === 0

/** Where the parts are not where the head says, they are looked for; where there are none, the body is text. */
const collectSomething = async (head: Head, body: Buffer): Promise<Collected> => {
  const as = (contentType: string): Head => ({
    ...head,
    headers: [
      ...head.headers.filter(({ name }) => !name.startsWith('content-')),
      { name: 'content-type', value: contentType },
    ],
  })
  const first = await collect(head, body)
  if (!isEmpty(first) || body.length === 0) return first
  const beginning = body.subarray(0, 64_000).toString('latin1')
  const boundary = /^--([^\r\n"]{1,200}?)[ \t]{0,20}\r?\n(?=content-)/im.exec(beginning)?.[1]
  const second = boundary ? await collect(as(`multipart/mixed; boundary="${boundary}"`), body) : first
  return isEmpty(second) && beginning.trim() !== '' ? collect(as('text/plain'), body) : second
}

const contentOf = (attachments: readonly MailAttachment[], mimeType: RegExp): string | null => {
  const found = attachments.find((one) => mimeType.test(one.mimeType))
  return found ? found.content.subarray(0, 200_000).toString('utf8') : null
}

/**
 * The text part's own words, unless only the HTML says what is a quote. What the HTML leaves is looked over again: some
 * programs write the line above a quote outside of it.
 */
const visibleOf = (plain: string, spoken: ReturnType<typeof htmlToText> | null, subject: string): string => {
  const hasPlain = plain.trim() !== ''
  const fromPlain = splitQuotes(hasPlain ? plain : (spoken?.text ?? ''), subject)
  if (!spoken?.hasQuote || (hasPlain && fromPlain.hasQuote)) return fromPlain.visible
  // Forwarded mail stands in a quote's clothes.
  if (
    /^\s*(?:-{2,}\s*)?\S{0,30}\s?(?:forwarded message|weitergeleitet|transf)/im.test(quoteStart(spoken)) ||
    spoken.outside === ''
  )
    return fromPlain.visible
  return splitQuotes(spoken.outside, subject).visible
}

const quoteStart = ({ text, outside }: { text: string; outside: string }): string =>
  text.startsWith(outside) ? text.slice(outside.length, outside.length + 300).trimStart() : ''

const clean = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim()

const cleanText = (text: string): string =>
  text
    .slice(0, TEXT_MAX * 2)
    .replaceAll('\0', '')
    .toWellFormed()

/** Marks of direction and characters without width make a name look like another one. */
const cleanName = (name: string): string =>
  clean(name)
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u00ad\ufff9-\ufffb]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^["'\s]+|["'\s]+$/g, '')
    .slice(0, NAME_MAX)
    .toWellFormed()

const dateOf = (value: string): Date | null => {
  const date = new Date(value.slice(0, 100))
  return Number.isNaN(date.getTime()) || date.getTime() < 0 || date.getUTCFullYear() > 9999 ? null : date
}

const textHeader = (headers: Map<string, HeaderValue>, name: string): string => {
  const value = headers.get(name)
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}

type Address = { name?: string; address?: string; group?: Address[] }

/** One @, something on either side, nothing that could end a header or a field. */
const ADDRESS = /^[^\s\p{Cc}<>(),;:"[\]\\@]{1,64}@[^\s\p{Cc}<>(),;:"[\]\\@]{1,255}$/u

const addressesOf = (headers: Map<string, HeaderValue>, name: string): MailAddress[] => {
  const given = [headers.get(name) ?? []].flat() as { value?: Address[] }[]
  const found: MailAddress[] = []
  const take = (addresses: readonly Address[]): void => {
    for (const one of addresses) {
      if (found.length >= ADDRESSES_MAX) return
      if (one.group) take(one.group)
      const address = (one.address ?? '').normalize('NFC').trim().toLowerCase()
      if (address.length <= ADDRESS_MAX && ADDRESS.test(address))
        found.push({ name: cleanName(one.name ?? ''), address: address.toWellFormed() })
    }
  }
  for (const { value } of given) take(value ?? [])
  return found
}

const RECIPIENTS = [
  'to',
  'cc',
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'x-forwarded-to',
]

const deliveredTo = (head: Head): string[] =>
  [
    ...new Set([
      ...receivedFor(head),
      ...RECIPIENTS.flatMap((name) => headersOf(head, name).flatMap(addressesIn)),
    ]),
  ].slice(0, ADDRESSES_MAX)

type Collected = {
  headers: Map<string, HeaderValue>
  text: string
  html: string
  attachments: MailAttachment[]
  isCut: boolean
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

type Internals = {
  getDecoder: () => { decodeStream: (charset: string) => NodeJS.ReadWriteStream }
  createNode: (node: unknown) => {
    contentType?: string
    charset?: string
    isAttachment?: boolean
    node: { flowed: boolean; delSp: boolean }
  }
}

/** Every text goes through our own decoding, whatever charset it says or does not say: how it flows, and what it says. */
const MARKED = /^x-given-(fixed|flowed|delsp)-(.*)$/s

const collect = (head: Head, body: Buffer): Promise<Collected> =>
  new Promise((resolve, reject) => {
    const collected: Collected = { headers: new Map(), text: '', html: '', attachments: [], isCut: false }
    const onCut = () => {
      collected.isCut = true
    }
    class Parser extends MailParser {
      getDecoder() {
        // The library's own way to a charset is a method that its types leave out.
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
        if (made.isAttachment) return made
        const { flowed, delSp } = made.node
        const flow = !flowed || made.contentType === 'text/html' ? 'fixed' : delSp ? 'delsp' : 'flowed'
        made.charset = `x-given-${flow}-${made.charset ?? ''}`
        // The library's own joins the lines of quotes to what follows them.
        made.node.flowed = false
        return made
      }
    }
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
    let isDone = false
    const end = (error?: Error) => {
      if (isDone) return
      isDone = true
      if (error && collected.text === '' && collected.html === '' && collected.attachments.length === 0)
        reject(error)
      else {
        if (error) onCut()
        resolve(collected)
      }
    }
    const internal = parser as unknown as {
      on(event: string, listener: (...args: never[]) => void): void
      read(): Part | null
      once(event: string, listener: () => void): void
      end(): void
      write(bytes: Buffer): boolean
    }
    internal.on('error', (error: Error) => end(error))
    internal.on('headers', (headers: Map<string, HeaderValue>) => {
      collected.headers = headers
    })
    let isReading = false
    const read = (): void => {
      isReading = true
      const part = internal.read()
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
          collected.attachments.push({
            name: nameOf(part),
            mimeType: (
              /^[\w.+-]{1,60}\/[\w.+-]{1,80}/.exec(part.contentType ?? '')?.[0] ?? 'application/octet-stream'
            ).toLowerCase(),
            content: Buffer.concat(chunks),
            cid: part.cid ? part.cid.slice(0, NAME_MAX) : null,
          })
        } else onCut()
        part.release?.()
        read()
      })
    }
    internal.on('readable', () => {
      if (!isReading) read()
    })
    internal.on('end', () => end())
    // In pieces: given at once, all of it would be waiting in several places at the same time.
    const write = (at: number): void => {
      for (let from = at; !isDone && from < body.length; from += PIECE_BYTES)
        if (!internal.write(body.subarray(from, from + PIECE_BYTES))) {
          internal.once('drain', () => write(from + PIECE_BYTES))
          return
        }
      internal.end()
    }
    internal.write(headBytes(head))
    write(0)
  })

const EXTENSIONS: Record<string, string> = {
  'message/rfc822': 'message.eml',
  'message/delivery-status': 'delivery-status.txt',
  'text/calendar': 'invitation.ics',
  'application/ms-tnef': 'winmail.dat',
  'text/rfc822-headers': 'headers.txt',
}

/** A name alone: no path, nothing invisible, nothing that turns the direction of writing. */
const nameOf = ({ filename, contentType = '' }: Part): string => {
  const name = cleanName((filename ?? '').normalize('NFC'))
    .replace(/^.*[/\\]/, '')
    .replace(/^\.+/, '')
    .trim()
  return name || EXTENSIONS[contentType.toLowerCase()] || 'attachment'
}
