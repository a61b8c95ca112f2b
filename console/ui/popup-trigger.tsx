import { cloneElement, type ReactElement, type ReactNode, Suspense, useRef, useState } from 'react'

/** A button that opens something whose code comes later: it stays the same element before, while and after. */
export const usePopupTrigger = (
  trigger: ReactElement<Record<string, unknown>>,
  kind: 'menu' | 'dialog',
  load: () => Promise<unknown>,
  controlled: { isOpen?: boolean; onOpenChange?: (isOpen: boolean) => void } = {},
) => {
  const anchor = useRef<HTMLElement>(null)
  const [isWanted, setWanted] = useState(false)
  const [ownOpen, setOwnOpen] = useState(false)
  const isOpen = controlled.isOpen ?? ownOpen
  const setOpen = (open: boolean): void => {
    if (open) setWanted(true)
    setOwnOpen(open)
    controlled.onOpenChange?.(open)
  }
  const prepare = (): void => void load()
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
  const whenWanted = (popup: ReactNode) => (isWanted || isOpen) && <Suspense>{popup}</Suspense>
  return { anchor, isOpen, setOpen, button, whenWanted }
}
