import { useEffect, useRef } from 'react'

/** What arrives while somebody writes counts as seen after this time: they look at their own words. */
const SEEN_AFTER_MS = 10_000

/** The newest message that the person has seen. */
export const useSeen = (newestId: string | null, isWriting: boolean) => {
  const seen = useRef(newestId)
  useEffect(() => {
    const see = (): void => {
      if (newestId !== null && newestId > (seen.current ?? '')) seen.current = newestId
    }
    if (isWriting) setTimeout(see, SEEN_AFTER_MS)
    else see()
  }, [newestId, isWriting])
  return seen
}
