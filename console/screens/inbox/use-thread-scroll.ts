// A thread's scrolling: where the person is in it, and loading what comes near.
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import { loadEarlier } from '../../state/timeline.ts'
import { toastError } from '../../ui/toast.tsx'

const LOAD_BEFORE_PX = 800
/** The longest it may take to measure what is shown first and scroll there. */
const PLACING_MAX_MS = 500
export const AT_END_PX = 80
/** How long a match is looked for in a row that is being drawn. */
const FRAMES_MAX = 60
const STEADY_FRAMES = 10

const distanceToEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number =>
  scrollHeight - scrollTop - clientHeight

/** A growing composer or an on-screen keyboard must not cover the newest message. */
export const useStayAtEnd = (scroller: RefObject<HTMLDivElement | null>): void => {
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      const lost = height - element.clientHeight
      height = element.clientHeight
      if (distanceToEnd(element) < lost + AT_END_PX) element.scrollTop = element.scrollHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])
}

type End = 'start' | 'end'

/** Loads the page before the oldest entry, or in a window, after its newest. */
export const usePages = (conversationId: string, hasEarlier: boolean, isLive: boolean) => {
  const { api } = useSession()
  const client = useQueryClient()
  const [loading, setLoading] = useState<End | null>(null)
  const isBusy = useRef(false)
  const load = useCallback(
    async (end: End) => {
      if (isBusy.current || (end === 'start' ? !hasEarlier : isLive)) return
      isBusy.current = true
      setLoading(end)
      const work =
        end === 'start'
          ? loadEarlier(client, api, conversationId, isLive ? keys.timeline : keys.threadWindow)
          : import('../../state/thread-window.ts').then(({ loadLater }) =>
              loadLater({ client, api, conversationId }),
            )
      await work.catch(toastError)
      isBusy.current = false
      setLoading(null)
    },
    [client, api, conversationId, hasEarlier, isLive],
  )
  return { loading, load }
}

/**
 * Where the agent is in the thread: `onScroll` looks, `isAway` is true away from its end, `hasNewBelow` if messages
 * arrived since. A conversation opens at its end or at an entry; until it is scrolled there, its position means nothing.
 */
export const usePosition = (
  scroller: RefObject<HTMLDivElement | null>,
  {
    newestId,
    rowCount,
    isLive,
    onNear,
  }: { newestId: string | undefined; rowCount: number; isLive: boolean; onNear: (end: End) => Promise<void> },
) => {
  const [isScrolledUp, setScrolledUp] = useState(false)
  const [wasPlaced, setWasPlaced] = useState(false)
  const isPlaced = useRef(false)
  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const distance = distanceToEnd(element)
    if (distance < AT_END_PX && isLive) isPlaced.current = true
    if (!isPlaced.current) return
    setWasPlaced(true)
    setScrolledUp(distance > AT_END_PX * 2)
    if (element.scrollTop < LOAD_BEFORE_PX) void onNear('start')
    if (distance < LOAD_BEFORE_PX) void onNear('end')
  }, [scroller, isLive, onNear])
  // With more rows, the same place is nearer to or farther from an end.
  useEffect(() => {
    onScroll()
    if (isPlaced.current || rowCount === 0) return
    // If the agent scrolls up at once, the end is never reached: their position counts from here on.
    const timer = setTimeout(() => {
      isPlaced.current = true
      onScroll()
    }, PLACING_MAX_MS)
    return () => clearTimeout(timer)
  }, [onScroll, rowCount])

  const isAway = isScrolledUp || !isLive
  const newestSeen = useRef(newestId)
  if (!isAway) newestSeen.current = newestId
  return { isPlaced, isAway, hasNewBelow: isAway && wasPlaced && newestId !== newestSeen.current, onScroll }
}

/** In an entry that is higher than the window, scrolls to the first word that was found. */
export const showMark = (scroller: HTMLElement | null): (() => void) => {
  let frame = 0
  let next = 0
  const look = (): void => {
    frame++
    const mark = frame < STEADY_FRAMES ? null : scroller?.querySelector('.thread__row--found mark')
    if (mark && scroller) {
      const box = scroller.getBoundingClientRect()
      const { top, bottom } = mark.getBoundingClientRect()
      if (top < box.top || bottom > box.bottom) scroller.scrollBy(0, top - box.top - box.height / 2)
    } else if (frame < FRAMES_MAX) next = requestAnimationFrame(look)
  }
  next = requestAnimationFrame(look)
  return () => cancelAnimationFrame(next)
}
