// Decompresses RTF (MS-OXRTFCP), the format in which Outlook stores a message's text.

const HEADER_BYTES = 16
const COMPRESSED = 0x75465a4c
const UNCOMPRESSED = 0x414c454d
const DICTIONARY_BYTES = 4096
/** The dictionary's initial content. */
const KNOWN =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx'

/** Returns at most `bytesMax`, and whatever there is of truncated input. Undefined: not compressed RTF. */
export const decompressRtf = (bytes: Buffer, bytesMax: number): Buffer | undefined => {
  if (bytes.length < HEADER_BYTES) return undefined
  const kind = bytes.readUInt32LE(8)
  const length = Math.min(bytes.readUInt32LE(4), bytesMax)
  if (kind === UNCOMPRESSED) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + length)
  if (kind !== COMPRESSED) return undefined
  const dictionary = Buffer.alloc(DICTIONARY_BYTES)
  let write = dictionary.write(KNOWN, 'latin1')
  const opened = Buffer.alloc(length)
  let done = 0
  const add = (byte: number): void => {
    dictionary[write] = byte
    write = (write + 1) % DICTIONARY_BYTES
    opened[done++] = byte
  }
  let at = HEADER_BYTES
  while (at < bytes.length && done < length) {
    const control = bytes[at++]!
    for (let bit = 0; bit < 8 && at < bytes.length && done < length; bit++) {
      if ((control & (1 << bit)) === 0) {
        add(bytes[at++]!)
        continue
      }
      if (at + 2 > bytes.length) return opened.subarray(0, done)
      const reference = bytes.readUInt16BE(at)
      at += 2
      const from = reference >> 4
      // A reference to the write position marks the end.
      if (from === write) return opened.subarray(0, done)
      const count = (reference & 15) + 2
      for (let i = 0; i < count && done < length; i++) add(dictionary[(from + i) % DICTIONARY_BYTES]!)
    }
  }
  return opened.subarray(0, done)
}
