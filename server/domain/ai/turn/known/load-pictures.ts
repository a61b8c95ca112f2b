// Pictures that a customer sent, as a model that sees gets them. Theirs are the bytes and the type, so neither is trusted:
// what isn't a picture of a kind that models read is left out, as a provider would refuse the whole request for it.
import type { Picture } from '../../../../../models/contract.ts'
import type { Ctx } from '../../../../platform/ctx/ctx.ts'

/** The latest. */
const PICTURES_MAX = 4
/** Of one. Providers refuse more. */
export const PICTURE_MAX_BYTES = 5 * 1024 * 1024
/** Of all: many turns are thought about at once. */
const ALL_MAX_BYTES = 10 * 1024 * 1024

export type PictureRef = { key: string; mimeType: Picture['mimeType']; size: number }

type Sent = { files: readonly { name: string; picture?: PictureRef | null }[] }

/** By the key of the file. One that can't be read is missing: the model is told that it can't see it. */
export const loadPictures = async (
  ctx: Ctx,
  { messages }: { messages: readonly Sent[] },
): Promise<ReadonlyMap<string, Picture>> => {
  const found = messages.flatMap(({ files }) =>
    files.flatMap(({ name, picture }) => (picture ? [{ name, ...picture }] : [])),
  )
  const loaded = new Map<string, Picture>()
  let left = ALL_MAX_BYTES
  for (const { key, mimeType, size, name } of found.toReversed().slice(0, PICTURES_MAX)) {
    if (size > left) continue
    const bytes = await read(ctx, key)
    if (!bytes || bytes.length > left || typeOf(bytes) !== mimeType) continue
    left -= bytes.length
    loaded.set(key, { mimeType, data: bytes.toString('base64'), name })
  }
  return loaded
}

const read = async (ctx: Ctx, key: string): Promise<Buffer | null> => {
  try {
    const parts: Buffer[] = []
    let length = 0
    for await (const part of await ctx.files.open(key)) {
      parts.push(part)
      length += part.length
      if (length > PICTURE_MAX_BYTES) return null
    }
    return Buffer.concat(parts)
  } catch (error) {
    ctx.log.warn({ err: error }, 'a picture for the AI agent could not be read')
    return null
  }
}

/** By how each begins. */
const typeOf = (bytes: Buffer): Picture['mimeType'] | null => {
  const start = bytes.subarray(0, 12).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  return /^RIFF[\s\S]{4}WEBP/.test(start) ? 'image/webp' : null
}
