// Where the list is scrolled to: kept while another screen is shown or, on a phone, a conversation, and on going back to
// another list. A list that is opened anew starts at the top.
import { useRouter } from '@tanstack/react-router'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react'

const positions = new Map<string, number>()

export const useListScroll = (
  scroller: RefObject<HTMLDivElement | null>,
  { name, isLoaded, isShown }: { name: string; isLoaded: boolean; isShown: boolean },
) => {
  const { history } = useRouter()
  const shownName = useRef<string>(undefined)
  const isBack = useRef(true)
  useEffect(
    () =>
      history.subscribe(({ action }) => {
        isBack.current = action.type !== 'PUSH' && action.type !== 'REPLACE'
      }),
    [history],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone, it is drawn anew after a conversation
  useLayoutEffect(() => {
    if (!isLoaded) return
    if (shownName.current !== name && !isBack.current) positions.delete(name)
    shownName.current = name
    scroller.current?.scrollTo({ top: positions.get(name) ?? 0 })
  }, [name, isLoaded, isShown, scroller])
  return useCallback(
    ({ clientHeight, scrollTop }: HTMLElement) => {
      if (clientHeight > 0 && shownName.current === name) positions.set(name, scrollTop)
    },
    [name],
  )
}
