// A part of a thread around an old entry, shown in place of its newest entries. It grows at both ends. What happens at
// the end of the thread goes into the timeline as always; when the window has grown to where that begins, they are one.
import type { QueryClient } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import {
  entryId,
  fetchPage,
  keepStatus,
  newestFirst,
  PAGE_SIZE,
  type Timeline,
  timelineQuery,
} from './timeline.ts'

const REFETCHED_PER_PAGE = 100
/** Of a window with more pages, the newest entries are not fetched again. */
const REFETCHED_PAGES_MAX = 10

type Place = { client: QueryClient; api: WorkspaceApi; conversationId: string }

const keyOf = ({ api, conversationId }: Place) => keys.threadWindow(api.workspaceId, conversationId)
const windowOf = (place: Place): Timeline | null =>
  place.client.getQueryData<Timeline | null>(keyOf(place)) ?? null
const liveOf = ({ client, api, conversationId }: Place): Timeline | undefined =>
  client.getQueryData<Timeline>(keys.timeline(api.workspaceId, conversationId))

const has = (timeline: Timeline | null | undefined, id: string): boolean =>
  timeline?.rows.some((entry) => entryId(entry) === id) === true

/** Null if the window reaches the entries that the timeline has: they are added to it then. */
const joined = ({ client, api, conversationId }: Place, window: Timeline): Timeline | null => {
  const queryKey = keys.timeline(api.workspaceId, conversationId)
  const live = client.getQueryData<Timeline>(queryKey)
  const oldest = live?.rows.at(-1)
  const [newest] = window.rows
  if (!newest) return null
  if (!live || !oldest || newestFirst(newest, oldest) > 0) return window
  const behind = window.rows.filter((entry) => newestFirst(entry, oldest) > 0)
  if (behind.length > 0)
    client.setQueryData<Timeline>(queryKey, {
      rows: [...live.rows, ...behind],
      nextCursor: window.nextCursor,
    })
  return null
}

/** Makes sure that an entry is among those that are shown. Its id, or if it is gone, that of the entry before it. */
export const openWindow = async (place: Place, id: string, signal: AbortSignal): Promise<string> => {
  const { client, api, conversationId } = place
  if (has(windowOf(place) ?? liveOf(place), id)) return id
  const [window] = await Promise.all([
    fetchPage(api, conversationId, { around: id }, signal),
    client.ensureQueryData(timelineQuery(client, api, conversationId)),
  ])
  signal.throwIfAborted()
  client.setQueryData<Timeline | null>(keyOf(place), has(liveOf(place), id) ? null : joined(place, window))
  const shown = (windowOf(place) ?? liveOf(place))?.rows ?? []
  const nearest = shown.find((entry) => entryId(entry) <= id) ?? shown.at(-1)
  return nearest ? entryId(nearest) : id
}

/** Loads the page after the newest entry of the window. */
export const loadLater = async (place: Place): Promise<void> => {
  const { client, api, conversationId } = place
  const newest = windowOf(place)?.rows[0]
  if (!newest) return
  const { rows } = await fetchPage(api, conversationId, { from: entryId(newest), limit: PAGE_SIZE + 1 })
  const known = windowOf(place)
  if (!known?.rows[0] || entryId(known.rows[0]) !== entryId(newest)) return
  const later = rows.filter((entry) => !has(known, entryId(entry)))
  // With nothing later, what the timeline had is gone.
  const window = later.length > 0 ? { ...known, rows: [...later, ...known.rows] } : null
  client.setQueryData<Timeline | null>(keyOf(place), window && joined(place, window))
}

/** The window as it is now: also what was removed or edited is in no other place. */
export const refetchWindow = async (place: Place, signal: AbortSignal): Promise<Timeline | null> => {
  const { api, conversationId } = place
  const before = windowOf(place)
  const oldest = before?.rows.at(-1)
  const newest = before?.rows[0]
  if (!oldest || !newest) return null
  let rows: Timeline['rows'] = []
  let from = entryId(oldest)
  let isWhole = false
  for (let page = 0; page < REFETCHED_PAGES_MAX && !isWhole; page++) {
    const next = await fetchPage(api, conversationId, { from, limit: REFETCHED_PER_PAGE }, signal)
    rows = [...next.rows.filter((entry) => page === 0 || entryId(entry) !== from), ...rows]
    const last = next.rows[0] ? entryId(next.rows[0]) : from
    isWhole = last === from || last >= entryId(newest)
    from = last
  }
  const known = windowOf(place)
  if (!known) return null
  const rest = isWhole ? [] : known.rows.filter((entry) => entryId(entry) > from)
  // Older entries may have been loaded meanwhile.
  const older = known.rows.filter((entry) => newestFirst(entry, oldest) > 0)
  const all = [...rest, ...rows.map((entry) => keepStatus(known, entry)), ...older]
  return all.length === 0 ? null : joined(place, { rows: all, nextCursor: known.nextCursor })
}
