// Decodes text whose charset is missing, unknown or wrong: the declared one is only a hint.
import { Transform, type TransformCallback } from 'node:stream'

/** Longer texts are read up to this many bytes. */
const TEXT_BYTES_MAX = 4_000_000

const ALIASES: Record<string, string> = {
  gb2312: 'gb18030',
  gbk: 'gb18030',
  'x-gbk': 'gb18030',
  'gb_2312-80': 'gb18030',
  'ks_c_5601-1987': 'euc-kr',
  'ks_c_5601-1989': 'euc-kr',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  cp932: 'shift_jis',
  'windows-932': 'shift_jis',
  'windows-936': 'gb18030',
  'windows-949': 'euc-kr',
  'windows-950': 'big5',
  'windows-65001': 'utf-8',
  'iso-8859-8-i': 'iso-8859-8',
  'iso-8859-8-e': 'iso-8859-8',
  'x-sjis': 'shift_jis',
  utf8mb4: 'utf-8',
  'x-unknown': '',
  'unknown-8bit': '',
  unknown: '',
  'us-ascii': '',
  ascii: '',
  usascii: '',
  'ansi_x3.4-1968': '',
  default: '',
  '7bit': '',
  '8bit': '',
  binary: '',
}

const strictUtf8 = (bytes: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const decodeAs = (label: string, bytes: Buffer): string | undefined => {
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return undefined
  }
}

const metaCharset = (bytes: Buffer): string | undefined =>
  /<meta[^>]{1,200}charset\s{0,5}=\s{0,5}["']?([a-z0-9_.:-]{1,40})/i.exec(
    bytes.subarray(0, 4_000).toString('latin1'),
  )?.[1]

/** Undefined: the platform has no such decoder. */
export const decodeText = (bytes: Buffer, declared: string): string | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeAs('utf-16le', bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeAs('utf-16be', bytes)
  const named = declared
    .trim()
    .toLowerCase()
    .replace(/^["']|["']$/g, '')
  const label = ALIASES[named] ?? named
  // Stateful Japanese encodings look like ASCII.
  if (/^iso-?2022-?jp/.test(label) || (label === '' && bytes.subarray(0, 50_000).includes('\x1b$')))
    return decodeAs('iso-2022-jp', bytes)
  // Text in another charset is rarely valid UTF-8 beyond ASCII, so if it is, the declared charset is wrong. UTF-16 and
  // UTF-32 are exempt.
  if (!/^(?:utf|ucs)-?(?:16|32|2|4)/.test(label) && bytes.some((byte) => byte > 0x7f)) {
    const utf8 = strictUtf8(bytes)
    if (utf8 !== undefined) return utf8
  }
  if (label === '' || label === 'utf-8' || label === 'utf8') {
    const utf8 = strictUtf8(bytes)
    if (utf8 !== undefined) return utf8
    if (label === '') return decodeAs(metaCharset(bytes) ?? '', bytes) ?? decodeAs('windows-1252', bytes)
    if (label === 'utf-8' || label === 'utf8') {
      const lenient = decodeAs('utf-8', bytes) ?? ''
      const broken = lenient.split('\ufffd').length - 1
      const whole = lenient.replace(/[\0-\x7f\ufffd]/g, '').length
      return broken > whole ? decodeAs('windows-1252', bytes) : lenient
    }
  }
  return decodeAs(label, bytes)
}

type Decoding = {
  /** Decodes what the platform can't: UTF-7 and DOS code pages. */
  fallback: (bytes: Buffer) => Promise<string>
  onCut: () => void
  /** Applied to the decoded text. */
  shape?: (text: string) => string
}

/** As a stream, for the parser. */
export class TextDecoding extends Transform {
  readonly #chunks: Buffer[] = []
  #length = 0
  readonly #declared: string
  readonly #decoding: Decoding

  constructor(declared: string, decoding: Decoding) {
    super()
    this.#declared = declared
    this.#decoding = decoding
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.#length >= TEXT_BYTES_MAX) this.#decoding.onCut()
    else this.#chunks.push(chunk)
    this.#length += chunk.length
    done()
  }

  override _flush(done: TransformCallback): void {
    const bytes = Buffer.concat(this.#chunks)
    const { fallback, shape = (text) => text } = this.#decoding
    const finish = (text: string) => done(null, Buffer.from(shape(text)))
    const text = decodeText(bytes, this.#declared)
    if (text !== undefined) finish(text)
    else fallback(bytes).then(finish, () => finish(decodeAs('windows-1252', bytes) ?? ''))
  }
}
