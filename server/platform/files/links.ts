// File URLs: signed, so that no token or session is needed to show them, and valid for an hour or two, so that a
// leaked link soon becomes worthless.
import type { Seal } from '../seal.ts'

/** A link lives between one and two of these; within each, a file has one URL, which browsers may cache. */
const LINK_WINDOW_SECONDS = 3_600

const PURPOSE = 'file'
const EXPORT_PURPOSE = 'export file'
const EXPORT_SECONDS = 3_600
const EXPIRY_PATTERN = /^\d{1,12}$/

const signed = (subject: string, expiresAt: string): string => `${subject}\n${expiresAt}`

/** What links are made from. */
export type Links = { seal: Seal; publicUrl: string; now: () => Date }

/** Attachment ids are globally unique, so a signature for one never opens a file of another workspace. */
export const fileUrl = ({ seal, publicUrl, now }: Links, attachmentId: string): string => {
  const windows = Math.floor(now().getTime() / 1000 / LINK_WINDOW_SECONDS)
  const expiresAt = String((windows + 2) * LINK_WINDOW_SECONDS)
  const signature = seal.sign(PURPOSE, signed(attachmentId, expiresAt))
  return `${publicUrl}/files/${attachmentId}?e=${expiresAt}&s=${signature}`
}

/** The seconds for which a link is still valid; undefined if it is not. */
export const secondsLeft = (
  seal: Seal,
  now: Date,
  attachmentId: string,
  query: Record<string, unknown>,
): number | undefined => leftOf(seal, PURPOSE, now, attachmentId, query)

type ExportFileName = { exportId: string; name: string }

/** For an hour, unless it is said until when. Names of files have no slash. */
export const exportFileUrl = (
  { seal, publicUrl, now }: Links,
  { exportId, name }: ExportFileName,
  until = new Date(now().getTime() + EXPORT_SECONDS * 1000),
): string => {
  const expiresAt = String(Math.floor(until.getTime() / 1000))
  const signature = seal.sign(EXPORT_PURPOSE, signed(`${exportId}/${name}`, expiresAt))
  return `${publicUrl}/files/exports/${exportId}/${name}?e=${expiresAt}&s=${signature}`
}

export const exportSecondsLeft = (
  seal: Seal,
  now: Date,
  { exportId, name }: ExportFileName,
  query: Record<string, unknown>,
): number | undefined => leftOf(seal, EXPORT_PURPOSE, now, `${exportId}/${name}`, query)

const leftOf = (
  seal: Seal,
  purpose: typeof PURPOSE | typeof EXPORT_PURPOSE,
  now: Date,
  subject: string,
  { e, s }: { e?: unknown; s?: unknown },
): number | undefined => {
  if (typeof e !== 'string' || typeof s !== 'string' || !EXPIRY_PATTERN.test(e)) return undefined
  if (!seal.verify(purpose, signed(subject, e), s)) return undefined
  const left = Number(e) - Math.floor(now.getTime() / 1000)
  return left > 0 ? left : undefined
}
