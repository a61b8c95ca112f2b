// Reads the headers of a raw email within bounds, before any library sees them. An email may have a hundred thousand
// headers, one of a megabyte, or none.
import { createHash } from 'node:crypto'

export const ADDRESS_MAX = 320

/** Longer ids are replaced by their hash, because they don't fit in an index row. */
const MESSAGE_ID_MAX = 500

export const REFERENCES_MAX = 100

/** How far to search for the end of the headers. */
const HEAD_MAX = 2_000_000
const HEADERS_MAX = 5_000
const VALUE_MAX = 16_000
/** Repeated headers are kept up to this number; of headers that may occur once, only the first. */
const REPEATS_MAX = 10
const SINGLE =
  /^(?:from|sender|reply-to|subject|date|message-id|in-reply-to|return-path|mime-version|content-[a-z-]{1,40})$/

/** The headers in use; others are only in the raw email. */
const KEPT =
  /^(?:from|sender|reply-to|to|cc|delivered-to|x-original-to|envelope-to|x-envelope-to|x-forwarded-to|subject|date|message-id|in-reply-to|references|received|return-path|mime-version|content-[a-z-]{1,40}|auto-submitted|precedence|x-precedence|x-auto-response-suppress|x-auto-?repl(?:y|ied)[a-z-]{0,20}|x-autorespon[a-z-]{1,20}|x-mail-autoreply|x-mailer|x-loop|x-failed-recipients|x-cron-env|list-[a-z]{1,20}|feedback-id|authentication-results|x-ms-exchange-inbox-rules-loop|x-ms-exchange-generated-message-source|x-facebook-notify|x-github-reason|thread-index|x-apple-action|x-mlserver|x-list-administrivia|x-hmxmroriginalrecipient|x-reporter-ip)$/

export type Head = {
  /** Name in lower case, value unfolded, in the email's order. */
  headers: { name: string; value: string }[]
  /** Where the body starts. */
  bodyAt: number
  /** Whether all headers were read. */
  isWhole: boolean
}

const isUtf8 = (bytes: Buffer): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Headers should be ASCII; anything else is UTF-8 or Windows-1252. */
const decode = (latin: string): string => {
  if (!/[\x80-\xff]/.test(latin)) return latin
  const bytes = Buffer.from(latin, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes)
}

/** Old Macs ended lines with just CR, which no MIME library supports. */
export const withLineFeeds = (raw: Buffer): Buffer =>
  raw.includes(10) || !raw.includes(13)
    ? raw
    : Buffer.from(raw.toString('latin1').replaceAll('\r', '\n'), 'latin1')

export const readHead = (raw: Buffer): Head => {
  const latin = raw.subarray(0, HEAD_MAX).toString('latin1')
  const headers: Head['headers'] = []
  const counts = new Map<string, number>()
  let at = 0
  // A byte order mark left by an editor.
  if (latin.startsWith('\xef\xbb\xbf')) at = 3
  // The separator of an mbox file, and blank lines left by manual copying.
  while (latin[at] === '\n' || latin[at] === '\r') at++
  let name = ''
  let parts: string[] = []
  let length = 0
  let seen = 0
  const finish = () => {
    if (!KEPT.test(name)) return
    const count = counts.get(name) ?? 0
    const isSingle = SINGLE.test(name)
    if (isSingle && parts.join('').trim() === '') return
    if (count >= (isSingle ? 1 : REPEATS_MAX)) return
    counts.set(name, count + 1)
    headers.push({ name, value: decode(parts.join(' ')).replaceAll('\0', '').toWellFormed().trim() })
  }
  while (at < latin.length) {
    let end = latin.indexOf('\n', at)
    // Old Macs ended lines with just CR.
    if (end === -1 || end - at > VALUE_MAX) {
      const cr = latin.indexOf('\r', at)
      if (cr !== -1 && (end === -1 || cr < end - 1)) end = cr
    }
    const next = end === -1 ? latin.length : end + 1
    let line = latin.slice(at, Math.min(end === -1 ? latin.length : end, at + VALUE_MAX))
    if (line.endsWith('\r')) line = line.slice(0, -1)
    if (line === '') {
      finish()
      return { headers, bodyAt: next, isWhole: true }
    }
    if (/^[ \t]/.test(line)) {
      if (length < VALUE_MAX) parts.push(line.trim())
      length += line.length
    } else {
      const colon = line.indexOf(':')
      const given = colon > 0 ? line.slice(0, colon).trimEnd() : ''
      if (colon > 0 && colon < 200 && /^[\x21-\x39\x3b-\x7e]+$/.test(given)) {
        finish()
        name = given.toLowerCase()
        parts = [line.slice(colon + 1).trim()]
        length = line.length
        if (++seen > HEADERS_MAX) return { headers, bodyAt: findBody(latin, at), isWhole: false }
      } else if (!(headers.length === 0 && name === '' && line.startsWith('From '))) {
        // Neither a header nor a continuation: the body started without a blank line, unless more headers follow.
        if ((name !== '' || line.length > 0) && !goesOn(latin, next)) {
          finish()
          return { headers, bodyAt: at, isWhole: true }
        }
      }
    }
    at = next
  }
  finish()
  return { headers, bodyAt: Math.min(raw.length, at), isWhole: raw.length <= HEAD_MAX }
}

