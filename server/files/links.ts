// The addresses that files are fetched at: signed, so that nobody needs a token or a session to show them, and good for
// an hour or two, so that a link that gets out is soon worth nothing.
import type { Ctx } from '../ctx.ts'
import type { Seal } from '../seal.ts'

/** A link lives between one and two of these: within each, a file has one address, which browsers may keep. */
export const LINK_WINDOW_SECONDS = 3_600

const PURPOSE = 'file'
const EXPIRY_PATTERN = /^\d{1,12}$/

const signed = (attachmentId: string, expiresAt: string): string => `${attachmentId}\n${expiresAt}`

/** What makes links. */
export type Links = Pick<Ctx, 'seal' | 'publicUrl' | 'now'>

/** Ids of attachments are unique over the platform: a signature for one opens nothing of another workspace. */
export const fileUrl = ({ seal, publicUrl, now }: Links, attachmentId: string): string => {
  const windows = Math.floor(now().getTime() / 1000 / LINK_WINDOW_SECONDS)
  const expiresAt = String((windows + 2) * LINK_WINDOW_SECONDS)
  const signature = seal.sign(PURPOSE, signed(attachmentId, expiresAt))
  return `${publicUrl}/files/${attachmentId}?e=${expiresAt}&s=${signature}`
}

/** The seconds for which a link is still good; undefined when it is not. */
export const secondsLeft = (
  seal: Seal,
  now: Date,
  attachmentId: string,
  { e, s }: { e?: unknown; s?: unknown },
): number | undefined => {
  if (typeof e !== 'string' || typeof s !== 'string' || !EXPIRY_PATTERN.test(e)) return undefined
  if (!seal.verify(PURPOSE, signed(attachmentId, e), s)) return undefined
  const left = Number(e) - Math.floor(now.getTime() / 1000)
  return left > 0 ? left : undefined
}
