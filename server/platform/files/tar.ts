// Writes and reads tar archives (POSIX ustar) of plain files, as streams.
// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06

const BLOCK = 512
const NAME_MAX = 100
/** Eleven octal digits; larger files have their size in binary, as GNU tar writes it. */
const OCTAL_MAX = 8 ** 11
const CHECKSUM = { at: 148, length: 8 }

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

export const headerOfTar = (name: string, size: number): Buffer => {
  if (Buffer.byteLength(name) > NAME_MAX) throw new Error('the name of a file in a tar archive is too long')
  const header = Buffer.alloc(BLOCK)
  header.write(name)
  header.write(octal(0o644, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  if (size < OCTAL_MAX) header.write(octal(size, 12), 124)
  else {
    header[124] = 0x80
    header.writeBigUInt64BE(BigInt(size), 128)
  }
  header.write(octal(0, 12), 136)
  header.write('0ustar\0', 156)
  header.write('00', 263)
  header.write(octal(checksumOf(header), 7), CHECKSUM.at)
  header.write(' ', CHECKSUM.at + 7)
  return header
}

/** Counted as if its own field were blank. */
const checksumOf = (header: Buffer): number => {
  const { at, length } = CHECKSUM
  let sum = length * 0x20
  for (const [index, byte] of header.entries()) if (index < at || index >= at + length) sum += byte
  return sum
}

export const paddingOfTar = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

export const endOfTar = (): Buffer => Buffer.alloc(2 * BLOCK)

export type TarEntry = { name: string; size: number; content: AsyncIterable<Buffer> }

/** The files of an archive in order. Each has to be read before the next. Throws for what isn't a tar archive. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const chunks = source[Symbol.asyncIterator]()
  try {
    yield* entriesOf(makeTaker(chunks))
  } finally {
    // What comes after the end is not read, and the source has to know.
    await chunks.return?.()
  }
}

async function* entriesOf(take: Taker): AsyncGenerator<TarEntry> {
  for (;;) {
    const header = await take(BLOCK)
    if (!header || header.every((byte) => byte === 0)) return
    if (Number.parseInt(header.toString('latin1', CHECKSUM.at, CHECKSUM.at + 6), 8) !== checksumOf(header))
      throw new Error('not a tar archive, or a broken one')
    const size = sizeOf(header)
    let left = size
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await take(Math.min(left, PART_BYTES))
        if (!part) throw new Error('the tar archive ends in the middle of a file')
        left -= part.length
        yield part
      }
    }
    const entry = { name: textOf(header, 0, NAME_MAX), size, content: content() }
    // Folders and links have no content of ours.
    if (header[156] === 0x30 || header[156] === 0) yield entry
    for await (const _ of content()) {
      // What the caller didn't read.
    }
    await take((BLOCK - (size % BLOCK)) % BLOCK)
  }
}

const PART_BYTES = 65_536

const sizeOf = (header: Buffer): number =>
  header[124] === 0x80
    ? Number(header.readBigUInt64BE(128))
    : Number.parseInt(textOf(header, 124, 12).trim() || '0', 8)

const textOf = (header: Buffer, at: number, length: number): string => {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}

/** Takes exactly so many bytes from a stream; undefined if there are fewer. */
type Taker = (bytes: number) => Promise<Buffer | undefined>

const makeTaker = (chunks: AsyncIterator<Buffer>): Taker => {
  let held: Buffer[] = []
  let length = 0
  return async (bytes: number): Promise<Buffer | undefined> => {
    while (length < bytes) {
      const { value, done } = await chunks.next()
      if (done) return undefined
      held.push(value)
      length += value.length
    }
    const all = held.length === 1 ? held[0]! : Buffer.concat(held)
    held = [all.subarray(bytes)]
    length -= bytes
    return all.subarray(0, bytes)
  }
}
