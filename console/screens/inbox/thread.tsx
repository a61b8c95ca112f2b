import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { dateOf, dayHeading } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import { entryId, type Timeline } from '../../state/timeline.ts'
import type { ConversationDetails, Message } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { classNames } from '../../ui/class-names.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { Entry } from './entry.tsx'
import type { Outbox, Outgoing } from './outbox.ts'
import { OutgoingEntry } from './outgoing-entry.tsx'
import { findStored, type ThreadRow, threadRows } from './thread-rows.ts'
import type { Target } from './use-thread-place.ts'
import { AT_END_PX, showMark, usePages, usePosition, useStayAtEnd } from './use-thread-scroll.ts'

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
  /** What is shown: the end of the thread, or a window in it. */
  timeline: Timeline
  /** The end of the thread. */
  live: Timeline
  isLive: boolean
  target: Target | null
  /** The match that the person is at. */
  foundId: string | null
  returns: number
  toEnd: () => void
  outgoing: Outgoing[]
  outbox: Outbox
  firstNewId: string | null
  /** Set if replies can quote a message. */
  onReply?: ((message: Message) => void) | undefined
}

/** The thread's rows, and the messages in the outbox that turn out to have been sent. */
const useRows = ({ timeline, live, isLive, outgoing, outbox, firstNewId }: Props): ThreadRow[] => {
  const { session } = useSession()
  const accountId = session.account.id
  useEffect(() => {
    const failed = outgoing.filter(({ state }) => state === 'failed' || state === 'waiting')
    for (const key of findStored(live.rows, failed, accountId)) outbox.settle(key)
  }, [live, outgoing, outbox, accountId])
  return useMemo(
    () =>
      threadRows({
        entries: timeline.rows,
        outbox: isLive ? outgoing : [],
        isComplete: timeline.nextCursor === null,
        firstNewId,
        accountId,
      }),
    [timeline, isLive, outgoing, firstNewId, accountId],
  )
}

type Drawn = {
  rows: readonly ThreadRow[]
  virtual: Virtualizer<HTMLDivElement, Element>
  scroller: RefObject<HTMLDivElement | null>
  isPlaced: RefObject<boolean>
}

/**
 * Scrolls to where the person goes: the end or an entry at first, then from entry to entry and back to the end. What was
 * gone to may be drawn only later, because the cache tells of changes after a moment.
 */
const useGoing = (
  { target, returns, isLive }: Pick<Props, 'target' | 'returns' | 'isLive'>,
  { rows, virtual, scroller, isPlaced }: Drawn,
): void => {
  const index = target ? rows.findIndex(({ key }) => key === target.id) : -1
  useLayoutEffect(() => {
    if (isPlaced.current || rows.length === 0) return
    if (index === -1) virtual.scrollToEnd()
    else virtual.scrollToIndex(index, { align: 'center' })
  }, [isPlaced, rows.length, index, virtual])
  const shown = useRef<Target>(null)
  const stopShowing = useRef<() => void>(undefined)
  useLayoutEffect(() => {
    if (!target || index === -1 || target === shown.current) return
    shown.current = target
    virtual.scrollToIndex(index, { align: 'center' })
    stopShowing.current?.()
    stopShowing.current = showMark(scroller.current)
  })
  useEffect(() => () => stopShowing.current?.(), [])
  const returned = useRef(returns)
  useLayoutEffect(() => {
    if (!isLive || returns === returned.current) return
    returned.current = returns
    virtual.scrollToEnd()
  })
}

export const Thread = (props: Props) => {
  const { details, timeline, live, isLive, foundId, toEnd, outgoing, outbox, onReply } = props
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useRows(props)
  // A window that has reached the end of the thread stays where it is.
  const wasLive = useRef(isLive)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guess(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: isLive && wasLive.current,
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
  useLayoutEffect(() => {
    wasLive.current = isLive
  })

  const { loading, load } = usePages(details.conversation.id, timeline.nextCursor !== null, isLive)
  const newest = live.rows[0]
  const { isPlaced, isAway, hasNewBelow, onScroll } = usePosition(scroller, {
    newestId: newest && entryId(newest),
    rowCount: rows.length,
    isLive,
    onNear: load,
  })
  useGoing(props, { rows, virtual, scroller, isPlaced })
  useStayAtEnd(scroller)

  // The agent's own messages scroll into view, whatever the scroll position.
  const lastKey = outgoing.at(-1)?.key
  const shownKey = useRef(lastKey)
  useEffect(() => {
    if (lastKey && lastKey !== shownKey.current) toEnd()
    shownKey.current = lastKey
  }, [lastKey, toEnd])

  return (
    <div className="thread">
      <div
        ref={scroller}
        className="thread__scroller"
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-label={t`Messages`}
        aria-live="off"
      >
        {loading && (
          <div className={classNames('thread__loading', loading === 'end' && 'thread__loading--end')}>
            <Spinner />
          </div>
        )}
        <div className="thread__rows" style={{ height: virtual.getTotalSize() }}>
          <div className="thread__window" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ index, key }) => {
              const row = rows[index]
              return (
                row && (
                  <div
                    key={key}
                    data-index={index}
                    ref={virtual.measureElement}
                    className={classNames('thread__row', key === foundId && 'thread__row--found')}
                  >
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
            onClick={() => (isLive ? virtual.scrollToEnd({ behavior: 'smooth' }) : toEnd())}
          >
            {hasNewBelow ? t`New messages` : t`Jump to latest`}
          </Button>
        </div>
      )}
      <Announcer timeline={live} />
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
          {rich`${channelName(details.conversation.channel)} conversation since ${dateOf(details.conversation.createdAt)}`}
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
          <span>{t`New`}</span>
        </div>
      )
    case 'outgoing':
      return <OutgoingEntry conversationId={details.conversation.id} item={row.item} outbox={outbox} />
    case 'entry':
      return (
        <Entry
          entry={row.entry}
          isFirst={row.isFirst}
          isLast={row.isLast}
          onReply={onReply}
          reactions={details.reactions}
        />
      )
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
