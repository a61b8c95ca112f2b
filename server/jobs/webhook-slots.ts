// Who sends next: workspaces take turns, and then the endpoints of each, so that nobody's backlog delays the others'.

/** Concurrent requests of a process. */
const SLOTS = 64
/** In addition, for the first request of an endpoint that has none: others can't take these, however long they hang. */
const FIRST_SLOTS = 64
/** A request that takes longer gives its slot to others, as long as there aren't too many of these. */
const SLOW_MS = 1_000
const SLOW_MAX = 192

type Endpoint = { workspaceId: string; id: string; maxInFlight: number }
export type Share = { workspaceId: string; endpointId: string; places: number }

export const makeWebhookSlots = () => {
  const running = new Map<string, number>()
  let total = 0
  let slow = 0
  let turn = 0

  const runningOf = (id: string): number => running.get(id) ?? 0

  const leave = (id: string): void => {
    if (runningOf(id) <= 1) running.delete(id)
    else running.set(id, runningOf(id) - 1)
  }

  return {
    /** How many places each endpoint gets now. */
    share: (endpoints: readonly Endpoint[]): Share[] => {
      const workspaces = [...Map.groupBy(endpoints, ({ workspaceId }) => workspaceId).values()]
      turn = workspaces.length === 0 ? 0 : (turn + 1) % workspaces.length
      const inTurn = [...workspaces.slice(turn), ...workspaces.slice(0, turn)].map((list) => {
        const start = turn % list.length
        return [...list.slice(start), ...list.slice(0, start)]
      })
      const shares = new Map<string, Share>()
      let given = 0
      /** One place each, workspace by workspace, until nobody wants another. */
      for (let round = 0, isWanted = true; isWanted; round++) {
        isWanted = false
        for (const list of inTurn) {
          const endpoint = nextOf(list, round, (one) => runningOf(one.id) + (shares.get(one.id)?.places ?? 0))
          if (!endpoint) continue
          const { workspaceId, id } = endpoint
          const share = shares.get(id) ?? { workspaceId, endpointId: id, places: 0 }
          const isFirst = runningOf(id) + share.places === 0
          if (total + given >= SLOTS + (isFirst ? FIRST_SLOTS : 0)) continue
          share.places++
          shares.set(id, share)
          given++
          isWanted = true
        }
      }
      return [...shares.values()]
    },
    /** Returns what gives it back. `onSlow`: others may have the slot. */
    take: (id: string, onSlow: () => void): (() => void) => {
      total++
      let isSlow = false
      running.set(id, runningOf(id) + 1)
      const timer = setTimeout(() => {
        if (slow >= SLOW_MAX) return
        isSlow = true
        slow++
        total--
        onSlow()
      }, SLOW_MS)
      return () => {
        clearTimeout(timer)
        if (isSlow) slow--
        else total--
        leave(id)
      }
    },
  }
}

/** Of a workspace's endpoints, one with a free place, another one each round. */
const nextOf = (
  list: readonly Endpoint[],
  round: number,
  taken: (one: Endpoint) => number,
): Endpoint | undefined => {
  for (let step = 0; step < list.length; step++) {
    const endpoint = list[(round + step) % list.length]!
    if (taken(endpoint) < endpoint.maxInFlight) return endpoint
  }
  return undefined
}
