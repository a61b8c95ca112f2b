// Which part of a thread is shown: its end, or a window around the entry that was gone to.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Timeline } from '../../state/timeline.ts'
import { toastError } from '../../ui/toast.tsx'

/** An entry to scroll to; each is an object of its own, so that one can go to the same entry twice. */
export type Target = { id: string }

const code = () => import('../../state/thread-window.ts')

export const useThreadPlace = (
  conversationId: string,
  at: string | undefined,
  live: Timeline | undefined,
) => {
  const api = useApi()
  const client = useQueryClient()
  const [goal, setGoal] = useState<Target | null>(null)
  /** The goal, or if that is gone what is nearest to it, once it has been loaded; it is drawn a moment later. */
  const [target, setTarget] = useState<Target | null>(null)
  const [startsAt] = useState(at)
  /** How often the person went back to the end of the thread. */
  const [returns, setReturns] = useState(0)
  const { data: window } = useQuery<Timeline | null>({
    queryKey: keys.threadWindow(api.workspaceId, conversationId),
    queryFn: async ({ signal }) => (await code()).refetchWindow({ client, api, conversationId }, signal),
    enabled: ({ state }) => Boolean(state.data),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const close = useCallback(
    () => client.setQueryData(keys.threadWindow(api.workspaceId, conversationId), null),
    [client, api, conversationId],
  )
  useEffect(() => () => void close(), [close])

  const goTo = useCallback((id: string) => setGoal({ id }), [])
  useEffect(() => {
    if (at) goTo(at)
  }, [at, goTo])
  useEffect(() => {
    if (!goal) return
    const stop = new AbortController()
    const open = async (): Promise<Target> => {
      const { openWindow } = await code()
      return { id: await openWindow({ client, api, conversationId }, goal.id, stop.signal) }
    }
    open()
      .catch((error) => {
        if (!stop.signal.aborted) toastError(error)
        return goal
      })
      .then((shown) => !stop.signal.aborted && setTarget(shown))
    return () => stop.abort()
  }, [goal, client, api, conversationId])

  return {
    shown: window ?? live,
    isLive: !window,
    /** It opens at an entry that is still being loaded. */
    isFinding: startsAt !== undefined && target === null,
    target,
    returns,
    goTo,
    toEnd: useCallback(() => {
      close()
      setReturns((count) => count + 1)
    }, [close]),
  }
}
export type ThreadPlace = ReturnType<typeof useThreadPlace>
