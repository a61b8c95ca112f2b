// Reads Outlook's winmail.dat (MS-OXTNEF): its files and text, from RTF if there is no other. Our own reader: node-tnef
// brings a logger and a command line, and only this much of the format is needed. Every length is checked and the
// reader only moves forward, so it takes a single pass.
import { decodeText } from './charset.ts'
import { decompressRtf } from './lzfu.ts'
import { readRtf } from './rtf.ts'

type TnefFile = { name: string; mimeType: string | null; content: Buffer; cid: string | null }
type Tnef = { text: string; html: string; files: TnefFile[] }

const SIGNATURE = 0x223e9f78
const ATTRIBUTES_MAX = 10_000
const PROPERTIES_MAX = 2_000
const FILES_MAX = 100
const TEXT_BYTES_MAX = 1_000_000
const HEADER_BYTES = 6

const ATTRIBUTE = {
  body: 0x800c,
  attachTitle: 0x8010,
  attachData: 0x800f,
  attachRendData: 0x9002,
  messageProperties: 0x9003,
  attachProperties: 0x9005,
  codePage: 0x9007,
} as const

const PROPERTY = {
  body: 0x1000,
  html: 0x1013,
  compressedRtf: 0x1009,
  attachData: 0x3701,
  attachFileName: 0x3704,
  attachLongName: 0x3707,
  attachMimeType: 0x370e,
  attachContentId: 0x3712,
} as const

/** Sizes of the fixed-length types; each is padded to a multiple of four. */
const FIXED: Record<number, number> = {
  1: 4,
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
}
const STRING_8 = 0x001e
const UNICODE = 0x001f
const OBJECT = 0x000d
const BINARY = 0x0102
const NAMED_FROM = 0x8000
const MULTIPLE = 0x1000

type Property = { type: number; value: Buffer }

const padded = (length: number): number => (length + 3) & ~3

/** The properties in use, as far as the block can be read. */
const readProperties = (block: Buffer): Map<number, Property> => {
  const found = new Map<number, Property>()
  let at = 4
  const left = (bytes: number): boolean => at + bytes <= block.length
  const takeSized = (): Buffer | undefined => {
    if (!left(4)) return undefined
    const length = block.readUInt32LE(at)
    at += 4
    if (!left(length)) return undefined
    const value = block.subarray(at, at + length)
    at += padded(length)
    return value
  }
  for (let count = 0; count < PROPERTIES_MAX && left(4); count++) {
    const type = block.readUInt16LE(at)
    const id = block.readUInt16LE(at + 2)
    at += 4
    if (id >= NAMED_FROM) {
      if (!left(20)) break
      const isString = block.readUInt32LE(at + 16) === 1
      at += 20
      if (!isString) at += 4
      else if (!takeSized()) break
    }
    const single = type & ~MULTIPLE
    const fixed = FIXED[single]
    let values = 1
    if (type & MULTIPLE || fixed === undefined) {
      if (!left(4)) break
      values = block.readUInt32LE(at)
      at += 4
    }
    if (values > PROPERTIES_MAX) break
    let first: Buffer | undefined
    for (let value = 0; value < values; value++) {
      let bytes: Buffer | undefined
      if (fixed !== undefined) {
        if (!left(fixed)) return found
        bytes = block.subarray(at, at + fixed)
        at += fixed
      } else {
        bytes = takeSized()
        if (!bytes) return found
      }
      first ??= bytes
    }
    if (first && !found.has(id)) found.set(id, { type: single, value: first })
  }
  return found
}

const textOf = (property: Property | undefined, charset: string): string => {
  if (!property) return ''
  const value = property.value.subarray(0, TEXT_BYTES_MAX)
  const text =
    property.type === UNICODE
      ? value.toString('utf16le')
      : property.type === STRING_8 || property.type === BINARY
        ? (decodeText(value, charset) ?? value.toString('latin1'))
        : ''
  return text.split('\0', 1)[0]!
}

const nameless = (): TnefFile => ({ name: '', mimeType: null, content: Buffer.alloc(0), cid: null })

const addProperties = (file: TnefFile, properties: Map<number, Property>, charset: string): void => {
  const { attachData, attachLongName, attachFileName, attachMimeType, attachContentId } = PROPERTY
  file.name = textOf(properties.get(attachLongName) ?? properties.get(attachFileName), charset) || file.name
  file.mimeType = textOf(properties.get(attachMimeType), charset) || file.mimeType
  file.cid = textOf(properties.get(attachContentId), charset).replace(/^<|>$/g, '') || file.cid
  const data = properties.get(attachData)
  if (file.content.length > 0 || !data) return
  // An object starts with the id of its interface; embedded messages are not files that could be opened.
  file.content = data.type === OBJECT ? data.value.subarray(16) : data.value
}

/** Undefined: not TNEF. */
export const readTnef = (bytes: Buffer): Tnef | undefined => {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== SIGNATURE) return undefined
  const tnef: Tnef = { text: '', html: '', files: [] }
  let charset = 'windows-1252'
  let rtf: Buffer | undefined
  let at = HEADER_BYTES
  for (let count = 0; count < ATTRIBUTES_MAX && at + 9 <= bytes.length; count++) {
    const id = bytes.readUInt16LE(at + 1)
    const length = bytes.readUInt32LE(at + 5)
    const start = at + 9
    // A two-byte checksum follows.
    at = start + length + 2
    if (start + length > bytes.length) break
    const value = bytes.subarray(start, start + length)
    const file = tnef.files.at(-1)
    if (id === ATTRIBUTE.codePage && length >= 4) charset = `windows-${value.readUInt32LE(0)}`
    else if (id === ATTRIBUTE.body) tnef.text ||= textOf({ type: STRING_8, value }, charset)
    else if (id === ATTRIBUTE.messageProperties) {
      const properties = readProperties(value)
      tnef.text ||= textOf(properties.get(PROPERTY.body), charset)
      tnef.html ||= textOf(properties.get(PROPERTY.html), charset)
      rtf ??= properties.get(PROPERTY.compressedRtf)?.value
    } else if (id === ATTRIBUTE.attachRendData) {
      if (tnef.files.length >= FILES_MAX) break
      tnef.files.push(nameless())
    } else if (file && id === ATTRIBUTE.attachTitle) file.name ||= textOf({ type: STRING_8, value }, charset)
    else if (file && id === ATTRIBUTE.attachData) file.content = value
    else if (file && id === ATTRIBUTE.attachProperties) addProperties(file, readProperties(value), charset)
  }
  const isBare = tnef.text === '' && tnef.html === ''
  const opened = isBare && rtf ? decompressRtf(rtf, TEXT_BYTES_MAX) : undefined
  const said = opened ? readRtf(opened) : {}
  return { ...tnef, ...said, files: tnef.files.filter(({ content }) => content.length > 0) }
}
