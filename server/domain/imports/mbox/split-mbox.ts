// The emails of an mbox, one after another (RFC 4155, with the quoting of mboxrd): each begins with a line "From ", at the
// beginning or after an empty line.

export type MboxEmail = {
  /** Without the line "From ". At most MAIL_BYTES_MAX of it. */
  raw: Buffer
  isCut: boolean
  /** Of the line "From ", if it names one. */
  receivedAt: Date | null
}

/** Larger ones are rare, and nobody's server accepts them. The rest is passed over without being held. */
export const MAIL_BYTES_MAX = 40 * 1024 * 1024
/** A line of this length is no line "From ". */
const LINE_HELD_MAX = 1024 * 1024
const NEWLINE = 10
const SEPARATOR = Buffer.from('From ')
const QUOTED = /^>+From /

const timeOf = (line: Buffer): Date | null => {
  // "From jane@example.com Thu Nov  9 10:00:00 2023"
  const text = line.toString('latin1').trim().split(/\s+/).slice(2).join(' ')
  const ms = Date.parse(/[+-]\d{4}|GMT|UTC|Z$/.test(text) ? text : `${text} UTC`)
  return Number.isNaN(ms) ? null : new Date(ms)
}

const isBlank = (line: Buffer): boolean => line.length <= 2 && /^\r?\n?$/.test(line.toString('latin1'))

export async function* splitMbox(source: AsyncIterable<Buffer>): AsyncGenerator<MboxEmail> {
  let parts: Buffer[] | null = null
  let length = 0
  let isCut = false
  let receivedAt: Date | null = null
  let isAfterBlank = true
  for await (const line of readPieces(source)) {
    if (isAfterBlank && line.subarray(0, SEPARATOR.length).equals(SEPARATOR)) {
      if (parts) yield { raw: Buffer.concat(parts), isCut, receivedAt }
      parts = []
      length = 0
      isCut = false
      receivedAt = timeOf(line)
      isAfterBlank = false
      continue
    }
    isAfterBlank = isBlank(line)
    if (!parts) continue
    const isQuoted = line[0] === 0x3e && QUOTED.test(line.subarray(0, 200).toString('latin1'))
    const text = isQuoted ? line.subarray(1) : line
    length += text.length
    if (length > MAIL_BYTES_MAX) isCut = true
    else parts.push(text)
  }
  if (parts) yield { raw: Buffer.concat(parts), isCut, receivedAt }
}

/** Lines with their ends; a very long one in pieces. */
async function* readPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let length = 0
  const take = (part: Buffer): Buffer => {
    const piece = held.length === 0 ? part : Buffer.concat([...held, part])
    held = []
    length = 0
    return piece
  }
  for await (const chunk of source) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield take(chunk.subarray(from, at + 1))
      from = at + 1
    }
    const rest = chunk.subarray(from)
    if (rest.length === 0) continue
    if (length + rest.length > LINE_HELD_MAX) yield take(rest)
    else {
      held.push(rest)
      length += rest.length
    }
  }
  if (length > 0) yield take(Buffer.alloc(0))
}
