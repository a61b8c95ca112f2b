// Measures what a ZIP archive unpacks to before a library does, because the sizes that it declares may be lies.
import { inflateRawSync } from 'node:zlib'
import { Unreadable } from './problem.ts'

const ENTRIES_MAX = 5_000
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024

const END = 0x06054b50
const END_BYTES = 22
const COMMENT_BYTES_MAX = 65_535
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const ENCRYPTED_BIT = 1

const damaged = () =>
  new Unreadable('FILE_DAMAGED', 'The file is damaged. Save it again and upload the new copy.')
const tooLarge = () =>
  new Unreadable('FILE_TOO_LARGE', 'The file unpacks to more than 64 MiB. Remove its images, or split it.')

const findEnd = (bytes: Buffer): number => {
  const last = bytes.length - END_BYTES
  for (let at = last; at >= Math.max(0, last - COMMENT_BYTES_MAX); at--)
    if (bytes.readUInt32LE(at) === END) return at
  throw damaged()
}

/** Throws Unreadable for an archive that is damaged, encrypted, or unpacks to more than 64 MiB. */
export const checkZip = (bytes: Buffer): void => {
  try {
    checkEntries(bytes)
  } catch (error) {
    if (error instanceof Unreadable) throw error
    // Offsets beyond the end, or data that can't be unpacked.
    throw damaged()
  }
}

const checkEntries = (bytes: Buffer): void => {
  const end = findEnd(bytes)
  const count = bytes.readUInt16LE(end + 10)
  if (count > ENTRIES_MAX) throw tooLarge()
  let at = bytes.readUInt32LE(end + 16)
  let left = UNPACKED_BYTES_MAX
  for (let entry = 0; entry < count; entry++) {
    if (bytes.readUInt32LE(at) !== ENTRY) throw damaged()
    if (bytes.readUInt16LE(at + 8) & ENCRYPTED_BIT)
      throw new Unreadable(
        'FILE_ENCRYPTED',
        'The file is protected by a password. Remove it and upload the file again.',
      )
    left -= sizeOf(bytes, at, left)
    if (left < 0) throw tooLarge()
    at +=
      ENTRY_BYTES + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
}

const sizeOf = (bytes: Buffer, entry: number, max: number): number => {
  const method = bytes.readUInt16LE(entry + 10)
  const packed = bytes.readUInt32LE(entry + 20)
  const local = bytes.readUInt32LE(entry + 42)
  if (bytes.readUInt32LE(local) !== LOCAL) throw damaged()
  const start = local + LOCAL_BYTES + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
  if (start + packed > bytes.length) throw damaged()
  if (method === STORED) return packed
  if (method !== DEFLATED) throw damaged()
  try {
    return inflateRawSync(bytes.subarray(start, start + packed), { maxOutputLength: Math.max(1, max) }).length
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw error
  }
}
