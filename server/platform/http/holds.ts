// Calls and streams of API tokens that stay open until something happens: how many there may be, and their end when the
// token is revoked or the server stops.
import { Gauge } from 'prom-client'
import { ApiError } from '../errors.ts'
import { registry } from '../metrics.ts'
import { makeSetIndex } from './set-index.ts'

const PER_TOKEN_MAX = 10
const PER_WORKSPACE_MAX = 100
export const HOLDS_MAX = 2_000
const RETRY_SECONDS = '5'
/** How often tokens are checked, in case a revocation was missed, or a token has expired while nothing happens. */
const CHECK_EVERY_MS = 20_000

const heldCalls = new Gauge({
  name: 'foyer_calls_held',
  help: 'Calls and streams of API tokens that wait for events.',
  registers: [registry],
})

type Holder = {
  tokenId: string
  workspaceId: string
  /** Whether the same call would still be allowed. */
  isAllowed: () => Promise<boolean>
}

export type Hold = {
  /** Aborted when the token has ended, the client has left or the server stops: one signal, as there are many calls. */
  signal: AbortSignal
  leave: () => void
  /** Whether the token is known to have ended. */
  isRevoked: () => boolean
  /** Looks whether it has ended, before anything is passed on: it may have expired since the last time. */
  recheck: () => Promise<void>
  release: () => void
}

export type Holds = {
  /** Throws RATE_LIMIT_EXCEEDED. */
  take: (holder: Holder) => Hold
  /** A token may have ended; undefined: any. */
  recheck: (tokenId?: string) => Promise<void>
  endAll: () => void
}

type Held = Holder & { ending: AbortController; isRevoked: boolean }

export const makeHolds = (): Holds => {
  const all = new Set<Held>()
  const byToken = makeSetIndex<Held>()
  const byWorkspace = makeSetIndex<Held>()
  let checking: NodeJS.Timeout | undefined
  let isClosing = false

  /** A caller that can't be checked calls again, and is checked then. */
  const check = async (held: Held): Promise<void> => {
    const isAllowed = await held.isAllowed().catch(() => null)
    if (isAllowed) return
    held.isRevoked = isAllowed === false
    held.ending.abort()
  }

  const recheck = async (tokenId?: string): Promise<void> => {
    await Promise.all([...(tokenId === undefined ? all : byToken.of(tokenId))].map(check))
  }

  const release = (held: Held): void => {
    if (!all.delete(held)) return
    byToken.remove(held.tokenId, held)
    byWorkspace.remove(held.workspaceId, held)
    heldCalls.dec()
    if (all.size > 0) return
    clearInterval(checking)
    checking = undefined
  }

  return {
    take: (holder) => {
      const { tokenId, workspaceId } = holder
      if (isClosing) throw new ApiError('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '1' } })
      if (
        byToken.of(tokenId).size >= PER_TOKEN_MAX ||
        byWorkspace.of(workspaceId).size >= PER_WORKSPACE_MAX ||
        all.size >= HOLDS_MAX
      )
        throw new ApiError('RATE_LIMIT_EXCEEDED', {
          message: 'Too many calls are waiting for events. Wait for the number of seconds in Retry-After.',
          headers: { 'retry-after': RETRY_SECONDS },
        })
      const held: Held = { ...holder, ending: new AbortController(), isRevoked: false }
      all.add(held)
      byToken.add(tokenId, held)
      byWorkspace.add(workspaceId, held)
      heldCalls.inc()
      checking ??= setInterval(() => void recheck(), CHECK_EVERY_MS).unref()
      return {
        signal: held.ending.signal,
        leave: () => held.ending.abort(),
        isRevoked: () => held.isRevoked,
        recheck: () => check(held),
        release: () => release(held),
      }
    },
    recheck,
    endAll: () => {
      isClosing = true
      for (const { ending } of [...all]) ending.abort()
    },
  }
}
