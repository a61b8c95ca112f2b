// What links and limits of these emails are made from. Only the server can make and check them.
import { createHash } from 'node:crypto'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Seal } from '../../platform/seal.ts'

/**
 * Addresses are compared and counted by this, so that a refusal outlives the address itself. Without the server's key,
 * which may be changed.
 */
export const addressHash = ({ workspaceId }: Pick<Ctx, 'workspaceId'>, address: string): string =>
  createHash('sha256').update(`chat address\n${workspaceId}\n${address.toLowerCase()}`).digest('base64url')

const STOP = /^(c[a-z0-9]{24})\.([\w-]{43})\.([\w-]{43})$/

/** Names the workspace and the address; valid for good. */
export const stopToken = ({ seal, workspaceId }: Pick<Ctx, 'seal' | 'workspaceId'>, hash: string): string =>
  `${workspaceId}.${hash}.${seal.sign('chat stop', `${workspaceId}\n${hash}`)}`

export const readStopToken = (
  seal: Seal,
  token: string,
): { workspaceId: string; addressHash: string } | undefined => {
  const [, workspaceId, hash, signature] = STOP.exec(token) ?? []
  if (!workspaceId || !hash || !signature) return undefined
  if (!seal.verify('chat stop', `${workspaceId}\n${hash}`, signature)) return undefined
  return { workspaceId, addressHash: hash }
}

const LINK = /^(c[a-z0-9]{24})\.([\w-]{43})$/

/** Of an email, for whoever reads the mailbox; worth something only in the browser that the chat is in. */
export const linkToken = ({ seal, workspaceId }: Pick<Ctx, 'seal' | 'workspaceId'>, mailId: string): string =>
  `${mailId}.${seal.sign('chat link', `${workspaceId}\n${mailId}`)}`

/** The id of the email; undefined if it is not one of ours. */
export const readLinkToken = (
  { seal, workspaceId }: Pick<Ctx, 'seal' | 'workspaceId'>,
  token: string,
): string | undefined => {
  const [, mailId, signature] = LINK.exec(token) ?? []
  if (!mailId || !signature) return undefined
  return seal.verify('chat link', `${workspaceId}\n${mailId}`, signature) ? mailId : undefined
}
