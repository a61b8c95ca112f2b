// The thread on screen: its rows, the typing indicator, and which messages the visitor has seen.

import type { Visitor } from './chatting.ts'
import { createIcon, element } from './element.ts'
import { createEmailAsk, type LeaveEmail } from './email-ask.ts'
import { type RowActions, renderRow, updateRow } from './render-row.ts'
import { addressesOf, layOutRows, type Row } from './rows.ts'
import type { Bubble } from './thread.ts'
import type { Shell } from './types.ts'
import { fill, words } from './words.ts'

const bottomSlackPx = 60
const typingMaxMs = 10_000

export type ThreadActions = RowActions & { markSeen: (messageId: string) => void; leaveEmail: LeaveEmail }

export const createThreadView = (
  { base, settings }: Pick<Shell, 'base' | 'settings'>,
  actions: ThreadActions,
  onJump: () => void,
) => {
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
  const typing = createTyping()
  const ask = createEmailAsk(settings, actions.leaveEmail, () => keepPinned())
  const scroller = element(
    'div',
    { class: 'scroller', tabindex: '0', 'aria-label': words.conversation, role: 'region' },
    [greeting, skeleton, log, ...ask.nodes, typing.node],
  )
  const jump = element('button', { type: 'button', class: 'jump', hidden: '' }, [
    words.newMessages,
    createIcon('M12 5v14m-6-6 6 6 6-6'),
  ])
  const seen = createSeenMarks(scroller, log, actions.markSeen)
  const renderRows = createRows(log, seen.observer, (row) => renderRow(row, base, actions))
  let isUnavailable = false
  /** The newest message stays in view until the visitor scrolls up. */
  let isPinned = true

  const scrollToBottom = (): void => {
    scroller.scrollTop = scroller.scrollHeight
    isPinned = true
    jump.hidden = true
  }
  const keepPinned = (): void => {
    if (isPinned) scrollToBottom()
  }

  jump.addEventListener('click', () => {
    scrollToBottom()
    onJump()
  })
  log.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.matches('.more')) isPinned = false
  })
  scroller.addEventListener('scroll', () => {
    isPinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < bottomSlackPx
    if (isPinned) jump.hidden = true
  })
  // A growing composer, a banner, a keyboard or a late image must not push the newest message out of view.
  const resized = new ResizeObserver(keepPinned)
  resized.observe(scroller)
  resized.observe(log)

  return {
    node: element('div', { class: 'thread' }, [scroller, jump]),
    scrollToBottom,
    reportSeen: seen.report,
    render: (bubbles: Bubble[], visitor: Visitor): void => {
      const { isReady, conversation, name } = visitor
      const [hasNewOwn, hasNewOther] = renderRows(
        layOutRows(bubbles, conversation?.status === 'closed', new Date()),
      )
      const isEmpty = bubbles.length === 0
      greeting.hidden = !isEmpty || !isReady
      if (isEmpty && isReady)
        greeting.replaceChildren(
          element('p', { class: 'hello' }, name ? fill(words.helloName, { name }) : words.hello),
          element('p', { dir: 'auto' }, settings.greeting || words.greetingText),
        )
      skeleton.hidden = isReady || !isEmpty || isUnavailable
      ask.render(bubbles, visitor)
      if (isPinned || hasNewOwn) scrollToBottom()
      else if (hasNewOther) jump.hidden = false
    },
    setPresence: ask.setPresence,
    startOver: ask.startOver,
    disable: (): void => {
      isUnavailable = true
      skeleton.hidden = true
    },
    setTyping: (nickname: string | null): void => {
      typing.show(nickname)
      keepPinned()
    },
  }
}

/** Renders rows by key: a row that only changed its state keeps its element. */
const createRows = (log: HTMLElement, seen: IntersectionObserver, render: (row: Row) => HTMLElement) => {
  let rows = new Map<string, { row: Row; node: HTMLElement }>()
  return (wanted: Row[]) => {
    const next = new Map<string, { row: Row; node: HTMLElement }>()
    let hasNewOwn = false
    let hasNewOther = false
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
      const node = isKept ? known.node : render(row)
      if (isKept && known.row.signature !== row.signature) updateRow(node, render(row))
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
    return [hasNewOwn, hasNewOther]
  }
}

const isSameContent = (a: Row, b: Row): boolean =>
  a.kind === 'bubble' && b.kind === 'bubble'
    ? a.bubble.body === b.bubble.body &&
      a.bubble.byEmail === b.bubble.byEmail &&
      addressesOf(a.bubble) === addressesOf(b.bubble)
    : a.signature === b.signature

/** Marks the messages that are on screen, and reports the newest of them. */
const createSeenMarks = (scroller: HTMLElement, log: HTMLElement, onSeen: (messageId: string) => void) => {
  const report = (): void => {
    // A closed panel has no layout.
    if (scroller.clientHeight === 0 || document.visibilityState !== 'visible') return
    const visible = log.querySelectorAll<HTMLElement>('[data-to-visitor][data-visible]')
    const newest = visible[visible.length - 1]?.dataset.toVisitor
    if (newest) onSeen(newest)
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        // Visible means half of the message or, if it is taller than the thread, half of the thread.
        const shown = entry.intersectionRect.height
        const isVisible =
          shown > 0 && (entry.intersectionRatio >= 0.5 || shown >= (entry.rootBounds?.height ?? 0) / 2)
        entry.target.toggleAttribute('data-visible', isVisible)
      }
      report()
    },
    // Several thresholds, because a tall message never reaches one half.
    { root: scroller, threshold: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 1] },
  )
  document.addEventListener('visibilitychange', report)
  return { observer, report }
}

const createTyping = () => {
  const text = element('span', { class: 'typing-text' })
  const dots = [element('i', {}), element('i', {}), element('i', {})]
  const node = element('div', { class: 'typing', hidden: '' }, [
    element('span', { class: 'dots', 'aria-hidden': 'true' }, dots),
    text,
  ])
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = (nickname: string | null): void => {
    clearTimeout(timer)
    node.hidden = nickname === null
    if (nickname === null) return
    text.textContent = fill(words.typing, { name: nickname || words.agent })
    timer = setTimeout(() => show(null), typingMaxMs)
  }
  return { node, show }
}
