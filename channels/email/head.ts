// Reads the head of a raw mail: which lines there are, bounded, before any library sees them. A mail may have a hundred
// thousand headers, one of a megabyte, or none.
import { createHash } from 'node:crypto'
import { ADDRESS_MAX, MESSAGE_ID_MAX, REFERENCES_MAX } from './mail.ts'

/** What is looked at for the end of the head. */
const HEAD_MAX = 2_000_000
const HEADERS_MAX = 5_000
const VALUE_MAX = 16_000
/** Of each name that is kept, the first so many; of one that may occur once, the first. */
const REPEATS_MAX = 10
const SINGLE =
  /^(?:from|sender|reply-to|subject|date|message-id|in-reply-to|return-path|mime-version|content-[a-z-]{1,40})$/

/** What anything here asks for; the rest stays with the raw mail. */
const KEPT =
  /^(?:from|sender|reply-to|to|cc|delivered-to|x-original-to|envelope-to|x-envelope-to|x-forwarded-to|subject|date|message-id|in-reply-to|references|received|return-path|mime-version|content-[a-z-]{1,40}|auto-submitted|precedence|x-precedence|x-auto-response-suppress|x-auto-?repl(?:y|ied)[a-z-]{0,20}|x-autorespon[a-z-]{1,20}|x-mail-autoreply|x-mailer|x-loop|x-failed-recipients|x-cron-env|list-[a-z]{1,20}|feedback-id|authentication-results|x-ms-exchange-inbox-rules-loop|x-ms-exchange-generated-message-source|x-facebook-notify|x-github-reason|thread-index)$/

export type Head = {
  /** Name in lower case, value unfolded, in the order of the mail. */
  headers: { name: string; value: string }[]
  /** Where the body begins. */
  bodyAt: number
  /** Whether everything that looks like a header was read. */
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

/** Bytes beyond ASCII have no place in a header; where they are, they are UTF-8 or the Windows of the West. */
const decode = (latin: string): string => {
  if (!/[\x80-\xff]/.test(latin)) return latin
  const bytes = Buffer.from(latin, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes)
}

/** The oldest Macs ended lines with CR alone, which no MIME library reads. */
export const withLineFeeds = (raw: Buffer): Buffer =>
  raw.includes(10) || !raw.includes(13)
    ? raw
    : Buffer.from(raw.toString('latin1').replaceAll('\r', '\n'), 'latin1')

export const readHead = (raw: Buffer): Head => {
  const latin = raw.subarray(0, HEAD_MAX).toString('latin1')
  const headers: Head['headers'] = []
  const counts = new Map<string, number>()
  let at = 0
  // An mbox file's own line, and blank lines that a copy by hand left in front.
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
    // The oldest Macs ended lines with CR alone.
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
        // No header, no continuation: the body began without a blank line.
        if (name !== '' || line.length > 0) {
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
/** What may stand for an id where somebody forgot the brackets. */
const BARE_ID = /[^\s<>,;"()]{1,2000}@[^\s<>,;"()]{1,500}/g

const bounded = (id: string): string =>
  id.length <= MESSAGE_ID_MAX ? `<${id}>` : `<${createHash('sha256').update(id).digest('hex')}@long.invalid>`

/** The ids in a header, in their order, each once. */
export const messageIdsIn = (value: string): string[] => {
  const found = [...value.matchAll(ID)].map(([, id]) => id!)
  const ids = found.length > 0 ? found : (value.match(BARE_ID) ?? [])
  const unique = [...new Set(ids.map(bounded))]
  // The beginning of a thread and its end are what a reply is found by.
  return unique.length <= REFERENCES_MAX
    ? unique
    : [...unique.slice(0, 10), ...unique.slice(unique.length - (REFERENCES_MAX - 10))]
}

/** The mail's own id; made from what does not change on the way where it has none. */
export const messageIdOf = (head: Head, raw: Buffer): string => {
  const [own] = messageIdsIn(headerOf(head, 'message-id'))
  if (own) return own
  const hash = createHash('sha256')
  for (const name of ['date', 'from', 'to', 'subject']) hash.update(`${name}:${headerOf(head, name)}\n`)
  hash.update(raw.subarray(head.bodyAt))
  return `<${hash.digest('hex')}@missing.invalid>`
}

/** Addresses that a trace header names, as plain as they stand there. */
export const addressesIn = (value: string): string[] =>
  (value.match(/[^\s<>,;:"()]{1,200}@[^\s<>,;:"()]{1,200}/g) ?? [])
    .map((address) => address.toLowerCase())
    .filter((address) => address.length <= ADDRESS_MAX)

/** Whom a mail server says that it took the mail for: "Received: from a by b for <x@example.com>; date". */
export const receivedFor = (head: Head): string[] =>
  headersOf(head, 'received').flatMap((value) =>
    addressesIn(/\sfor\s{1,10}(<?[^\s<>;]{1,400})/i.exec(value)?.[1] ?? ''),
  )

/** The head again, for a library: only what is kept, one line each. */
export const headBytes = ({ headers }: Head): Buffer =>
  Buffer.from(
    `${headers.map(({ name, value }) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}`).join('\r\n')}\r\n\r\n`,
  )
