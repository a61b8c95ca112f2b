import { cloneElement, type ReactElement, type ReactNode, type RefObject, useRef, useState } from 'react'

/** Loads code once per page: requested when the pointer comes near, available at once after that. */
export const loadOnce = <T,>(load: () => Promise<T>) => {
  let loaded: T | undefined
  let coming: Promise<T> | undefined
  return {
    get: (): T | undefined => loaded,
    load: (): Promise<T> => {
      coming ??= load().then(
        (parts) => {
          loaded = parts
          return parts
        },
        (error: unknown) => {
          coming = undefined
          throw error
        },
      )
      return coming
    },
  }
}

export type PopupProps = {
  anchor: RefObject<HTMLElement | null>
  isOpen: boolean
  onOpenChange: (isOpen: boolean, details: { event: Event }) => void
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'bottom'
  label: string
  children: ReactNode
}

/** Where every popup is, relative to its button. */
export const POPUP_PLACE = { sideOffset: 4, collisionPadding: 8, className: 'popup-place' }

type Opener = Pick<PopupProps, 'anchor' | 'isOpen' | 'onOpenChange'>

type Parts<T> = ReturnType<typeof loadOnce<T>>

/** A button that opens something loaded on demand; it stays the same element throughout. */
export const usePopupTrigger = <T,>(
  trigger: ReactElement<Record<string, unknown>>,
  kind: 'menu' | 'dialog',
  parts: Parts<T>,
  controlled: { isOpen?: boolean; onOpenChange?: (isOpen: boolean) => void } = {},
) => {
  const anchor = useRef<HTMLElement>(null)
  const [ownOpen, setOwnOpen] = useState(false)
  const [, setLoaded] = useState(parts.get() !== undefined)
  const isOpen = controlled.isOpen ?? ownOpen
  const prepare = (): void => {
    if (!parts.get())
      parts.load().then(
        () => setLoaded(true),
        () => {},
      )
  }
  if (isOpen) prepare()
  const setOpen = (open: boolean): void => {
    setOwnOpen(open)
    controlled.onOpenChange?.(open)
  }
  const button = cloneElement(trigger, {
    ref: anchor,
    'aria-haspopup': kind,
    'aria-expanded': isOpen,
    'data-popup-open': isOpen ? '' : undefined,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: () => setOpen(!isOpen),
    ...(kind === 'menu'
      ? {
          onKeyDown: (event: React.KeyboardEvent) => {
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
            event.preventDefault()
            setOpen(true)
          },
        }
      : {}),
  })
  const onOpenChange: PopupProps['onOpenChange'] = (open, { event }) => {
    // The button handles clicks on itself.
    if (!open && event.target instanceof Node && anchor.current?.contains(event.target)) return
    setOpen(open)
  }
  const popup = (draw: (parts: T, opener: Opener) => ReactNode): ReactNode => {
    const loaded = parts.get()
    return loaded === undefined ? null : draw(loaded, { anchor, isOpen, onOpenChange })
  }
  return { button, popup }
}
