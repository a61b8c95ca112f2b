// The text of bytes whose encoding is declared by a header, a meta tag, or not at all, and perhaps wrongly. Pure.

const META_WITHIN_BYTES = 2_048
/** These may consist of ASCII only, and so look like valid UTF-8. */
const SEVEN_BIT = /^(utf-16|iso-2022)/

/** The name that decoders know, undefined for none. */
const labelOf = (given: string | undefined): string | undefined => {
  if (!given) return undefined
  try {
    return new TextDecoder(given.trim()).encoding
  } catch {
    return undefined
  }
}

const decode = (bytes: Uint8Array, label: string): string | undefined => {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const markOf = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

const charsetIn = (text: string): string | undefined => /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(text)?.[1]

/**
 * A byte order mark decides, then valid UTF-8, whatever is declared: text in another encoding is hardly ever valid.
 * What is neither is read as the header or the page declares it, and as Windows-1252 if that fails too.
 */
export const decodeText = (bytes: Uint8Array, contentType: string | null): string => {
  const mark = markOf(bytes)
  const start = Buffer.from(bytes.subarray(0, META_WITHIN_BYTES)).toString('latin1')
  const declared = [labelOf(charsetIn(contentType ?? '')), labelOf(charsetIn(start))]
  const sevenBit = declared.find((label) => label && SEVEN_BIT.test(label))
  for (const label of [mark, sevenBit, 'utf-8', ...declared]) {
    const text = label && decode(bytes, label)
    if (text !== undefined && text !== '') return text
  }
  return new TextDecoder('windows-1252').decode(bytes)
}
