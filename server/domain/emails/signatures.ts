// Signs what we send, so that genuine replies can be distinguished from forged ones.
import type { Ctx } from '../../platform/ctx/ctx.ts'

type Purpose = 'email message' | 'email reply'

type Signed = { channelAccountId: string; id: string }

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
/** 80 bits. Short, because an address has no room for more. */
const LENGTH = 16

/** Lower-case letters and digits, because mail servers fold the case of addresses. */
const shortened = (signature: string): string => {
  let text = ''
  let bits = 0
  let count = 0
  for (const byte of Buffer.from(signature, 'base64url')) {
    bits = (bits << 8) | byte
    for (count += 8; count >= 5; count -= 5) text += ALPHABET[(bits >> (count - 5)) & 31]
    bits &= 31
  }
  return text.slice(0, LENGTH)
}

export const signatureOf = (
  { seal, workspaceId }: Pick<Ctx, 'seal' | 'workspaceId'>,
  purpose: Purpose,
  { channelAccountId, id }: Signed,
): string => shortened(seal.sign(purpose, textOf(workspaceId, { channelAccountId, id })))

const textOf = (workspaceId: string, { channelAccountId, id }: Signed): string =>
  `${workspaceId}\n${channelAccountId}\n${id}`

/** Compared in constant time. */
export const isSignatureOf = (
  ctx: Pick<Ctx, 'seal' | 'workspaceId'>,
  purpose: Purpose,
  signed: Signed,
  signature: string,
): boolean => {
  return ctx.seal
    .signatures(purpose, textOf(ctx.workspaceId, signed))
    .some((right) => isSame(shortened(right), signature))
}

const isSame = (right: string, signature: string): boolean => {
  if (signature.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < right.length; at++) difference |= right.charCodeAt(at) ^ signature.charCodeAt(at)
  return difference === 0
}
