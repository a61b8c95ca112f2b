// One tooltip for the whole page, moved to where it is needed: a popup per button would cost more than the buttons.
import { cloneElement, type ReactElement, useEffect, useRef, useState } from 'react'
import { Keys } from './kbd.tsx'

const DELAY_MS = 450
/** Shortly after one was shown, the next appears at once. */
const WARM_MS = 400
const GAP_PX = 6
const EDGE_PX = 8

/** Visual only: its text must also be the accessible name or the text of the element. */
export const Tooltip = ({
  label,
  keys,
  children,
}: {
  label: string
  keys?: string
  children: ReactElement<Record<string, unknown>>
}) => cloneElement(children, { 'data-tip': label, 'data-tip-keys': keys })

type Shown = { element: HTMLElement; label: string; keys: string | undefined }

/** Rendered once, in the shell. */
export const TooltipLayer = () => {
  const [shown, setShown] = useState<Shown | null>(null)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let hiddenMs = 0
    let current: HTMLElement | null = null
    const hide = (): void => {
      clearTimeout(timer)
      if (current) hiddenMs = performance.now()
      current = null
      setShown(null)
    }
    const show = (element: HTMLElement): void => {
      clearTimeout(timer)
      const isWarm = current !== null || performance.now() - hiddenMs < WARM_MS
      timer = setTimeout(
        () => {
          if (!element.isConnected || element.hasAttribute('data-popup-open')) return
          current = element
          setShown({ element, label: element.dataset.tip ?? '', keys: element.dataset.tipKeys })
        },
        isWarm ? 0 : DELAY_MS,
      )
    }
    const tipOf = (event: Event): HTMLElement | null =>
      event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') : null
    const onOver = (event: PointerEvent): void => {
      if (event.pointerType === 'touch') return
      const element = tipOf(event)
      if (element && element !== current) show(element)
      else if (!element) hide()
    }
    const onFocus = (event: FocusEvent): void => {
      const element = tipOf(event)
      if (element?.matches(':focus-visible')) show(element)
      else hide()
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') hide()
    }
    document.addEventListener('pointerover', onOver)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('focusin', onFocus)
    document.addEventListener('focusout', hide)
    document.addEventListener('keydown', onKey)
    document.addEventListener('scroll', hide, true)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('pointerover', onOver)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('scroll', hide, true)
    }
  }, [])

  useEffect(() => {
    if (!shown || !box.current) return
    const at = shown.element.getBoundingClientRect()
    const own = box.current.getBoundingClientRect()
    const below = at.bottom + GAP_PX
    const fits = below + own.height < innerHeight - EDGE_PX
    const left = at.left + at.width / 2 - own.width / 2
    box.current.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - own.width - EDGE_PX))}px`
    box.current.style.top = `${fits ? below : at.top - GAP_PX - own.height}px`
    box.current.style.visibility = 'visible'
  }, [shown])

  if (!shown) return null
  return (
    <div ref={box} key={shown.label} className="tooltip" aria-hidden>
      {shown.label}
      {shown.keys && <Keys keys={shown.keys} />}
    </div>
  )
}
