// A code that shows who a customer is: sent to an address that was known before, and entered in the conversation.
import { createHash, timingSafeEqual } from 'node:crypto'
import { normalizeDigits } from '../../../flow-engine/fold-text.ts'
import type { Seal } from '../../platform/seal.ts'

export const CODE_VALID_MINUTES = 10
export const VERIFIED_MINUTES = 30
/** Of one code. */
export const TRIES_MAX = 5

const CODE_LENGTH = 6
const SIGNATURE_BYTES = 6

export type CodeAddress = { kind: 'email' | 'phone'; address: string }

/** Of a row that names the conversation, so a code is right in one place only. */
export type CodeRef = { workspaceId: string; id: string }

/** The same each time, so that a job that is repeated sends the same code. Nobody without the server's key knows it. */
export const codeOf = (seal: Pick<Seal, 'sign'>, { workspaceId, id }: CodeRef): string => {
  const signature = Buffer.from(seal.sign('identity code', `${workspaceId}\n${id}`), 'base64url')
  return String(signature.readUIntBE(0, SIGNATURE_BYTES) % 10 ** CODE_LENGTH).padStart(CODE_LENGTH, '0')
}

/** Six digits by themselves, as "123 456" or "123-456" too; no part of a phone number or an order's. */
const SIX_DIGITS =
  /(?<![\p{L}\p{Nd}]|[\p{L}\p{Nd}][-–_./#]|\p{Nd}\s)\p{Nd}(?:[ \u00a0-]?\p{Nd}){5}(?![\p{L}\p{Nd}]|[-–_./][\p{L}\p{Nd}]|\s\p{Nd})/gu
/** Whatever stands around them. */
const DIGITS = /\p{Nd}(?:[\s-]{0,2}\p{Nd}){5,40}/gu

const digitsIn = (text: string): string => normalizeDigits(text).replace(/\D/g, '')

/** What could be a code; null if there is nothing, or more than one. */
export const codeIn = (text: string): string | null => {
  const found = new Set([...text.matchAll(SIX_DIGITS)].map(([digits]) => digitsIn(digits)))
  return found.size === 1 ? [...found][0]! : null
}

export const isRightCode = (seal: Pick<Seal, 'sign'>, ref: CodeRef, given: string): boolean => {
  // Of one length, whatever was given.
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(codeOf(seal, ref)))
}

/** For whoever isn't to read codes, such as a model: those of a conversation are replaced, used or not. */
export const hideCodes = (
  seal: Pick<Seal, 'sign'>,
  { workspaceId, codeIds }: { workspaceId: string; codeIds: readonly string[] },
): ((text: string) => string) => {
  const codes = codeIds.map((id) => codeOf(seal, { workspaceId, id }))
  const hideIn = (digits: string): string => {
    const plain = digitsIn(digits)
    return codes.some((code) => plain.includes(code)) ? '[code]' : digits
  }
  return (text) => (codes.length === 0 ? text : text.replace(DIGITS, hideIn))
}

const DOTS = '•••'
const PHONE_END = 2

/** Enough for its holder to know it: "m•••@example.org", "•••41". */
export const maskAddress = ({ kind, address }: CodeAddress): string => {
  if (kind === 'phone') return `${DOTS}${address.slice(-PHONE_END)}`
  const at = address.lastIndexOf('@')
  return `${[...address][0]}${DOTS}${address.slice(at)}`
}
