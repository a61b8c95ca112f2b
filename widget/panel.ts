// The panel's elements: header, thread, composer. It is told what to show and says what the visitor did;
// text from people is only ever set as text.
import type { ConnectionState } from './connection.ts'
import { createIcon, element } from './element.ts'
import panelCss from './panel.css?inline'
import { renderRow, updateRow } from './render-row.ts'
import { addressesOf, layOutRows, type Row } from './rows.ts'
import type { Bubble } from './thread.ts'
import type { Shell } from './types.ts'
import { words } from './words.ts'

const bodyMax = 2000
const counterFrom = 1800
const composerHeightMaxPx = 132
const bottomSlackPx = 60
/** Shorter breaks pass unmentioned. */
const bannerDelayMs = 1_500
const phoneQuery = '(max-width: 480px)'

export type PanelState = { bubbles: Bubble[]; isClosed: boolean; isReady: boolean; visitorName: string }

type Handlers = {
  draft: string
  /** False: not taken, keep the text. */
  onSend: (body: string) => boolean
  onRetry: (clientId: string) => void
  onRemove: (clientId: string) => void
  onInput: (text: string) => void
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

  const input = element('textarea', {
    rows: '1',
    dir: 'auto',
    placeholder: words.placeholder,
    'aria-label': words.composer,
    'aria-describedby': 'foyer-counter',
    enterkeyhint: 'send',
    autocomplete: 'off',
  })
  const counter = element('p', { class: 'counter', id: 'foyer-counter', 'aria-live': 'polite', hidden: '' })
  const sendButton = element(
    'button',
    { type: 'submit', class: 'send', 'aria-label': words.send, disabled: '' },
    [createIcon('M12 19V5m-6 6 6-6 6 6')],
  )
  const composer = element('form', { class: 'composer' }, [
    element('div', { class: 'field' }, [input, sendButton]),
    counter,
  ])

  const panel = element(
    'section',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'foyer-title', hidden: '' },
    [header, banner, element('div', { class: 'thread' }, [scroller, jump]), composer],
  )
  shell.root.prepend(panel)

  let rows = new Map<string, { row: Row; node: HTMLElement }>()
  let isUnavailable = false
  let bannerTimer: ReturnType<typeof setTimeout> | undefined
  let pageOverflow = ''
  /** The newest message stays in view until the visitor scrolls up. */
  let isPinned = true

  const isPhone = (): boolean => matchMedia(phoneQuery).matches
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
        // Half of it, or, for one taller than the thread, half of the thread.
        const shown = entry.intersectionRect.height
        const isShown =
          shown > 0 && (entry.intersectionRatio >= 0.5 || shown >= (entry.rootBounds?.height ?? 0) / 2)
        entry.target.toggleAttribute('data-visible', isShown)
      }
      reportSeen()
    },
    // Steps, because a tall message never reaches the half.
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
      input.disabled = true
      updateComposer()
      showBanner(words.unavailable)
    } else {
      bannerTimer ??= setTimeout(() => showBanner(words.connectionLost), bannerDelayMs)
    }
  }
  const showBanner = (text: string): void => {
    banner.textContent = text
    banner.hidden = false
  }

  const updateComposer = (): void => {
    const length = [...input.value.trim()].length
    const left = bodyMax - length
    counter.hidden = length < counterFrom
    counter.textContent = left >= 0 ? words.left(left) : words.over(-left)
    counter.toggleAttribute('data-over', left < 0)
    input.setAttribute('aria-invalid', String(left < 0))
    sendButton.disabled = length === 0 || left < 0 || isUnavailable
    input.style.height = 'auto'
    // Hidden elements measure 0; the height is taken again on open.
    if (input.scrollHeight > 0) input.style.height = `${Math.min(input.scrollHeight, composerHeightMaxPx)}px`
    input.style.overflowY = input.scrollHeight > composerHeightMaxPx ? 'auto' : 'hidden'
  }

  const submit = (): void => {
    const body = input.value.trim()
    if (sendButton.disabled) return
    if (!handlers.onSend(body)) {
      counter.hidden = false
      counter.textContent = words.outboxFull
      return
    }
    input.value = ''
    updateComposer()
    scrollToBottom()
    input.focus()
  }

  composer.addEventListener('submit', (event) => {
    event.preventDefault()
    submit()
  })
  input.addEventListener('input', () => {
    updateComposer()
    handlers.onInput(input.value)
  })
  input.addEventListener('keydown', (event) => {
    // Enter also confirms a word in an input method; that one is not ours (229: Safari's order of events).
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit()
  })
  closeButton.addEventListener('click', () => handlers.onClose())
  jump.addEventListener('click', () => {
    scrollToBottom()
    input.focus()
  })
  scroller.addEventListener('scroll', () => {
    isPinned = isAtBottom()
    if (isPinned) jump.hidden = true
  })
  // A growing composer, a banner, a phone's keyboard or a late picture must not push the newest message away.
  const resized = new ResizeObserver(() => {
    if (isPinned) scrollToBottom()
  })
  resized.observe(scroller)
  resized.observe(log)
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      handlers.onClose()
    } else if (event.key === 'Tab' && isPhone()) keepFocusInside(event)
  })
  shell.launcher.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) handlers.onClose()
  })
  // The host page sees keys as coming from a plain div, and its shortcuts would fire while somebody writes.
  for (const type of ['keydown', 'keypress', 'keyup'] as const) {
    panel.addEventListener(type, (event) => event.stopPropagation())
  }
  document.addEventListener('visibilitychange', reportSeen)

  /** On a phone the panel covers the page: focus must not wander behind it. */
  const keepFocusInside = (event: KeyboardEvent): void => {
    const stops = [
      ...panel.querySelectorAll<HTMLElement>(
        'button:not([disabled]):not([hidden]), a[href], textarea, [tabindex="0"]',
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

  /** Phone keyboards shrink the visual viewport only; without this the composer would lie under the keys. */
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

  input.value = handlers.draft

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
      pageOverflow = document.documentElement.style.overflow
      panel.hidden = false
      fitPage()
      updateComposer()
      scrollToBottom()
      if (takesFocus) (input.disabled ? closeButton : input).focus({ preventScroll: true })
      reportSeen()
    },
    close: (): void => {
      panel.hidden = true
      fitPage()
    },
  }
}

const isSameContent = (a: Row, b: Row): boolean =>
  a.kind === 'bubble' && b.kind === 'bubble'
    ? a.bubble.body === b.bubble.body && addressesOf(a.bubble) === addressesOf(b.bubble)
    : a.signature === b.signature
