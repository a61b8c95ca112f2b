// Tells those who wait for events of a workspace which ones were numbered. They are read once for each workspace,
// however many wait; who waits holds no connection.
import type { Db } from '../../platform/db/pool.ts'
import { type FeedKey, listFeedKeys } from './queries.ts'

/** The keys of the new events; null if they are not known, so that anything may be among them. */
type OnNews = (keys: readonly FeedKey[] | null) => void

export type FeedNews = {
  /** The returned function unsubscribes. */
  subscribe: (workspaceId: string, onNews: OnNews) => () => void
  /** What a commit announced; see relay-queries.ts. */
  announce: (payload: string) => void
  /** Announcements may have been missed. */
  announceAll: () => void
}

/** More new events than this are not read: everyone who waits looks for themselves. */
const KEYS_MAX = 500

type Place = {
  listeners: Set<OnNews>
  /** The last number that the listeners were told of, once one is known. */
  told: number | null
  announced: number
  isReading: boolean
}

export const makeFeedNews = ({ db }: { db: Db }): FeedNews => {
  const places = new Map<string, Place>()

  const tell = (place: Place, keys: readonly FeedKey[] | null): void => {
    for (const listener of [...place.listeners]) listener(keys)
  }

  const read = async (workspaceId: string, place: Place): Promise<void> => {
    if (place.isReading) return
    place.isReading = true
    while (place.told === null || place.told < place.announced) {
      const { told: after, announced: to } = place
      const keys =
        after === null || to - after > KEYS_MAX
          ? null
          : await listFeedKeys({ db, workspaceId }, { after, to }).catch(() => null)
      place.told = to
      tell(place, keys)
    }
    place.isReading = false
  }

  return {
    subscribe: (workspaceId, onNews) => {
      const place = places.get(workspaceId) ?? {
        listeners: new Set(),
        told: null,
        announced: 0,
        isReading: false,
      }
      places.set(workspaceId, place)
      place.listeners.add(onNews)
      return () => {
        place.listeners.delete(onNews)
        if (place.listeners.size === 0 && places.get(workspaceId) === place) places.delete(workspaceId)
      }
    },
    announce: (payload) => {
      for (const part of payload.split(',')) {
        const [workspaceId = '', seq] = part.split(':')
        const place = places.get(workspaceId)
        if (!place) continue
        place.announced = Number(seq)
        // In a restored database the numbers have gone back.
        if (place.told !== null && place.told > place.announced) place.told = null
        void read(workspaceId, place)
      }
    },
    announceAll: () => {
      for (const place of places.values()) {
        place.told = null
        tell(place, null)
      }
    },
  }
}