/** Other headers that body text is unlikely to start with. */
const UNMISTAKABLE = /^(?:x-[a-z-]{1,60}|arc-[a-z-]{1,40}|dkim-signature|received-spf|user-agent)$/
/** Consecutive lines among the headers that may be malformed. */
const MALFORMED_MAX = 3

/** Whether one of the next lines is certainly a header and the headers have an end. */
const goesOn = (latin: string, from: number): boolean => {
  let at = from
  for (let count = 0; count < MALFORMED_MAX; count++) {
    const end = latin.indexOf('\n', at)
    if (end === -1) return false
    const line = latin.slice(at, Math.min(end, at + 200)).replace(/\r$/, '')
    if (line === '') return false
    const name = /^([\x21-\x39\x3b-\x7e]{1,80}):/.exec(line)?.[1]?.toLowerCase()
    if (name !== undefined && (KEPT.test(name) || UNMISTAKABLE.test(name)))
      return findBody(latin, end) < latin.length
    at = end + 1
  }
  return false
}

const findBody = (latin: string, from: number): number => {
  const found = /\r?\n\r?\n/g
  found.lastIndex = from
  return found.exec(latin) ? found.lastIndex : latin.length
}

export const headerOf = ({ headers }: Head, name: string): string =>
  headers.find((one) => one.name === name && one.value !== '')?.value ?? ''

export const headersOf = ({ headers }: Head, name: string): string[] =>
  headers.filter((one) => one.name === name).map(({ value }) => value)

const ID = /<\s*([^<>\s]{1,2000})\s*>/g
/** An id whose brackets were forgotten. */
const BARE_ID = /[^\s<>,;"()]{1,2000}@[^\s<>,;"()]{1,500}/g

const bounded = (id: string): string =>
  id.length <= MESSAGE_ID_MAX ? `<${id}>` : `<${createHash('sha256').update(id).digest('hex')}@long.invalid>`

/** The distinct ids in a header, in order. */
export const messageIdsIn = (value: string): string[] => {
  const found = [...value.matchAll(ID)].map(([, id]) => id!)
  const ids = found.length > 0 ? found : (value.match(BARE_ID) ?? [])
  const unique = [...new Set(ids.map(bounded))]
  // Replies are matched by the start and the end of a thread.
  return unique.length <= REFERENCES_MAX
    ? unique
    : [...unique.slice(0, 10), ...unique.slice(unique.length - (REFERENCES_MAX - 10))]
}

/** The email's own id; if it has none, one derived from what doesn't change in transit. */
export const messageIdOf = (head: Head, raw: Buffer): string => {
  const [own] = messageIdsIn(headerOf(head, 'message-id'))
  if (own) return own
  const hash = createHash('sha256')
  for (const name of ['date', 'from', 'to', 'subject']) hash.update(`${name}:${headerOf(head, name)}\n`)
  hash.update(raw.subarray(head.bodyAt))
  return `<${hash.digest('hex')}@missing.invalid>`
}

/** Addresses in a trace header. */
export const addressesIn = (value: string): string[] =>
  (value.match(/[^\s<>,;:"()]{1,200}@[^\s<>,;:"()]{1,200}/g) ?? [])
    .map((address) => address.toLowerCase())
    .filter((address) => address.length <= ADDRESS_MAX)

/** The recipients in Received headers: "Received: from a by b for <x@example.com>; date". */
export const receivedFor = (head: Head): string[] =>
  headersOf(head, 'received').flatMap((value) =>
    addressesIn(/\sfor\s{1,10}(<?[^\s<>;]{1,400})/i.exec(value)?.[1] ?? ''),
  )

/** The headers rebuilt for a library: only those that were kept, one line each. */
export const headBytes = ({ headers }: Head): Buffer =>
  Buffer.from(
    `${headers.map(({ name, value }) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}`).join('\r\n')}\r\n\r\n`,
  )
