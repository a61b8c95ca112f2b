// Keeps the screen up to date. Events say what changed, not the new value; affected queries are refetched a little
// later, once for many events. Lists and threads merge the results (see merge-head.ts), so refetching never loses the
// scroll position or duplicates a row.
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { type ConnectionState, openEventStream, type ServerEvent } from './event-stream.ts'
import { keys } from './query-keys.ts'
import { useApi } from './session.tsx'

type Listener = (event: ServerEvent) => void

const load = () => import('./apply-event.ts')

let state: ConnectionState = 'connecting'
const stateListeners = new Set<() => void>()
const eventListeners = new Set<Listener>()
const setState = (next: ConnectionState): void => {
  state = next
  for (const listener of stateListeners) listener()
}

export const useConnectionState = (): ConnectionState =>
  useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener)
      return () => stateListeners.delete(listener)
    },
    () => state,
  )

/** For a screen that needs the events themselves. Cached data is updated without it. */
export const useEvents = (listener: Listener): void => {
  useEffect(() => {
    eventListeners.add(listener)
    return () => {
      eventListeners.delete(listener)
    }
  }, [listener])
}

/** Refetches each key once, however many events requested it in the meantime. */
const makeRefresher = (client: QueryClient) => {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>()
  return {
    refresh: (queryKey: QueryKey, waitMs: number): void => {
      const name = JSON.stringify(queryKey)
      if (waiting.has(name)) return
      waiting.set(
        name,
        setTimeout(() => {
          waiting.delete(name)
          void client.invalidateQueries({ queryKey })
        }, waitMs),
      )
    },
    clear: (): void => {
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}

/** Called once, in the shell: follows the workspace while it is on screen. */
export const useLive = (onSignedOut: () => void): void => {
  const api = useApi()
  const client = useQueryClient()
  useEffect(() => {
    const w = api.workspaceId
    const { refresh, clear } = makeRefresher(client)
    // In their order, which the code for the first of them must not change.
    let applied: Promise<unknown> = Promise.resolve()
    let isOpen = true
    const refetchAll = () => void client.invalidateQueries({ queryKey: keys.workspace(w) })
    const stream = openEventStream({
      url: api.url('/events'),
      onEvent: (event) => {
        // The stream starts here: data fetched earlier may have missed changes in between.
        if (event.type === 'hello')
          for (const name of [
            keys.conversationLists(w),
            keys.counts(w),
            ['w', w, 'conversation'],
            keys.allReplyDrafts(w),
          ])
            refresh(name, 0)
        else
          applied = applied
            .then(load)
            .then(({ apply }) => isOpen && apply(client, api, refresh, event))
            .catch(refetchAll)
        for (const listener of eventListeners) listener(event)
      },
      onReset: refetchAll,
      onState: setState,
      onSignedOut,
      // The session lists the user's workspaces: another one is shown, or that there is none.
      onNotFound: () => void client.invalidateQueries({ queryKey: keys.session }),
    })
    return () => {
      stream.close()
      isOpen = false
      clear()
      setState('connecting')
    }
  }, [api, client, onSignedOut])
}
