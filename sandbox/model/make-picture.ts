// A small picture that shows what a test wants shown.
import { crc32, deflateSync } from 'node:zlib'

const WIDTH = 8

/** A PNG of one colour. `shows`: its description, which the sandbox's models see instead. */
export const makePicture = (
  shows: string | null,
  colour: readonly [number, number, number] = [0, 0, 0],
): Buffer => {
  const line = Buffer.concat([Buffer.of(0), ...Array.from({ length: WIDTH }, () => Buffer.from(colour))])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(WIDTH, 4)
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(shows === null ? [] : [chunk('tEXt', Buffer.from(`Description\0${shows}`))]),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: WIDTH }, () => line)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const chunk = (type: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), content])
  const whole = Buffer.alloc(named.length + 8)
  whole.writeUInt32BE(content.length, 0)
  named.copy(whole, 4)
  whole.writeUInt32BE(crc32(named), named.length + 4)
  return whole
}
