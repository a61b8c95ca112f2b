// The claims of this process that its workers know about. A claim can commit although its response never arrives,
// because the connection is cut in between: it then has our name (db/claimant.ts) and nobody sends it. A claim with
// our name that is not listed here was never started, so it is requeued.
import { setTimeout as delay } from 'node:timers/promises'
import { type Claim, listOwnClaimsBeside } from '../domain/deliveries/delivery-queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobDeps } from './deps.ts'
import { endClaim } from './end-claim.ts'

const CHECK_EVERY_MS = 2_000
const ROWS_MAX = 1_000
/** Beyond this many, claims are left to the sweep, which does not send them again. */
const HELD_MAX = 20_000

type ClaimRef = Pick<Claim, 'id' | 'tries'>

/** Claims without a response yet: they may already be in the database. */
const underWay = new Set<Promise<unknown>>()
/** By id and attempt. One whose outcome could not be recorded stays: it may have been sent. */
const held = new Map<string, ClaimRef>()

const keyOf = ({ id, tries }: ClaimRef): string => `${id} ${tries}`

/** Every claim goes through this, which registers what the response says was claimed. */
export const claimThrough = async <T>(
  claim: () => Promise<T>,
  claimsIn: (answer: T) => readonly ClaimRef[],
): Promise<T> => {
  const taking = claim().then((answer) => {
    for (const one of claimsIn(answer)) held.set(keyOf(one), { id: one.id, tries: one.tries })
    return answer
  })
  underWay.add(taking)
  try {
    return await taking
  } finally {
    underWay.delete(taking)
  }
}

/** Its outcome is recorded, or it will not be sent. */
export const releaseClaim = (claim: ClaimRef): void => {
  held.delete(keyOf(claim))
}

/** Requeues what this process claimed without learning of it. */
export const returnLostClaims = async (deps: JobDeps): Promise<void> => {
  if (held.size > HELD_MAX) return
  const rows = await listOwnClaimsBeside(deps.db, [...held.values()], ROWS_MAX)
  if (rows.length === 0) return
  // The response to a claim of one of these may be on its way.
  await Promise.allSettled([...underWay])
  for (const row of rows) {
    if (held.has(keyOf(row))) continue
    const ctx = systemCtx(deps, row.workspaceId)
    if (await endClaim(ctx, row, { state: 'pending', notBefore: ctx.now() }))
      deps.log.info(
        { workspaceId: row.workspaceId, messageId: row.messageId },
        'a message whose claim was lost is back among those that wait',
      )
  }
}

/** Looks for lost claims until closed. */
export const watchClaims = (deps: JobDeps): { close: () => Promise<void> } => {
  const closing = new AbortController()
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await returnLostClaims(deps)
      } catch (error) {
        deps.log.warn({ err: error }, 'lost claims could not be looked for')
      }
      await delay(CHECK_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const watching = watch()
  return {
    close: async () => {
      closing.abort()
      await watching
    },
  }
}
