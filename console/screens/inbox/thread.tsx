import { useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { dateOf, dayHeading } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import { loadEarlier, type Timeline } from '../../state/timeline.ts'
import type { ConversationDetails, Message, TimelineEntry } from '../../state/types.ts'
import { channelName } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toastError } from '../../ui/toast.tsx'
import { Entry } from './entry.tsx'
import type { Outbox, Outgoing } from './outbox.ts'
import { OutgoingEntry } from './outgoing-entry.tsx'
import { findStored, type ThreadRow, threadRows } from './thread-rows.ts'

const LOAD_BEFORE_PX = 800
/** The longest it may take to measure the newest messages and scroll to the end. */
const PLACING_MAX_MS = 500
const AT_END_PX = 80
const LINE_PX = 20
const LINE_CHARACTERS = 60

/** An initial estimate of a row's height; rows are measured once rendered. */
const guess = (row: ThreadRow | undefined): number => {
  if (row?.kind !== 'entry') return 44
  const { entry } = row
  if (entry.kind === 'message' && entry.message.senderType === 'system') return 32
  const body = entry.kind === 'note' ? entry.note.body : entry.message.body
  const lines = Math.min(20, 1 + body.length / LINE_CHARACTERS + body.split('\n').length - 1)
  const files = entry.kind === 'message' ? entry.message.attachments.length * 64 : 0
  return Math.round(26 + lines * LINE_PX + files + (row.isFirst ? 20 : 0))
}

type Props = {
  details: ConversationDetails
  timeline: Timeline
  outgoing: Outgoing[]
  outbox: Outbox
  firstNewId: string | null
  /** Set if replies can quote a message. */
  onReply?: ((message: Message) => void) | undefined
}

/** A growing composer or an on-screen keyboard must not cover the newest message. */
const useStayAtEnd = (scroller: RefObject<HTMLDivElement | null>): void => {
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      const lost = height - element.clientHeight
      height = element.clientHeight
      if (distanceToEnd(element) < lost + AT_END_PX) element.scrollTop = element.scrollHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])
}

const distanceToEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number =>
  scrollHeight - scrollTop - clientHeight

/** Loads the page before the oldest entry, if there is one. */
const useEarlier = (conversationId: string, hasEarlier: boolean) => {
  const { api } = useSession()
  const client = useQueryClient()
  const [isLoading, setLoading] = useState(false)
  const load = useCallback(async () => {
    if (!hasEarlier || isLoading) return
    setLoading(true)
    await loadEarlier(client, api, conversationId).catch(toastError)
    setLoading(false)
  }, [client, api, conversationId, hasEarlier, isLoading])
  return { isLoading, load }
}

/**
 * Where the agent is in the thread: `onScroll` looks, `isAway` is true away from its end, `hasNewBelow` if messages
 * arrived since. A conversation opens at its end; until it is scrolled there, its position means nothing.
 */
const usePosition = (
  scroller: RefObject<HTMLDivElement | null>,
  entries: readonly TimelineEntry[],
  onNearStart: () => Promise<void>,
) => {
  const [isAway, setAway] = useState(false)
  const [seenCount, setSeenCount] = useState(0)
  const isPlaced = useRef(false)
  const newestCount = entries.length
  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const distance = distanceToEnd(element)
    if (distance < AT_END_PX) isPlaced.current = true
    if (!isPlaced.current) return
    const away = distance > AT_END_PX * 2
    setAway(away)
    if (!away) setSeenCount(newestCount)
    if (element.scrollTop < LOAD_BEFORE_PX) void onNearStart()
  }, [scroller, onNearStart, newestCount])
  useEffect(() => {
    onScroll()
    if (isPlaced.current || newestCount === 0) return
    // If the agent scrolls up at once, the end is never reached: their position counts from here on.
    const timer = setTimeout(() => {
      isPlaced.current = true
      onScroll()
    }, PLACING_MAX_MS)
    return () => clearTimeout(timer)
  }, [onScroll, newestCount])

  const [newest] = entries
  const newestSeen = useRef(newest)
  if (!isAway) newestSeen.current = newest
  const hasNewBelow = isAway && newest !== newestSeen.current && seenCount > 0
  return { isPlaced, isAway, hasNewBelow, onScroll }
}

