// On a phone the open panel covers the page: it keeps focus, and the page behind it doesn't scroll.
import type { Shell } from './types.ts'

const phoneQuery = '(max-width: 480px)'

export const createCover = (panel: HTMLElement, shell: Shell) => {
  let pageOverflow = ''
  const isPhone = (): boolean => matchMedia(phoneQuery).matches

  /** Focus must not move behind the panel. */
  const keepFocusInside = (event: KeyboardEvent): void => {
    if (!isPhone()) return
    const stops = [
      ...panel.querySelectorAll<HTMLElement>(
        'button:not([disabled]):not([hidden]), a[href], input, textarea, [tabindex="0"]',
      ),
    ].filter((stop) => stop.getClientRects().length > 0)
    const first = stops[0]
    const last = stops[stops.length - 1]
    const active = shell.root.activeElement
    if (event.shiftKey && active === first) {
      event.preventDefault()
      last?.focus()
    } else if (!event.shiftKey && active === last) {
      event.preventDefault()
      first?.focus()
    }
  }

  /** Phone keyboards only shrink the visual viewport; without this they would cover the composer. */
  const fitViewport = (): void => {
    const viewport = window.visualViewport
    if (!viewport || panel.hidden) return
    const isFitted = isPhone() && viewport.scale < 1.1
    panel.style.height = isFitted ? `${viewport.height}px` : ''
    panel.style.top = isFitted ? `${viewport.offsetTop}px` : ''
  }
  const fitPage = (): void => {
    const covers = isPhone() && !panel.hidden
    panel.setAttribute('aria-modal', String(covers))
    document.documentElement.style.overflow = covers ? 'hidden' : pageOverflow
    fitViewport()
  }
  window.visualViewport?.addEventListener('resize', fitViewport)
  window.visualViewport?.addEventListener('scroll', fitViewport)
  matchMedia(phoneQuery).addEventListener('change', () => {
    if (!panel.hidden) fitPage()
  })

  return {
    keepFocusInside,
    open: (): void => {
      pageOverflow = document.documentElement.style.overflow
      panel.hidden = false
      fitPage()
    },
    close: (): void => {
      panel.hidden = true
      fitPage()
    },
  }
}
