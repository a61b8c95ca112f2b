// Positions in a workspace's feed: everything up to this number was offered, whatever was asked for. So, unlike the
// cursors of lists, they are not bound to filters; see docs/decisions/0003-cursors.md.
import { ApiError, invalid } from '../../platform/errors.ts'
import type { Seal } from '../../platform/seal.ts'

export type FeedPosition = {
  /** Of the database; see live/epoch.ts. */
  epoch: number
  seq: number
  /** The end of the id of the event with that number; empty without one. Another event has it after a restore. */
  mark: string
}

/** What a position is compared with. */
type FeedState = { epoch: number; head: number; sweptTo: number; mark: string }

const PURPOSE = 'feed'
const CURSOR_PATTERN = /^([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([0-9a-z]{0,8})\.([\w-]{43})$/

type Owner = { seal: Seal; workspaceId: string }

const signed = (workspaceId: string, position: string): string => `${workspaceId}\n${position}`

/** As clients see it, beside the numbers that it covers. */
export const showEpoch = (epoch: number): string => epoch.toString(36).padStart(6, '0')

export const encodePosition = ({ seal, workspaceId }: Owner, { epoch, seq, mark }: FeedPosition): string => {
  const position = `${epoch.toString(36)}.${seq.toString(36)}.${mark}`
  return Buffer.from(`${position}.${seal.sign(PURPOSE, signed(workspaceId, position))}`).toString('base64url')
}

/** Throws VALIDATION_ERROR for what was not a cursor of this workspace's feed. */
export const decodePosition = ({ seal, workspaceId }: Owner, cursor: string): FeedPosition => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, epoch, seq, mark, signature] = CURSOR_PATTERN.exec(text) ?? []
  const position = `${epoch}.${seq}.${mark}`
  if (
    signature === undefined ||
    Buffer.from(text, 'latin1').toString('base64url') !== cursor ||
    !seal.verify(PURPOSE, signed(workspaceId, position), signature)
  )
    throw invalid({ field: 'cursor', message: 'must be a cursor of this feed' })
  return { epoch: Number.parseInt(epoch!, 36), seq: Number.parseInt(seq!, 36), mark: mark! }
}

/**
 * Whether the feed has gone back since this position was given out: only a copy of the database that was put back in its
 * place explains that. Nobody else can have signed it.
 */
export const provesRestore = ({ epoch, seq, mark }: FeedPosition, feed: FeedState): boolean =>
  epoch === feed.epoch && (seq > feed.head || (seq > feed.sweptTo && mark !== feed.mark))

/** Throws CURSOR_EXPIRED if events after the position may be missing, or may not be those that followed it. */
export const requireKept = ({ epoch, seq, mark }: FeedPosition, feed: FeedState): void => {
  const isStart = seq === 0 && feed.sweptTo === 0
  const isKept = epoch === feed.epoch && seq <= feed.head && seq >= feed.sweptTo
  // The event itself may have been deleted since.
  const isSame = feed.mark === mark || seq === feed.sweptTo
  if (!isStart && !(isKept && isSame)) throw new ApiError('CURSOR_EXPIRED')
}