/** The thread's rows, and the messages in the outbox that turn out to have been sent. */
const useRows = ({ timeline, outgoing, outbox, firstNewId }: Props): ThreadRow[] => {
  const { session } = useSession()
  const accountId = session.account.id
  useEffect(() => {
    const failed = outgoing.filter(({ state }) => state === 'failed' || state === 'waiting')
    for (const key of findStored(timeline.rows, failed, accountId)) outbox.settle(key)
  }, [timeline, outgoing, outbox, accountId])
  return useMemo(
    () =>
      threadRows({
        entries: timeline.rows,
        outbox: outgoing,
        isComplete: timeline.nextCursor === null,
        firstNewId,
        accountId,
      }),
    [timeline, outgoing, firstNewId, accountId],
  )
}

export const Thread = (props: Props) => {
  const { details, timeline, outgoing, outbox, onReply } = props
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useRows(props)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guess(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: AT_END_PX,
    overscan: 10,
    paddingStart: 12,
    paddingEnd: 12,
  })
  // A row above the viewport that changes height must not move the content, in either direction: rows lose their
  // sender's name when older ones join them.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, { scrollOffset, itemSizeCache }) =>
    (itemSizeCache.has(item.key) ? item.end : item.start + 1) <= (scrollOffset ?? 0)
  const items = virtual.getVirtualItems()

  const { isLoading, load } = useEarlier(details.conversation.id, timeline.nextCursor !== null)
  const { isPlaced, isAway, hasNewBelow, onScroll } = usePosition(scroller, timeline.rows, load)
  useLayoutEffect(() => {
    if (!isPlaced.current && rows.length > 0) virtual.scrollToEnd()
  }, [isPlaced, rows.length, virtual])
  useStayAtEnd(scroller)

  // The agent's own messages scroll into view, whatever the scroll position.
  const lastKey = outgoing.at(-1)?.key
  const shownKey = useRef(lastKey)
  useEffect(() => {
    if (lastKey && lastKey !== shownKey.current) virtual.scrollToEnd()
    shownKey.current = lastKey
  }, [lastKey, virtual])

  return (
    <div className="thread">
      <div
        ref={scroller}
        className="thread__scroller"
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-label="Messages"
        aria-live="off"
      >
        {isLoading && (
          <div className="thread__loading">
            <Spinner />
          </div>
        )}
        <div className="thread__rows" style={{ height: virtual.getTotalSize() }}>
          <div className="thread__window" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ index, key }) => {
              const row = rows[index]
              return (
                row && (
                  <div key={key} data-index={index} ref={virtual.measureElement} className="thread__row">
                    <Row row={row} details={details} outbox={outbox} onReply={onReply} />
                  </div>
                )
              )
            })}
          </div>
        </div>
      </div>
      {isAway && (
        <div className="thread__down">
          <Button
            size="small"
            icon={ArrowDown}
            variant={hasNewBelow ? 'primary' : 'secondary'}
            onClick={() => virtual.scrollToEnd({ behavior: 'smooth' })}
          >
            {hasNewBelow ? 'New messages' : 'Jump to latest'}
          </Button>
        </div>
      )}
      <Announcer timeline={timeline} />
    </div>
  )
}

const Row = ({
  row,
  details,
  outbox,
  onReply,
}: { row: ThreadRow } & Pick<Props, 'details' | 'outbox' | 'onReply'>) => {
  switch (row.kind) {
    case 'start':
      return (
        <p className="thread__start">
          {channelName(details.conversation.channel)} conversation since{' '}
          {dateOf(details.conversation.createdAt)}
        </p>
      )
    case 'day':
      return (
        <h3 className="thread__day">
          <span>{dayHeading(row.moment)}</span>
        </h3>
      )
    case 'new':
      return (
        <div className="thread__new">
          <span>New</span>
        </div>
      )
    case 'outgoing':
      return <OutgoingEntry conversationId={details.conversation.id} item={row.item} outbox={outbox} />
    case 'entry':
      return <Entry entry={row.entry} isFirst={row.isFirst} isLast={row.isLast} onReply={onReply} />
  }
}

/** Announces the customer's new messages to screen readers, but not those that scroll by. */
const Announcer = ({ timeline }: { timeline: Timeline }) => {
  const [text, setText] = useState('')
  const newest = timeline.rows[0]
  const known = useRef(newest)
  useEffect(() => {
    if (newest === known.current) return
    known.current = newest
    if (newest?.kind === 'message' && newest.message.senderType === 'customer')
      setText(`${newest.message.sender.nickname}: ${newest.message.body}`)
  }, [newest])
  return (
    <p className="hidden-visually" aria-live="polite">
      {text}
    </p>
  )
}
