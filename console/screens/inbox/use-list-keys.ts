// The list by keyboard. It is one tab stop: arrow keys, Home and End move the focus among the rows, Enter goes on to the
// conversation. J and K open the next and previous one wherever the focus is.
import type { Virtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import type { View } from '../../state/conversations.ts'
import type { ConversationRow as Row } from '../../state/types.ts'
import { t } from '../../words/t.ts'
import { isLeaving, notePlace, rowBeside } from './list-place.ts'

/** How long something that is about to be drawn is looked for. */
const FRAMES_MAX = 90

const focusWhenDrawn = (find: () => HTMLElement | null | undefined, framesLeft = FRAMES_MAX): void => {
  requestAnimationFrame(() => {
    const found = find()
    if (found) found.focus({ preventScroll: true })
    else if (framesLeft > 0) focusWhenDrawn(find, framesLeft - 1)
  })
}

export const threadId = (conversationId: string): string => `thread-${conversationId}`
export const focusThread = (conversationId: string): void =>
  focusWhenDrawn(() => document.getElementById(threadId(conversationId)))

/** Moves the focus from the search field to the first row when that is there. */
export const useFirstRow = (
  isWanted: boolean,
  focusRow: (index: number) => void,
  onDone: () => void,
): void => {
  useEffect(() => {
    if (!isWanted) return
    focusRow(0)
    onDone()
  })
}

type Input = {
  /** Which list it is. */
  name: string
  rows: readonly Row[]
  virtual: Virtualizer<HTMLDivElement, Element>
  scroller: RefObject<HTMLDivElement | null>
  view: View
  openId: string | undefined
  onOpen: (id: string, replace: boolean) => void
}

export const useListKeys = ({ name, rows, virtual, scroller, view, openId, onOpen }: Input) => {
  const [focusedId, setFocusedId] = useState<string>()
  const focusDrawn = (index: number): void =>
    focusWhenDrawn(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`))
  const focusRow = (index: number): void => {
    virtual.scrollToIndex(index, { align: 'auto' })
    focusDrawn(index)
  }

  useEffect(() => notePlace(name, rows, openId), [name, rows, openId])
  const wasOpen = useRef(openId)
  useEffect(() => {
    const index = rows.findIndex(({ id }) => id === wasOpen.current)
    // What had the focus is gone with the conversation.
    if (!openId && index !== -1 && document.activeElement === document.body) focusDrawn(index)
    wasOpen.current = openId
  })

  const step = (by: 1 | -1): void => {
    const row = rowBeside(by, isLeaving(view))
    if (!row || row.id === openId) return
    const index = rows.indexOf(row)
    onOpen(row.id, openId !== undefined)
    if (scroller.current?.contains(document.activeElement)) focusRow(index)
    else virtual.scrollToIndex(index, { align: 'auto' })
  }
  const group = t`Inbox`
  useCommands([
    { id: 'next', label: t`Next conversation`, group, keys: 'j', run: () => step(1), inPalette: false },
    {
      id: 'previous',
      label: t`Previous conversation`,
      group,
      keys: 'k',
      run: () => step(-1),
      inPalette: false,
    },
  ])

  /** The row that has the focus, or the open one. */
  const here = (): Row | undefined => {
    const id = scroller.current?.contains(document.activeElement) ? focusedId : (openId ?? focusedId)
    return rows.find((row) => row.id === id) ?? rows[0]
  }

  const indexOf = (target: EventTarget): number => {
    const row = (target as HTMLElement).closest<HTMLElement>('[data-index]')
    return row ? Number(row.dataset.index) : -1
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = indexOf(event.target)
    const row = rows[index]
    if (!row || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const last = rows.length - 1
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: last }[event.key]
    if (to !== undefined) focusRow(Math.max(0, Math.min(to, last)))
    else if (event.key === 'Enter') {
      if (row.id !== openId) onOpen(row.id, openId !== undefined)
      focusThread(row.id)
    } else return
    event.preventDefault()
  }
  const onFocus = (event: FocusEvent): void => setFocusedId(rows[indexOf(event.target)]?.id)

  const drawn = virtual.getVirtualItems().map(({ index }) => rows[index]?.id)
  const tabStop = drawn.includes(focusedId)
    ? focusedId
    : drawn.includes(openId)
      ? openId
      : rows[virtual.range?.startIndex ?? 0]?.id
  return { focusRow, tabStop, onKeyDown, onFocus, here, step }
}
