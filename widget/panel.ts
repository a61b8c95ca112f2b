// The panel's elements: header, thread, composer. It renders what it is given and reports what the visitor
// does; text from people is only ever set as text.
import { type ComposerHandlers, createComposer } from './composer.ts'
import type { ConnectionState } from './connection.ts'
import { createCover } from './cover.ts'
import { createIcon, element } from './element.ts'
import panelCss from './panel.css?inline'
import { renderRow, updateRow } from './render-row.ts'
import { addressesOf, layOutRows, type Row } from './rows.ts'
import type { Bubble } from './thread.ts'
import type { Shell } from './types.ts'
import { words } from './words.ts'

const bottomSlackPx = 60
/** Shorter interruptions are not shown. */
const bannerDelayMs = 1_500

export type PanelState = { bubbles: Bubble[]; isClosed: boolean; isReady: boolean; visitorName: string }

type Handlers = ComposerHandlers & {
  onRetry: (clientId: string) => void
  onRemove: (clientId: string) => void
  onSeen: (messageId: string) => void
  onClose: () => void
}

export const createPanel = (shell: Shell, handlers: Handlers) => {
  shell.addStyle(panelCss)

  const presence = element('p', { class: 'presence' }, words.presenceUnknown)
  const closeButton = element('button', { type: 'button', class: 'icon-button', 'aria-label': words.close }, [
    createIcon('M6 6l12 12M18 6 6 18'),
  ])
  const title = element('h2', { id: 'foyer-title', dir: 'auto' }, shell.title || words.title)
  const header = element('header', {}, [
    element('span', { class: 'mark', 'aria-hidden': 'true' }, [
      createIcon(
        'M12 4c-4.700 0-8.500 3.200-8.500 7.200 0 2.300 1.200 4.300 3.100 5.600l-.6 3.200 3.500-1.800c.8.2 1.600.2 2.500.2 4.700 0 8.500-3.200 8.500-7.200S16.700 4 12 4Z',
      ),
    ]),
    element('div', { class: 'titles' }, [title, presence]),
    closeButton,
  ])

  const banner = element('p', { class: 'banner', role: 'status', hidden: '' })
  const greeting = element('div', { class: 'greeting', hidden: '' })
  const skeleton = element('div', { class: 'skeleton', 'aria-hidden': 'true', hidden: '' }, [
    element('span', {}),
    element('span', {}),
    element('span', {}),
  ])
  const log = element('div', {
    class: 'log',
    role: 'log',
    'aria-live': 'polite',
    'aria-relevant': 'additions',
    'aria-label': words.thread,
  })
  const typing = element('div', { class: 'typing', hidden: '' }, [
    element('span', { class: 'dots', 'aria-hidden': 'true' }, [
      element('i', {}),
      element('i', {}),
      element('i', {}),
    ]),
    element('span', { class: 'typing-text', dir: 'auto' }),
  ])
  const scroller = element(
    'div',
    { class: 'scroller', tabindex: '0', 'aria-label': words.conversation, role: 'region' },
    [greeting, skeleton, log, typing],
  )
  const jump = element('button', { type: 'button', class: 'jump', hidden: '' }, [
    words.newMessages,
    createIcon('M12 5v14m-6-6 6 6 6-6'),
  ])

  const composer = createComposer(handlers, () => scrollToBottom())
  const panel = element(
    'section',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'foyer-title', hidden: '' },
    [header, banner, element('div', { class: 'thread' }, [scroller, jump]), composer.form],
  )
  shell.root.prepend(panel)

  let rows = new Map<string, { row: Row; node: HTMLElement }>()
  let isUnavailable = false
  let bannerTimer: ReturnType<typeof setTimeout> | undefined
  /** The newest message stays in view until the visitor scrolls up. */
  let isPinned = true

  const cover = createCover(panel, shell)
  const isAtBottom = (): boolean =>
    scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < bottomSlackPx
  const scrollToBottom = (): void => {
    scroller.scrollTop = scroller.scrollHeight
    isPinned = true
    jump.hidden = true
  }

  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        // Visible means half of the message or, if it is taller than the thread, half of the thread.
        const shown = entry.intersectionRect.height
        const isShown =
          shown > 0 && (entry.intersectionRatio >= 0.5 || shown >= (entry.rootBounds?.height ?? 0) / 2)
        entry.target.toggleAttribute('data-visible', isShown)
      }
      reportSeen()
    },
    // Several thresholds, because a tall message never reaches one half.
    { root: scroller, threshold: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 1] },
  )
  const reportSeen = (): void => {
    if (panel.hidden || document.visibilityState !== 'visible') return
    const visible = log.querySelectorAll<HTMLElement>('[data-to-visitor][data-visible]')
    const newest = visible[visible.length - 1]?.dataset.toVisitor
    if (newest) handlers.onSeen(newest)
  }

  const render = ({ bubbles, isClosed, isReady, visitorName }: PanelState): void => {
    const next = new Map<string, { row: Row; node: HTMLElement }>()
    let hasNewOwn = false
    let hasNewOther = false
    const wanted = layOutRows(bubbles, isClosed, new Date())
    const wantedKeys = new Set(wanted.map((row) => row.key))
    const discard = (node: HTMLElement): void => {
      if (cursor === node) cursor = node.nextSibling
      seen.unobserve(node)
      node.remove()
    }
    let cursor: ChildNode | null = log.firstChild
    for (const [key, { node }] of rows) if (!wantedKeys.has(key)) discard(node)
    for (const row of wanted) {
      const known = rows.get(row.key)
      const isKept = known !== undefined && isSameContent(known.row, row)
      const node = isKept ? known.node : renderRow(row, shell.base, handlers)
      if (isKept && known.row.signature !== row.signature) updateRow(node, row, shell.base, handlers)
      if (!known) {
        if (rows.size > 0) node.classList.add('fresh')
        if (row.kind === 'bubble' && row.bubble.senderType === 'customer') hasNewOwn = true
        else if (row.kind === 'bubble') hasNewOther = true
      }
      if (known && !isKept) discard(known.node)
      if (cursor === node) cursor = node.nextSibling
      else log.insertBefore(node, cursor)
      if (!isKept && node.dataset.toVisitor) seen.observe(node)
      next.set(row.key, { row, node })
    }
    rows = next

    const isEmpty = bubbles.length === 0
    greeting.hidden = !isEmpty || !isReady
    if (isEmpty && isReady) {
      greeting.replaceChildren(
        element('p', { class: 'hello', dir: 'auto' }, words.greeting(visitorName)),
        element('p', {}, words.greetingText),
      )
    }
    skeleton.hidden = isReady || !isEmpty || isUnavailable
    if (isPinned || hasNewOwn) scrollToBottom()
    else if (hasNewOther) jump.hidden = false
  }

  const setConnection = (state: ConnectionState): void => {
    if (state === 'connected' || state === 'unavailable') {
      clearTimeout(bannerTimer)
      bannerTimer = undefined
    }
    if (state === 'connected') {
      banner.hidden = true
    } else if (state === 'unavailable') {
      isUnavailable = true
      skeleton.hidden = true
      composer.disable()
      showBanner(words.unavailable)
    } else {
      bannerTimer ??= setTimeout(() => showBanner(words.connectionLost), bannerDelayMs)
    }
  }
  const showBanner = (text: string): void => {
    banner.textContent = text
    banner.hidden = false
  }

  closeButton.addEventListener('click', () => handlers.onClose())
  jump.addEventListener('click', () => {
    scrollToBottom()
    composer.focus()
  })
  scroller.addEventListener('scroll', () => {
    isPinned = isAtBottom()
    if (isPinned) jump.hidden = true
  })
  // A growing composer, a banner, a keyboard or a late image must not push the newest message out of view.
  const resized = new ResizeObserver(() => {
    if (isPinned) scrollToBottom()
  })
  resized.observe(scroller)
  resized.observe(log)
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      handlers.onClose()
    } else if (event.key === 'Tab') cover.keepFocusInside(event)
  })
  shell.launcher.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) handlers.onClose()
  })
  // The host page sees key events from a plain div, so its shortcuts would fire while someone is typing.
  for (const type of ['keydown', 'keypress', 'keyup'] as const) {
    panel.addEventListener(type, (event) => event.stopPropagation())
  }
  document.addEventListener('visibilitychange', reportSeen)

  return {
    render,
    reportSeen,
    setConnection,
    setPresence: (isOnline: boolean): void => {
      presence.textContent = isOnline ? words.online : words.offline
      presence.dataset.online = String(isOnline)
    },
    setTyping: (nickname: string | null): void => {
      typing.hidden = nickname === null
      if (nickname !== null) typing.lastElementChild!.textContent = words.typing(nickname || words.agent)
      if (isPinned) scrollToBottom()
    },
    open: (takesFocus: boolean): void => {
      cover.open()
      composer.update()
      scrollToBottom()
      if (takesFocus && !composer.focus()) closeButton.focus({ preventScroll: true })
      reportSeen()
    },
    close: (): void => {
      cover.close()
    },
  }
}

const isSameContent = (a: Row, b: Row): boolean =>
  a.kind === 'bubble' && b.kind === 'bubble'
    ? a.bubble.body === b.bubble.body && addressesOf(a.bubble) === addressesOf(b.bubble)
    : a.signature === b.signature
